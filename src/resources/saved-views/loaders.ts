import type { Context } from '../../context.ts';
import { batchLoader, byKey } from '../../db/batch/loaders.ts';
import { viewsById } from './queries.ts';
import { readViewId, type SavedView } from './record.ts';

/** Finds only the caller's views. */
export const loadView = async (ctx: Context, id: string): Promise<SavedView | undefined> => {
  const uuid = readViewId(id);
  if (uuid === undefined) return undefined;
  return batchLoader<string, SavedView>(
    ctx.loaders,
    'savedView',
    (key) => key,
    async (ids) => byKey(await viewsById(ctx.primary, ctx.caller.accountId, ids), (row) => row.id),
  ).load(uuid);
};
