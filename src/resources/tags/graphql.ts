import { builder } from '../../graphql/schema/builder.ts';
import { columns, renamed } from '../../graphql/schema/columns.ts';
import { connection, connectionRange } from '../../graphql/schema/connection.ts';
import { pageTypes } from '../../graphql/schema/connection-types.ts';
import { NetworkEnum, networkArgs } from '../../graphql/schema/enums.ts';
import { loadNodes } from '../../graphql/schema/nodes.ts';
import { decodeCursor, encodeCursor, integerCursors } from '../../kernel/cursor.ts';
import { badArgument, quoted } from '../../kernel/refusal.ts';
import { ValidatorType } from '../validators/graphql.ts';
import { loadValidator } from '../validators/loaders.ts';
import { loadTag } from './loaders.ts';
import type { TagPlace, TagRow } from './queries.ts';
import { readTagId, Tag, TagValidator } from './record.ts';
import { countTags, countTagValidators, TAGS_SIZES, tags, tagValidators } from './resolve.ts';

type MemberRow = TagValidator & { network: TagRow['network'] };

const MemberType = builder.objectRef<MemberRow>('PrivateSetValidator').implement({
  description: 'A validator of a private set.',
  fields: (t) => ({
    ...columns(t, TagValidator),
    validator: t.field({
      type: ValidatorType,
      nullable: true,
      description: 'The record of the validator; null when it is no longer stored.',
      resolve: (row, _args, ctx) => loadValidator(ctx, row),
    }),
  }),
});
const memberPages = pageTypes(MemberType, {
  name: 'PrivateSetValidator',
  row: 'A validator',
  list: 'The validators of a private set',
});

const sizes = `At most ${TAGS_SIZES.maxSize} a page, ${TAGS_SIZES.defaultSize} by default.`;
const pageSizes = TAGS_SIZES;

export const PrivateSet = builder.objectRef<TagRow>('PrivateSet');
builder.node(PrivateSet, {
  description: 'A tag with its private set of validators. Visible only to the account that owns it.',
  id: { resolve: (row) => row.id, description: 'Global id, for `node`.' },
  loadMany: loadNodes('PrivateSet', (id, ctx) => loadTag(ctx, id)),
  fields: (t) => ({
    setId: renamed(t, 'id', 'Identifier of the tag and of its set, a UUID; `id` in REST.'),
    network: t.expose('network', {
      type: NetworkEnum,
      description: 'Network of its validators.',
    }),
    ...columns(t, Tag.omit({ id: true })),
    validators: t.connection(
      {
        type: MemberType,
        nullable: true,
        extensions: { operation: 'listTagValidators', rows: TAGS_SIZES.defaultSize },
        description: `The validators that are in it now, by index. ${sizes}`,
        resolve: async (set, args, ctx, info) => {
          const cursors = integerCursors(() => `members:${set.id}`);
          const range = connectionRange(args, info, { ...pageSizes, decode: cursors.read });
          const page = await tagValidators(ctx, set.id, range);
          const rows = page.rows.map((row) => ({ ...row, network: set.network }));
          return connection(
            { ...page, rows },
            (row) => cursors.of(row.validatorIndex),
            () => countTagValidators(ctx, set.id),
          );
        },
      },
      ...memberPages,
    ),
  }),
});

const privateSetPages = pageTypes(PrivateSet, {
  name: 'PrivateSet',
  row: 'A private set',
  list: 'Private sets of the account',
});

/** Undefined for a cursor of another list or a forged one. */
function placeIn(list: string, cursor: string): TagPlace | undefined {
  const [at, id, ...rest] = decodeCursor(list, cursor) ?? [];
  const uuid = typeof id === 'string' ? readTagId(id) : undefined;
  return Number.isSafeInteger(at) && uuid !== undefined && rest.length === 0
    ? { at: at as number, id: uuid }
    : undefined;
}

builder.queryField('tags', (t) =>
  t.connection(
    {
      type: PrivateSet,
      nullable: true,
      extensions: { operation: 'listTags', rows: TAGS_SIZES.defaultSize },
      description: `The account's tags of a network, each with its private set, oldest first. ${sizes} REST: GET /v1/eth/tags.`,
      args: {
        ...networkArgs,
      },
      resolve: async (_root, args, ctx, info) => {
        const network = args.network ?? ctx.network;
        const list = `tags:${ctx.caller.accountId}:${network}`;
        const range = connectionRange(args, info, {
          ...pageSizes,
          decode: (cursor) => placeIn(list, cursor),
        });
        const page = await tags(ctx, network, range);
        return connection(
          page,
          (row) => encodeCursor(list, [row.at, row.id]),
          () => countTags(ctx, network),
        );
      },
    },
    ...privateSetPages,
  ),
);

builder.queryField('privateSet', (t) =>
  t.field({
    type: PrivateSet,
    nullable: true,
    extensions: { operation: 'getTag' },
    description:
      'A private set of the account, on any network; null when the account has none with this id. REST: GET /v1/eth/tags/{id}.',
    args: { setId: t.arg.id({ required: true, description: 'Its `setId`, a UUID.' }) },
    resolve: (_root, { setId }, ctx) => loadTag(ctx, checkSetId(setId, badArgument)),
  }),
);

/** Returns the UUID in lower case. */
export function checkSetId(given: string | number, refuse: (name: string, msg: string) => Error): string {
  const id = readTagId(String(given));
  if (id === undefined) {
    throw refuse('setId', `setId is ${quoted(String(given))}; a UUID is needed.`);
  }
  return id;
}
