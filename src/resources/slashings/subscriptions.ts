import { addedSubscription } from '../../graphql/schema/added-subscription.ts';
import { SlashingType } from './graphql.ts';
import { loadSlashing } from './loaders.ts';

addedSubscription('slashingAdded', SlashingType, {
  dataset: 'slashings',
  rows: 'Slashings',
  key: 'validator index',
  description:
    'Slashings as they are added. Later changes of their penalties are changes of the dataset `slashings`.',
  load: (ctx, network, validatorIndex) => loadSlashing(ctx, { network, validatorIndex }),
});
