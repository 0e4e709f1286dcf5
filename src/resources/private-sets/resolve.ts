import type { z } from 'zod';
import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { audit } from '../../db/audit.ts';
import type { Queryable } from '../../db/pool.ts';
import { inTurn } from '../../kernel/in-turn.ts';
import { type DirectedRange, type Slice, slice } from '../../kernel/page.ts';
import { badInput, type Fault, notFound, quoted, Refusal } from '../../kernel/refusal.ts';
import { readValidatorName, type ValidatorName } from '../validators/record.ts';
import { loadMembers, loadMemberTotal, loadSet } from './loaders.ts';
import {
  deleteSetRow,
  endMemberships,
  insertMembers,
  insertSet,
  knownValidators,
  lockAccount,
  memberTotals,
  type SetPlace,
  type SetRow,
  setPage,
  setsById,
  setTotal,
  touchSet,
} from './queries.ts';
import { MAX_VALIDATORS, type NewSet, type SetMember } from './record.ts';
import { addSetDays, lockSetDays, recomputeSetDays } from './set-days.ts';

export const SETS_SIZES = { defaultSize: 10, maxSize: 200 };

export type Place = 'body' | 'input';

/** Must not reveal other accounts' sets. */
const setNotFound = (id: string) => notFound(`Private set ${quoted(id)}`);

/** Throws NOT_FOUND for other accounts' sets, too. */
export async function ownSet(ctx: Context, id: string): Promise<SetRow> {
  const set = await loadSet(ctx, id);
  if (!set) throw setNotFound(id);
  return set;
}

/** Ordered by creation time. */
export const privateSets = async (
  ctx: Context,
  network: Network,
  range: DirectedRange<SetPlace>,
): Promise<Slice<SetRow>> => slice(await setPage(ctx.primary, ctx.caller.accountId, network, range), range);

export const countSets = (ctx: Context, network: Network): Promise<number> =>
  setTotal(ctx.primary, ctx.caller.accountId, network);

export const membersOfSet = async (
  ctx: Context,
  id: string,
  range: DirectedRange<number>,
): Promise<Slice<SetMember>> => slice(await loadMembers(ctx, id, range), range);

export const countSetMembers = loadMemberTotal;

async function checkTier(db: Queryable, { caller }: Context): Promise<void> {
  const { accountId, tier, setLimit } = caller;
  if (setLimit === undefined) return;
  const help = 'a higher tier has more';
  if (setLimit === 0) {
    throw new Refusal('FORBIDDEN', `The ${tier} tier has no private sets; ${help}: build 4, growth 20.`);
  }
  await lockAccount(db, accountId);
  const used = await setTotal(db, accountId, null);
  if (used < setLimit) return;
  throw new Refusal(
    'FORBIDDEN',
    `The ${tier} tier has at most ${setLimit} private sets, and the account has ${used}: delete one, or ${help}.`,
  );
}

const audited = (
  db: Queryable,
  { caller }: Context,
  verb: string,
  subject: string,
  details: Record<string, unknown> = {},
) => audit(db, { action: `private-set.${verb}`, subject, details, token: caller });

async function add(
  db: Queryable,
  set: SetRow,
  given: readonly (string | number)[],
  place: readonly [Place, string],
  now: Date,
): Promise<{ pubkeysAdded: string[]; isWhole: boolean }> {
  if (given.length === 0) return { pubkeysAdded: [], isWhole: true };
  const names = given.map((one) => readValidatorName(String(one)) as ValidatorName);
  const found = await knownValidators(db, set.network, names);
  const known = new Set(found.map((one) => one.place));
  const unknown = given.flatMap((one, index): Fault[] => {
    const msg = `${place[1]}.${index} is ${one}; ${set.network} has no such validator here.`;
    return known.has(index) ? [] : [{ loc: [...place, index], msg, type: 'unknown_validator' }];
  });
  if (unknown.length > 0) throw badInput(unknown);
  const added = await insertMembers(db, set.id, found, now);
  const total = (await memberTotals(db, [set.id]))[0]?.total ?? 0;
  if (total > MAX_VALIDATORS) {
    const msg = `${place[1]} would make it ${total} validators; a private set has at most ${MAX_VALIDATORS}.`;
    throw badInput([{ loc: [...place], msg, type: 'too_long' }]);
  }
  const indices = added.map((one) => one.validatorIndex);
  const isWhole = added.length === 0 || (await addSetDays(db, set, indices));
  return { pubkeysAdded: added.map((one) => one.validatorPubkey), isWhole };
}

const withProgress = async (db: Queryable, { caller }: Context, { id }: SetRow): Promise<SetRow> =>
  (await setsById(db, caller.accountId, [id]))[0] as SetRow;

/** For each account in this process. Changes that wait hold no connection to the database. */
const MAX_CHANGES = 8;
const ofAccount = inTurn(MAX_CHANGES);

function changing<T>(ctx: Context, work: (db: Queryable) => Promise<T>): Promise<T> {
  const done = ofAccount(ctx.caller.accountId, () => ctx.primary.transaction(work));
  if (done) return done;
  const message = `${MAX_CHANGES} changes of private sets of this account are in progress; try again when they are done.`;
  throw new Refusal('RATE_LIMITED', message, { headers: { 'retry-after': '1' } });
}

/** Throws FORBIDDEN at the tier's limit, BAD_INPUT for unknown validators, RATE_LIMITED for many changes at once. */
export function createSet(
  ctx: Context,
  network: Network,
  { name, validators = [] }: z.output<typeof NewSet>,
  place: Place,
): Promise<SetRow> {
  const now = ctx.now();
  const { accountId, tokenName } = ctx.caller;
  return changing(ctx, async (db) => {
    await checkTier(db, ctx);
    const set = await insertSet(db, { accountId, network, name, createdBy: tokenName, now });
    const { isWhole } = await add(db, set, validators, [place, 'validators'], now);
    await audited(db, ctx, 'create', set.id, { network, validators: validators.length });
    return isWhole ? set : withProgress(db, ctx, set);
  });
}

function change<T>(
  ctx: Context,
  id: string,
  work: (db: Queryable, set: SetRow, now: Date) => Promise<T>,
  name?: string,
): Promise<T> {
  const now = ctx.now();
  return changing(ctx, async (db) => {
    const set = await touchSet(db, ctx.caller.accountId, id, {
      now,
      ...(name === undefined ? {} : { name }),
    });
    if (!set) throw setNotFound(id);
    return work(db, set, now);
  });
}

export const renameSet = (ctx: Context, id: string, name: string): Promise<SetRow> =>
  change(
    ctx,
    id,
    async (db, set) => {
      await audited(db, ctx, 'rename', id);
      return set;
    },
    name,
  );

export const addValidators = (
  ctx: Context,
  id: string,
  validators: readonly (string | number)[],
  place: readonly [Place, string],
): Promise<{ tag: SetRow; pubkeysAdded: string[] }> =>
  change(ctx, id, async (db, set, now) => {
    const { pubkeysAdded, isWhole } = await add(db, set, validators, place, now);
    await audited(db, ctx, 'add-validators', id, { validators: pubkeysAdded.length });
    return { tag: isWhole ? set : await withProgress(db, ctx, set), pubkeysAdded };
  });

/** Charges for all members of a set: a removal sums their days again, and a deletion deletes them. */
async function readMembers(ctx: Context, db: Queryable, id: string): Promise<void> {
  ctx.metering.read((await memberTotals(db, [id]))[0]?.total ?? 0);
}

/** Memberships end today (UTC). Throws NOT_FOUND for non-members. `list` names the input field in errors. */
export const removeValidators = (
  ctx: Context,
  id: string,
  names: readonly ValidatorName[],
  list?: string,
): Promise<SetRow> =>
  change(ctx, id, async (db, set, now) => {
    await readMembers(ctx, db, set.id);
    const ended = await endMemberships(db, set.id, names, now);
    const found = new Set(ended.flatMap((one) => [one.validatorIndex, one.validatorPubkey]));
    const faults = names.flatMap((one, at): Fault[] => {
      const name = 'index' in one ? one.index : one.pubkey;
      const msg = `Validator ${quoted(String(name))} was not found in private set ${quoted(id)}.`;
      return found.has(name)
        ? []
        : [{ loc: list ? ['input', list, at] : [], msg, type: 'unknown_validator' }];
    });
    if (faults[0]) throw new Refusal('NOT_FOUND', faults[0].msg, list ? { faults } : {});
    await recomputeSetDays(db, set, now.toISOString().slice(0, 10));
    await audited(db, ctx, 'remove-validators', id, { validators: names.length });
    return set;
  });

export async function deleteSet(ctx: Context, id: string): Promise<void> {
  await changing(ctx, async (db) => {
    await lockSetDays(db);
    const { accountId } = ctx.caller;
    if ((await setsById(db, accountId, [id])).length === 0) throw setNotFound(id);
    await readMembers(ctx, db, id);
    if (!(await deleteSetRow(db, accountId, id))) throw setNotFound(id);
    await audited(db, ctx, 'delete', id);
  });
}
