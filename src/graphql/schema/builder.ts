import SchemaBuilder from '@pothos/core';
import RelayPlugin, { resolveNodes } from '@pothos/plugin-relay';
import type { Context } from '../../context.ts';
import type { Stored } from '../../db/batch/stored.ts';
import { badArgument, badInput, type Fault, quoted } from '../../kernel/refusal.ts';
import { unstorable } from '../../kernel/storable.ts';

export type ConnectionExtras = {
  totalCount: () => number | Promise<number>;
  stored?: (() => Promise<Stored> | Stored) | undefined;
};

type Leaf<T> = { Input: T; Output: T };

type Types = {
  Context: Context;
  DefaultFieldNullability: false;
  DefaultInputFieldRequiredness: false;
  DefaultEdgesNullability: { list: false; items: false };
  DefaultNodeNullability: false;
  Connection: ConnectionExtras;
  Scalars: {
    ID: { Input: string; Output: string | number };
    BigInt: Leaf<string>;
    Decimal: Leaf<string>;
    Date: Leaf<string>;
    DateTime: Leaf<string>;
  };
};

export type Schema = PothosSchemaTypes.ExtendDefaultTypes<Types>;

export const nodeTypes = new Set<string>();
/** Types of rows with an id that `node` does not find. */
export const rowTypes = new Set<string>();

export const globalIdOf = (type: string, id: string | number | bigint): string =>
  Buffer.from(`${type}:${id}`).toString('base64url');

type GlobalId = { typename: string; id: string };

export function readGlobalId(globalId: string): GlobalId | undefined {
  const text = Buffer.from(globalId, 'base64url').toString('utf8');
  const [typename = '', ...rest] = text.split(':');
  const named = (nodeTypes.has(typename) || rowTypes.has(typename)) && rest.length > 0 && !unstorable(text);
  return named ? { typename, id: rest.join(':') } : undefined;
}

const globalIdFault = (loc: (string | number)[], globalId: string): Fault => ({
  loc: ['argument', ...loc],
  msg: `${loc.join('.')} is ${quoted(globalId)}; a global id is needed.`,
  type: 'value_error',
});

export const builder = new SchemaBuilder<Types>({
  plugins: [RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    cursorType: 'String',
    clientMutationId: 'omit',
    nodesOnConnection: { description: 'The rows of the page.' },
    encodeGlobalID: globalIdOf,
    decodeGlobalID: (globalId) => {
      const read = readGlobalId(globalId);
      if (!read) throw badInput([globalIdFault(['id'], globalId)]);
      return read;
    },
    idFieldOptions: { description: 'Global id, for `node`.' },
    nodeQueryOptions: {
      description: 'Any object by its global id; null when there is none.',
      extensions: { operation: 'node' },
      args: { id: { description: 'Global id.' } },
      resolve: (_root, { id }, _ctx, _info, resolveNode) =>
        nodeTypes.has(id.typename) ? resolveNode(id) : null,
    },
    nodesQueryOptions: false, // replaced below, because the field of Pothos accepts any number of ids
    edgesFieldOptions: {
      description: 'The rows of the page with their cursors.',
      nullable: { list: false, items: false },
    },
    nodeFieldOptions: { description: 'The row.', nullable: false },
    cursorFieldOptions: { description: 'Opaque position of the row in this list, for `after` and `before`.' },
    pageInfoFieldOptions: { description: 'Where the page lies.' },
    hasNextPageFieldOptions: { description: 'Whether rows follow the page.' },
    hasPreviousPageFieldOptions: { description: 'Whether rows come before the page.' },
    startCursorFieldOptions: { description: 'Cursor of the first row; null on an empty page.' },
    endCursorFieldOptions: { description: 'Cursor of the last row; null on an empty page.' },
    firstArgOptions: {
      description:
        'Number of rows from the start, or after `after`: from 1 to the largest size of a page. Not with `last`.',
    },
    lastArgOptions: {
      description:
        'Number of rows from the end, or before `before`: from 1 to the largest size of a page. Not with `first`.',
    },
    afterArgOptions: { description: 'A cursor of this list with the same arguments; rows after it.' },
    beforeArgOptions: { description: 'A cursor of this list with the same arguments; rows before it.' },
    pageInfoTypeOptions: { description: 'Where a page lies in its connection.' },
    nodeTypeOptions: { description: 'An object with a global id, which `node` finds.' },
  },
});

// Root fields that refuse arguments are nullable, because their errors must not null other root fields.
builder.queryType({ description: 'All queries. They return the same rows as the REST paths.' });
builder.subscriptionType({
  description: 'What changes, as server-sent events. The first event of each says how things are at present.',
});

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    description:
      'Number of rows in the whole list, at least 0. Select it only when needed: some lists must be counted.',
    resolve: (connection) => (connection as unknown as ConnectionExtras).totalCount(),
  }),
);

const MAX_NODES = 200;

builder.queryField('nodes', (t) =>
  t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: true, items: true },
    description: `Objects by their global ids, at most ${MAX_NODES}, in the order of ids; null where there is none.`,
    extensions: { operation: 'nodes' },
    args: { ids: t.arg.idList({ required: true, description: 'Global ids.' }) },
    resolve: (_root, { ids }, ctx, info) => {
      if (ids.length > MAX_NODES) {
        throw badArgument('ids', `ids has ${ids.length} entries; at most ${MAX_NODES} are accepted.`);
      }
      const found = ids.map(readGlobalId);
      const faults = ids.flatMap((id, index) => (found[index] ? [] : [globalIdFault(['ids', index], id)]));
      if (faults.length > 0) throw badInput(faults);
      const nodes = found.map((id) => (id && nodeTypes.has(id.typename) ? id : null));
      return resolveNodes(builder, ctx, info, nodes) as never;
    },
  }),
);
