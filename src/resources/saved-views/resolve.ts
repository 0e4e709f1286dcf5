import type { Context } from '../../context.ts';
import { audit } from '../../db/audit.ts';
import type { Queryable } from '../../db/pool.ts';
import { badInput, notFound, quoted, Refusal } from '../../kernel/refusal.ts';
import {
  deleteViewRow,
  insertView,
  lockViews,
  renameViewRow,
  viewNamed,
  viewsOf,
  viewTotal,
} from './queries.ts';
import { MAX_VIEWS, type SavedView } from './record.ts';

/** The views of the caller, ordered by name. */
export const savedViews = (ctx: Context): Promise<SavedView[]> => viewsOf(ctx.primary, ctx.caller.accountId);

/** Must not reveal other accounts' views. */
const viewNotFound = (id: string) => notFound(`Saved view ${quoted(id)}`);

const audited = (db: Queryable, { caller }: Context, verb: string, subject: string) =>
  audit(db, { action: `saved-view.${verb}`, subject, token: caller });

/** Throws BAD_INPUT if another view of the account has the name. */
async function checkName(db: Queryable, accountId: string, name: string, own?: string): Promise<void> {
  const other = await viewNamed(db, accountId, name);
  if (other === undefined || other === own) return;
  const msg = `name is ${quoted(name)}, which another saved view of the account has; another name is needed.`;
  throw badInput([{ loc: ['input', 'name'], msg, type: 'taken' }]);
}

/** Throws FORBIDDEN at the limit, BAD_INPUT for a name that is taken. */
export const saveView = (ctx: Context, view: { name: string; path: string }): Promise<SavedView> => {
  const now = ctx.now();
  const { accountId, tokenName } = ctx.caller;
  return ctx.primary.transaction(async (db) => {
    await lockViews(db, accountId);
    if ((await viewTotal(db, accountId)) >= MAX_VIEWS) {
      const message = `An account has at most ${MAX_VIEWS} saved views, and this one has as many: delete one.`;
      throw new Refusal('FORBIDDEN', message);
    }
    await checkName(db, accountId, view.name);
    const saved = await insertView(db, { accountId, ...view, createdBy: tokenName, now });
    await audited(db, ctx, 'create', saved.id);
    return saved;
  });
};

/** Throws NOT_FOUND for other accounts' views, BAD_INPUT for a name that is taken. */
export const renameView = (ctx: Context, id: string, name: string): Promise<SavedView> => {
  const now = ctx.now();
  const { accountId } = ctx.caller;
  return ctx.primary.transaction(async (db) => {
    await lockViews(db, accountId);
    await checkName(db, accountId, name, id);
    const renamed = await renameViewRow(db, accountId, id, { name, now });
    if (!renamed) throw viewNotFound(id);
    await audited(db, ctx, 'rename', id);
    return renamed;
  });
};

/** Throws NOT_FOUND for other accounts' views. */
export const deleteView = (ctx: Context, id: string): Promise<void> =>
  ctx.primary.transaction(async (db) => {
    if (!(await deleteViewRow(db, ctx.caller.accountId, id))) throw viewNotFound(id);
    await audited(db, ctx, 'delete', id);
  });
