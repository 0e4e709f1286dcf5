import type { Context } from '../../context.ts';
import { batchListLoader, batchLoader, byKey } from '../../db/batch/loaders.ts';
import type { DirectedRange } from '../../kernel/page.ts';
import {
  type MemberKey,
  type MemberRow,
  memberPages,
  membersByKey,
  memberTotals,
  type SetRow,
  setsById,
} from './queries.ts';
import { readSetId, type SetMember } from './record.ts';

export type { SetRow };

/** Finds only the caller's sets. */
export const loadSet = async (ctx: Context, id: string): Promise<SetRow | undefined> => {
  const uuid = readSetId(id);
  if (uuid === undefined) return undefined;
  return batchLoader<string, SetRow>(
    ctx.loaders,
    'tag',
    (key) => key,
    async (ids) => byKey(await setsById(ctx.primary, ctx.caller.accountId, ids), (row) => row.id),
  ).load(uuid);
};

export const memberKeyText = ({ setId, validatorIndex }: MemberKey) => `${setId}:${validatorIndex}`;

/** Finds only the caller's members. */
export const loadMember = (ctx: Context, key: MemberKey): Promise<MemberRow | undefined> =>
  batchLoader<MemberKey, MemberRow>(ctx.loaders, 'member', memberKeyText, async (keys) =>
    byKey(await membersByKey(ctx.primary, ctx.caller.accountId, keys), memberKeyText),
  ).load(key);

/** Does not check ownership. */
export const loadMembers = (
  ctx: Context,
  setId: string,
  range: DirectedRange<number>,
): Promise<SetMember[]> =>
  batchListLoader(
    ctx.loaders,
    `members:${JSON.stringify(range)}`,
    (key: string) => key,
    (ids) => memberPages(ctx.primary, ids, range),
  )(setId);

/** Does not check ownership. */
export const loadMemberTotal = async (ctx: Context, setId: string): Promise<number> => {
  const read = batchListLoader(
    ctx.loaders,
    'memberTotal',
    (key: string) => key,
    (ids) => memberTotals(ctx.primary, ids),
  );
  return (await read(setId))[0]?.total ?? 0;
};
