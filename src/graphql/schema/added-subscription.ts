import type { ObjectRef } from '@pothos/core';
import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { capitalized } from '../../kernel/names.ts';
import { type Added, addedTopic, EVENT_ROWS } from '../live/added-topic.ts';
import { builder, type Schema } from './builder.ts';
import { networkArgs } from './enums.ts';

type Subscription<Row> = {
  /** Whose table has the trigger `note_added_rows`. */
  dataset: string;
  /** As the subject of a sentence. */
  rows: string;
  /** By what the rows of a revision are ordered. */
  key: string;
  description: string;
  load: (ctx: Context, network: Network, key: number) => Promise<Row | undefined>;
};

/** A subscription to the rows that are added to a dataset. */
export function addedSubscription<Row extends object>(
  name: Parameters<typeof addedTopic>[0]['operation'],
  type: ObjectRef<Schema, Row>,
  { dataset, rows, key, description, load }: Subscription<Row>,
): void {
  const Payload = builder.objectRef<Added<Row>>(`${capitalized(name)}Payload`).implement({
    description: `${rows} that were added. The first event has those after \`after\`, and none without it.`,
    fields: (t) => ({
      revision: t.exposeInt('revision', {
        description: `Revision of the dataset up to which all were sent, >= 0. To continue without a gap, subscribe with it as \`after\`.`,
      }),
      [dataset]: t.field({
        type: [type],
        extensions: { rows: EVENT_ROWS },
        description: `${rows}, at most ${EVENT_ROWS}, by revision and ${key}. More come in further events.`,
        resolve: (event: Added<Row>) => event.rows,
      }),
      omitted: t.exposeInt('omitted', {
        description: `Number of rows, at least 0, that one statement added with more than 10,000, such as an import of history; they are not in \`${dataset}\`.`,
      }),
    }),
  });
  builder.subscriptionField(name, (t) =>
    t.field({
      type: Payload,
      nullable: true,
      extensions: { operation: name },
      description,
      args: {
        after: t.arg.int({
          description:
            'Revision of the dataset after which the stream begins: that of the last event, or of `extensions.revision` of a query. Default: now.',
        }),
        ...networkArgs,
      },
      subscribe: (_root, { after, network: given }, ctx) => {
        const network = given ?? ctx.network;
        const loadOne = (of: Context, rowKey: number) => load(of, network, rowKey);
        return addedTopic({ operation: name, dataset, network, after, load: loadOne });
      },
      resolve: (event) => event,
    }),
  );
}
