import { addedSubscription } from '../../graphql/schema/added-subscription.ts';
import { BlockType } from './graphql.ts';
import { loadBlock } from './loaders.ts';
import { wholeBlockFields } from './record.ts';

addedSubscription('blockAdded', BlockType, {
  dataset: 'blocks',
  rows: 'Slots',
  key: 'slot',
  description:
    'Slots as they are added, missed slots included, slots whose block is replaced by another, and, since the fork Gloas, slots again once the next block shows whether they have their payload. Later changes of a block, such as fees and finality, are changes of the dataset `blocks`.',
  load: (ctx, network, slot) => loadBlock(ctx, { network, slot }, wholeBlockFields),
});
