import type { Context } from '../../context.ts';
import { batchListLoader, batchLoader, byKey } from '../../db/batch/loaders.ts';
import type { Range } from '../../kernel/page.ts';
import { memberPages, memberTotals, type TagRow, tagsById } from './queries.ts';
import { readTagId, type TagValidator } from './record.ts';

export type { TagRow };

/** A tag of the caller's own account, or undefined: another account's is as good as none. */
export const loadTag = async (ctx: Context, id: string): Promise<TagRow | undefined> => {
  const uuid = readTagId(id);
  if (uuid === undefined) return undefined;
  return batchLoader<string, TagRow>(
    ctx.loaders,
    'tag',
    (key) => key,
    async (ids) => byKey(await tagsById(ctx.primary, ctx.caller.accountId, ids), (row) => row.id),
  ).load(uuid);
};

/** A page of the validators of a set; the caller must own it. Those of many sets are one statement. */
export const loadMembers = (ctx: Context, setId: string, range: Range<number>): Promise<TagValidator[]> =>
  batchListLoader(
    ctx.loaders,
    `members:${JSON.stringify(range)}`,
    (key: string) => key,
    (ids) => memberPages(ctx.primary, ids, range),
  )(setId);

/** How many validators a set has now; the caller must own it. */
export const loadMemberTotal = async (ctx: Context, setId: string): Promise<number> => {
  const read = batchListLoader(
    ctx.loaders,
    'memberTotal',
    (key: string) => key,
    (ids) => memberTotals(ctx.primary, ids),
  );
  return (await read(setId))[0]?.total ?? 0;
};
