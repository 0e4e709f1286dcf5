import { brandWithType } from '@pothos/core';
import type { Context } from '../../context.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { rowId } from '../../graphql/schema/columns.ts';
import { networkArgs } from '../../graphql/schema/enums.ts';
import { DEFAULT_PAGE_SIZE } from '../../kernel/page.ts';
import { loadBlock } from '../blocks/loaders.ts';
import { wholeBlockFields } from '../blocks/record.ts';
import { loadOperatorNode } from '../operators/loaders.ts';
import { loadSet } from '../private-sets/loaders.ts';
import { loadStakeAuthorityNode } from '../stake-authorities/loaders.ts';
import { loadValidator } from '../validators/loaders.ts';
import { readQuery, SEARCH_MAX_SIZE, searchKinds } from './record.ts';
import { type Hit, search, type Target } from './resolve.ts';

const SearchKindEnum = builder.enumType('SearchKind', {
  description: 'A kind of object that a search finds.',
  values: {
    OPERATOR: { value: 'operator', description: 'An operator, by name, display name or address.' },
    VALIDATOR: { value: 'validator', description: 'A validator, by index or public key.' },
    BLOCK: { value: 'block', description: 'A block, by slot, block root or execution block hash.' },
    STAKE_AUTHORITY: {
      value: 'stakeAuthority',
      description: 'A Solana stake authority, by the name of its pool or by address.',
    },
    TAG: { value: 'tag', description: 'A label of operators, by name.' },
    PRIVATE_SET: { value: 'privateSet', description: 'A private set of the account, by name.' },
  } as const,
});

const SearchMatchEnum = builder.enumType('SearchMatch', {
  description: 'What a query was compared with.',
  values: {
    NAME: {
      value: 'name',
      description: 'A name that has a word beginning with the query, or that contains the query.',
    },
    SIMILAR_NAME: { value: 'similarName', description: 'A name that resembles the query.' },
    ADDRESS: { value: 'address', description: 'An address, which begins with the query.' },
    INDEX: { value: 'index', description: 'The index of a validator.' },
    PUBLIC_KEY: { value: 'publicKey', description: 'A public key, which begins with the query.' },
    SLOT: { value: 'slot', description: 'The slot of a block.' },
    BLOCK_HASH: { value: 'blockHash', description: 'The root or execution hash of a block.' },
  } as const,
});

type HitRow = Hit & { query: string };

const loaders: { [Type in Target['type']]: (ctx: Context, to: Target & { type: Type }) => unknown } = {
  operator: loadOperatorNode,
  validator: loadValidator,
  block: (ctx, to) => loadBlock(ctx, to, wholeBlockFields),
  stakeAuthority: (ctx, { id }) => loadStakeAuthorityNode(ctx, { stakeAuthority: id }),
  privateSet: (ctx, to) => loadSet(ctx, to.id),
};
const typeNames: Record<Target['type'], string> = {
  operator: 'Operator',
  validator: 'Validator',
  block: 'Block',
  stakeAuthority: 'StakeAuthority',
  privateSet: 'PrivateSet',
};

async function loadTarget(ctx: Context, target: Target) {
  const row = await loaders[target.type](ctx, target as never);
  if (row) brandWithType(row, typeNames[target.type] as never);
  return (row ?? null) as never;
}

const SearchHit = builder.objectRef<HitRow>('SearchHit').implement({
  description: 'An object that a search found. Not a Node: it belongs to its query; `node` is the object.',
  fields: (t) => ({
    id: rowId(t, 'SearchHit', ({ kind, target, query }) => [kind, target, query]),
    kind: t.expose('kind', { type: SearchKindEnum, description: 'Kind of the object.' }),
    text: t.exposeString('text', {
      description: 'The name, address, number or hash that the query was compared with.',
    }),
    matched: t.expose('matched', { type: SearchMatchEnum, description: 'What `text` is.' }),
    score: t.exposeFloat('score', {
      description:
        'How well it fits, 0..1: 1 is `text` itself, 0.9 its beginning, 0.8 the beginning of a further word of a name, 0.75 the beginning of an address or public key, 0.7 another part of a name; similar names have less.',
    }),
    node: t.field({
      type: builder.nodeInterfaceRef(),
      nullable: true,
      description:
        'The object; for a tag the largest operator that has it. Null if it was removed since the search.',
      resolve: (hit, _args, ctx) => loadTarget(ctx, hit.target),
    }),
  }),
});

builder.queryField('search', (t) =>
  t.field({
    type: [SearchHit],
    nullable: true,
    extensions: { operation: 'search', rows: DEFAULT_PAGE_SIZE },
    description: `Objects by name, address, key, number or hash, best first: for a search box. At most ${SEARCH_MAX_SIZE}, ${DEFAULT_PAGE_SIZE} by default.`,
    args: {
      query: t.arg.string({
        required: true,
        description:
          'What to look for, 1 to 100 characters, in any letter case: a name, the beginning of one of its words or, for the 1,000 largest, any part of it, an index, a slot, a hash, or the beginning of an address or public key, with 0x or, from six digits on, without.',
      }),
      kinds: t.arg({
        type: [SearchKindEnum],
        description: 'Kinds to look for; all when absent. Responses without private sets can be cached.',
      }),
      first: t.arg.int({
        defaultValue: DEFAULT_PAGE_SIZE,
        description: `Number of hits, 1 to ${SEARCH_MAX_SIZE}.`,
      }),
      ...networkArgs,
    },
    resolve: async (_root, args, ctx) => {
      const kinds = args.kinds ?? searchKinds;
      const first = args.first ?? DEFAULT_PAGE_SIZE;
      const text = readQuery(args.query, first, kinds);
      const hits = await search(ctx, { text, kinds, network: args.network ?? ctx.network, first });
      return hits.map((hit) => ({ ...hit, query: text }));
    },
  }),
);
