import { z } from 'zod';
import type { Queryable } from '../../db/pool.ts';
import { momentText, queryOf, rows, selectList, sql } from '../../db/rows.ts';
import { totalBy } from '../../db/total.ts';
import { SavedView, savedViewFields } from './record.ts';

const fields = {
  id: sql`v.view_id::text`,
  name: sql`v.name`,
  path: sql`v.path`,
  createdBy: sql`v.created_by`,
  createdAt: momentText(sql`v.created_at`),
  updatedAt: momentText(sql`v.updated_at`),
};
const select = selectList(fields, savedViewFields);

/** Ordered by name. */
export const viewsOf = queryOf(
  SavedView,
  (accountId: string) => sql`/* savedViews */
    select ${select} from saved_views v where v.account_id = ${accountId} order by lower(v.name), v.name`,
);

export const viewsById = queryOf(
  SavedView,
  (accountId: string, ids: readonly string[]) => sql`/* savedViewsById */
    select ${select} from saved_views v where v.account_id = ${accountId} and v.view_id = any(${[...ids]}::uuid[])`,
);

/** Until the transaction ends, so that views of an account are counted and named one after the other. */
export const lockViews = queryOf(
  z.object({}),
  (accountId: string) =>
    sql`/* lockSavedViews */ select from accounts where account_id = ${accountId} for no key update`,
);

export const viewTotal = totalBy(
  (accountId: string) => sql`/* savedViewTotal */
    select count(*)::int as total from saved_views where account_id = ${accountId}`,
);

export async function viewNamed(db: Queryable, accountId: string, name: string): Promise<string | undefined> {
  const [found] = await rows(
    db,
    z.object({ id: z.string() }),
    sql`/* savedViewNamed */
    select view_id::text as id from saved_views where account_id = ${accountId} and name = ${name}`,
  );
  return found?.id;
}

export async function insertView(
  db: Queryable,
  view: { accountId: string; name: string; path: string; createdBy: string; now: Date },
): Promise<SavedView> {
  const made = await rows(
    db,
    SavedView,
    sql`/* insertSavedView */
    insert into saved_views as v (account_id, name, path, created_by, created_at, updated_at)
    values (${view.accountId}, ${view.name}, ${view.path}, ${view.createdBy}, ${view.now}, ${view.now})
    returning ${select}`,
  );
  return made[0] as SavedView;
}

export async function renameViewRow(
  db: Queryable,
  accountId: string,
  id: string,
  change: { name: string; now: Date },
): Promise<SavedView | undefined> {
  const [row] = await rows(
    db,
    SavedView,
    sql`/* renameSavedView */
    update saved_views v set name = ${change.name}, updated_at = ${change.now}
    where v.account_id = ${accountId} and v.view_id = ${id}::uuid returning ${select}`,
  );
  return row;
}

export async function deleteViewRow(db: Queryable, accountId: string, id: string): Promise<boolean> {
  const removed = await rows(
    db,
    z.object({ yes: z.literal(1) }),
    sql`/* deleteSavedView */
    delete from saved_views where account_id = ${accountId} and view_id = ${id}::uuid returning 1 as yes`,
  );
  return removed.length > 0;
}
