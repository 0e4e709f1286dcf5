import type { Context } from '../../context.ts';
import { batchLoader, byKey, privateListReader, privateTotalReader } from '../../db/batch/loaders.ts';
import {
  type MemberKey,
  type MemberRow,
  memberPages,
  membersByKey,
  memberTotals,
  type SetRow,
  setsById,
} from './queries.ts';
import { readSetId } from './record.ts';

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

const ofSet = (setId: string) => setId;

export const loadMembers = privateListReader({ name: 'members', keyOf: ofSet, load: memberPages });

export const loadMemberTotal = privateTotalReader({ name: 'memberTotal', keyOf: ofSet, load: memberTotals });
