import type { z } from 'zod';
import { builder } from '../../graphql/schema/builder.ts';
import { columns, renamed } from '../../graphql/schema/columns.ts';
import { connectionOf, sizesText } from '../../graphql/schema/connection.ts';
import { pagesOf } from '../../graphql/schema/connection-types.ts';
import { networkArgs, networkField } from '../../graphql/schema/enums.ts';
import { node } from '../../graphql/schema/nodes.ts';
import { isAscending, orderInput } from '../../graphql/schema/order.ts';
import { integerCursors, placeCursors } from '../../kernel/cursor.ts';
import { badArgument, quoted } from '../../kernel/refusal.ts';
import { ValidatorType } from '../validators/graphql.ts';
import { loadValidator } from '../validators/loaders.ts';
import { loadMember, loadSet, memberKeyText } from './loaders.ts';
import type { MemberKey, MemberRow, SetPlace, SetRow } from './queries.ts';
import { PrivateSet, readSetId, SetMember, SetProgress } from './record.ts';
import { countSetMembers, countSets, membersOfSet, privateSets, SETS_SIZES } from './resolve.ts';

const MemberType = builder.objectRef<MemberRow>('PrivateSetValidator');
node(MemberType, {
  description: 'A validator that is in a private set now.',
  id: memberKeyText,
  load: async (id, ctx) => {
    const [, uuid = '', digits = ''] = /^([^:]+):(0|[1-9]\d{0,9})$/.exec(id) ?? [];
    const key = { setId: readSetId(uuid), validatorIndex: Number(digits) };
    return key.setId && digits && key.validatorIndex < 2 ** 31 ? loadMember(ctx, key as MemberKey) : null;
  },
  fields: (t) => ({
    setId: t.exposeString('setId', { description: '`setId` of the private set, a UUID.' }),
    network: networkField(t, 'Network of the validator.'),
    ...columns(t, SetMember),
    validator: t.field({
      type: ValidatorType,
      nullable: true,
      description: 'The record of the validator; null when it is no longer stored.',
      resolve: (row, _args, ctx) => loadValidator(ctx, row),
    }),
  }),
});
const memberPages = pagesOf(MemberType, {
  name: 'PrivateSetValidator',
  row: 'A validator',
  list: 'The validators of a private set',
});

const MemberOrder = orderInput('PrivateSetValidator', ['index'], () => 'The index of the validator.');
const PrivateSetOrder = orderInput('PrivateSet', ['createdAt'], () => 'When it was created.');

const sizes = sizesText(SETS_SIZES);

const ProgressType = builder.objectRef<z.infer<typeof SetProgress>>('PrivateSetProgress').implement({
  description: 'How far the days of validators that were added to a set are summed up.',
  fields: (t) => columns(t, SetProgress),
});

export const PrivateSetType = builder.objectRef<SetRow>('PrivateSet');
node(PrivateSetType, {
  description: 'A private set of validators (a tag in REST). Visible only to the account that owns it.',
  id: (row) => row.id,
  load: (id, ctx) => loadSet(ctx, id),
  fields: (t) => ({
    setId: renamed(t, 'id', 'Identifier of the set, a UUID; `id` in REST.'),
    network: networkField(t, 'Network of its validators.'),
    ...columns(t, PrivateSet.omit({ id: true, name: true, organizationId: true })),
    name: t.exposeString('name', {
      description: 'Name of the set; an account may use a name more than once.',
    }),
    progress: t.expose('progress', {
      type: ProgressType,
      nullable: true,
      description: PrivateSet.shape.progress.description as string,
    }),
    account: renamed(t, 'organizationId', 'Account that owns it, a UUID; `organizationId` in REST.'),
    validators: memberPages(t, {
      extensions: { operation: 'listTagValidators' },
      description: `The validators that are in it now, by default ascending by index. ${sizes}`,
      args: {
        orderBy: t.arg({ type: MemberOrder, description: 'The order; default: by index, ascending.' }),
      },
      resolve: (set, args, ctx, info) => {
        const ascending = isAscending(args.orderBy, true);
        return connectionOf(args, info, {
          ...SETS_SIZES,
          cursors: integerCursors(
            () => `members:${set.id}:${ascending}`,
            (row: MemberRow) => row.validatorIndex,
          ),
          async read(range) {
            const page = await membersOfSet(ctx, set.id, { ...range, ascending });
            const rows = page.rows.map((row) => ({ ...row, setId: set.id, network: set.network }));
            return { ...page, rows };
          },
          total: () => countSetMembers(ctx, set.id),
        });
      },
    }),
  }),
});

const privateSetPages = pagesOf(PrivateSetType, {
  name: 'PrivateSet',
  row: 'A private set',
  list: 'Private sets of the account',
});

const setCursors = (list: string) =>
  placeCursors(
    list,
    [(at) => Number.isSafeInteger(at), (id) => readSetId(String(id)) !== undefined],
    (row: SetRow) => [row.at, row.id],
    (at, id): SetPlace => ({ at: Number(at), id: String(id).toLowerCase() }),
  );

builder.queryField('privateSets', (t) =>
  privateSetPages(t, {
    extensions: { operation: 'listTags' },
    description: `The account's private sets of a network, by default newest first. ${sizes} REST: GET /v1/eth/tags.`,
    args: {
      orderBy: t.arg({ type: PrivateSetOrder, description: 'The order; default: newest first.' }),
      ...networkArgs,
    },
    resolve: (_root, args, ctx, info) => {
      const network = args.network ?? ctx.network;
      const ascending = isAscending(args.orderBy);
      return connectionOf(args, info, {
        ...SETS_SIZES,
        cursors: setCursors(`tags:${ctx.caller.accountId}:${network}:${ascending}`),
        read: (range) => privateSets(ctx, network, { ...range, ascending }),
        total: () => countSets(ctx, network),
      });
    },
  }),
);

builder.queryField('privateSet', (t) =>
  t.field({
    type: PrivateSetType,
    nullable: true,
    extensions: { operation: 'getTag' },
    description:
      'A private set of the account, on any network; null when the account has none with this id. REST: GET /v1/eth/tags/{id}.',
    args: { setId: t.arg.id({ required: true, description: 'Its `setId`, a UUID.' }) },
    resolve: (_root, { setId }, ctx) => loadSet(ctx, checkSetId(setId, badArgument)),
  }),
);

export function checkSetId(given: string | number, refuse: (name: string, msg: string) => Error): string {
  const id = readSetId(String(given));
  if (id === undefined) {
    throw refuse('setId', `setId is ${quoted(String(given))}; a UUID is needed.`);
  }
  return id;
}
