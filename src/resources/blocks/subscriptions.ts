import { addedTopic } from '../../graphql/live/added-topic.ts';
import { addedPayload, afterText } from '../../graphql/schema/added-payload.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { networkArgs } from '../../graphql/schema/enums.ts';
import { BlockType } from './graphql.ts';
import { loadBlock } from './loaders.ts';
import { wholeBlockFields } from './record.ts';

const BlockAddedPayload = addedPayload(BlockType, {
  type: 'BlockAddedPayload',
  list: 'blocks',
  what: 'Slots',
  keys: 'slot',
});

builder.subscriptionField('blockAdded', (t) =>
  t.field({
    type: BlockAddedPayload,
    nullable: true,
    extensions: { operation: 'blockAdded' },
    description:
      'Slots as they are added, missed slots included, slots whose block is replaced by another, and, since the fork Gloas, slots again once the next block tells whether they have their payload. Later changes of a block, such as fees and finality, are changes of the dataset `blocks`.',
    args: { after: t.arg.int({ description: afterText }), ...networkArgs },
    subscribe: (_root, { after, network: given }, ctx) => {
      const network = given ?? ctx.network;
      return addedTopic({
        operation: 'blockAdded',
        dataset: 'blocks',
        network,
        after,
        load: (of, slot) => loadBlock(of, { network, slot }, wholeBlockFields),
      });
    },
    resolve: (event) => event,
  }),
);
