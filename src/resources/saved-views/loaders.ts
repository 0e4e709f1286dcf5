import type { Context } from '../../context.ts';
import { privateRowReader } from '../../db/batch/loaders.ts';
import { viewsById } from './queries.ts';
import { readViewId, type SavedView } from './record.ts';

const readView = privateRowReader({
  name: 'savedView',
  keyOf: (id: string) => id,
  load: (ctx: Context, ids: readonly string[]) => viewsById(ctx.primary, ctx.caller.accountId, ids),
  rowKey: (row) => row.id,
});

/** Finds only the caller's views. */
export const loadView = async (ctx: Context, id: string): Promise<SavedView | undefined> => {
  const uuid = readViewId(id);
  return uuid === undefined ? undefined : readView(ctx, uuid);
};
