import { addedTopic } from '../../graphql/live/added-topic.ts';
import { addedPayload, afterText } from '../../graphql/schema/added-payload.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { networkArgs } from '../../graphql/schema/enums.ts';
import { SlashingType } from './graphql.ts';
import { loadSlashing } from './loaders.ts';

const SlashingAddedPayload = addedPayload(SlashingType, {
  type: 'SlashingAddedPayload',
  list: 'slashings',
  what: 'Slashings',
  keys: 'validator index',
});

builder.subscriptionField('slashingAdded', (t) =>
  t.field({
    type: SlashingAddedPayload,
    nullable: true,
    extensions: { operation: 'slashingAdded' },
    description:
      'Slashings as they are added. Later changes of their penalties are changes of the dataset `slashings`.',
    args: { after: t.arg.int({ description: afterText }), ...networkArgs },
    subscribe: (_root, { after, network: given }, ctx) => {
      const network = given ?? ctx.network;
      return addedTopic({
        operation: 'slashingAdded',
        dataset: 'slashings',
        network,
        after,
        load: (of, validatorIndex) => loadSlashing(of, { network, validatorIndex }),
      });
    },
    resolve: (event) => event,
  }),
);
