import type { ObjectRef } from '@pothos/core';
import { type Added, EVENT_ROWS } from '../live/added-topic.ts';
import { builder, type Schema } from './builder.ts';

type Names = { type: string; list: string; what: string; keys: string };

export const addedPayload = <Row extends object>(
  row: ObjectRef<Schema, Row>,
  { type, list, what, keys }: Names,
) =>
  builder.objectRef<Added<Row>>(type).implement({
    description: `${what} that were added. The first event has those after \`after\`, and none without it.`,
    fields: (t) => ({
      revision: t.exposeInt('revision', {
        description: `Revision of the dataset up to which all were sent, >= 0. To continue without a gap, subscribe with it as \`after\`.`,
      }),
      [list]: t.field({
        type: [row],
        extensions: { rows: EVENT_ROWS },
        description: `${what}, at most ${EVENT_ROWS}, by revision and ${keys}. More come in further events.`,
        resolve: (event: Added<Row>) => event.rows,
      }),
      omitted: t.exposeInt('omitted', {
        description: `Number of rows, at least 0, that one statement added with more than 10,000, such as an import of history; they are not in \`${list}\`.`,
      }),
    }),
  });

export const afterText =
  'Revision of the dataset after which the stream begins: that of the last event, or of `extensions.revision` of a query. Default: now.';
