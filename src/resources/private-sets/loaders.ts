import type { Context } from '../../context.ts';
import { privateListReader, privateRowReader, privateTotalReader } from '../../db/batch/loaders.ts';
import { type MemberKey, memberPages, membersByKey, memberTotals, type SetRow, setsById } from './queries.ts';
import { readSetId } from './record.ts';

export type { SetRow };

const ofSet = (setId: string) => setId;

const readSet = privateRowReader({
  name: 'tag',
  keyOf: ofSet,
  load: (ctx: Context, ids: readonly string[]) => setsById(ctx.primary, ctx.caller.accountId, ids),
  rowKey: (row) => row.id,
});

/** Finds only the caller's sets. */
export const loadSet = async (ctx: Context, id: string): Promise<SetRow | undefined> => {
  const uuid = readSetId(id);
  return uuid === undefined ? undefined : readSet(ctx, uuid);
};

export const memberKeyText = ({ setId, validatorIndex }: MemberKey) => `${setId}:${validatorIndex}`;

/** Finds only the caller's members. */
export const loadMember = privateRowReader({
  name: 'member',
  keyOf: memberKeyText,
  load: (ctx: Context, keys: readonly MemberKey[]) => membersByKey(ctx.primary, ctx.caller.accountId, keys),
  rowKey: memberKeyText,
});

export const loadMembers = privateListReader({ name: 'members', keyOf: ofSet, load: memberPages });

export const loadMemberTotal = privateTotalReader({ name: 'memberTotal', keyOf: ofSet, load: memberTotals });
