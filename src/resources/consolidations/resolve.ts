import { type Bounds, epochsWithin } from '../../chain/bounds.ts';
import {
  type Calendar,
  dateOfDay,
  dayOfEpoch,
  SLOTS_PER_EPOCH,
  slotTimestamp,
} from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { placeCursors } from '../../kernel/cursor.ts';
import { type DirectedRange, type Ends, type Range, type Slice, slice } from '../../kernel/page.ts';
import { isKnownEntity } from '../operators/loaders.ts';
import { entityNotFound, normaliseId } from '../operators/record.ts';
import type { SetKey } from '../private-sets/set-days.ts';
import type { ValidatorName } from '../validators/record.ts';
import {
  loadConsolidation,
  loadConsolidations,
  loadConsolidationTotal,
  loadEntities,
  loadPendingConsolidations,
  loadPendingConsolidationTotal,
  loadSetConsolidations,
  loadSetConsolidationTotal,
  type QueueRow,
} from './loaders.ts';
import {
  type ConsolidationPlace,
  type ConsolidationQuery,
  type EntityKey,
  indexOfPubkey,
  orderFields,
  type Scope,
  type StoredRow,
} from './queries.ts';
import type { Consolidation, ConsolidationSortField } from './record.ts';

export const CONSOLIDATIONS_SIZES = { defaultSize: 10, maxSize: 200 };

export type ConsolidationArgs = Bounds & {
  calendar: Calendar;
  sortBy: ConsolidationSortField;
  sortOrder: 'asc' | 'desc';
};

export type ConsolidationRow = Omit<Consolidation, 'sourceEntities' | 'targetEntities'> & {
  network: Network;
  calendar: Calendar;
};

export type ConsolidationPage = Slice<ConsolidationRow> & { total: () => Promise<number> };

function complete(row: Omit<StoredRow, 'list'>, calendar: Calendar): ConsolidationRow {
  const day = dayOfEpoch(row.network, calendar, row.epoch);
  return {
    ...row,
    calendar,
    day,
    date: dateOfDay(row.network, day),
    timestamp: slotTimestamp(row.network, row.epoch * SLOTS_PER_EPOCH),
  };
}

/** Does not check whether the validator or entity exists. */
export const consolidationPageOf = (
  ctx: Context,
  scope: Scope,
  args: ConsolidationArgs,
  range: Range<ConsolidationPlace>,
): Promise<ConsolidationPage> =>
  pageOf(scope.network, args, range, {
    read: (query) => loadConsolidations(ctx, scope, query, range),
    total: (epochs) => loadConsolidationTotal(ctx, scope, epochs),
  });

/** Consolidations of the `members` validators that are in a private set now. Does not check who owns it. */
export function consolidationsOfSet(
  ctx: Context,
  set: SetKey,
  members: number,
  args: ConsolidationArgs,
  range: Range<ConsolidationPlace>,
): Promise<ConsolidationPage> {
  const charge = () => ctx.metering.read(2 * members); // each is looked up as source and as target
  return pageOf(set.network, args, range, {
    read(query) {
      charge();
      return loadSetConsolidations(ctx, set, query, range);
    },
    total(epochs) {
      charge();
      return loadSetConsolidationTotal(ctx, set, epochs);
    },
  });
}

async function pageOf(
  network: Network,
  args: ConsolidationArgs,
  range: Range<ConsolidationPlace>,
  load: {
    read: (query: ConsolidationQuery) => Promise<StoredRow[]>;
    total: (epochs: Ends) => Promise<number>;
  },
): Promise<ConsolidationPage> {
  const epochs = epochsWithin(network, args.calendar, args);
  const query: ConsolidationQuery = { epochs, sortBy: args.sortBy, sortOrder: args.sortOrder };
  const page = slice(await load.read(query), range);
  return {
    ...page,
    rows: page.rows.map((row) => complete(row, args.calendar)),
    total: () => load.total(epochs),
  };
}

export async function consolidationOf(
  ctx: Context,
  network: Network,
  sourceValidatorIndex: number,
  calendar: Calendar,
): Promise<ConsolidationRow | undefined> {
  const row = await loadConsolidation(ctx, { network, sourceValidatorIndex });
  return row && complete(row, calendar);
}

const nothing = { rows: [], hasNext: false, hasPrevious: false, total: async () => 0 };

async function indexOf(ctx: Context, network: Network, validator: ValidatorName | null) {
  if (!validator) return null;
  return 'index' in validator ? validator.index : indexOfPubkey(ctx.db, network, validator.pubkey);
}

/** Unknown validators have an empty page. Throws NOT_FOUND for unknown entities. */
export async function consolidations(
  ctx: Context,
  filter: { network: Network; validator: ValidatorName | null; entity: EntityKey | null },
  args: ConsolidationArgs,
  range: Range<ConsolidationPlace>,
): Promise<ConsolidationPage> {
  const { network } = filter;
  const entity = filter.entity && { ...filter.entity, id: normaliseId(filter.entity.id) };
  const index = await indexOf(ctx, network, filter.validator);
  const page: ConsolidationPage =
    index === undefined
      ? nothing
      : await consolidationPageOf(ctx, { network, validatorIndex: index, entity }, args, range);
  if (page.rows.length === 0 && entity && !(await isKnownEntity(ctx, { network, ...entity })))
    throw entityNotFound({ network, ...entity });
  return page;
}

export const withEntities = (ctx: Context, rows: readonly ConsolidationRow[]): Promise<Consolidation[]> =>
  Promise.all(
    rows.map(async (row) => {
      const [sourceEntities, targetEntities] = await Promise.all([
        loadEntities(ctx, { network: row.network, validatorIndex: row.sourceValidatorIndex }),
        loadEntities(ctx, { network: row.network, validatorIndex: row.targetValidatorIndex }),
      ]);
      return { ...row, sourceEntities, targetEntities };
    }),
  );

export function consolidationCursors(name: string, sortBy: ConsolidationSortField) {
  const order = orderFields(sortBy);
  const formOf = (field: string) => (digits: string | number) =>
    /^\d{1,18}$/.test(String(digits)) && (field === 'consolidatedBalance' || Number(digits) < 2 ** 31);
  return placeCursors(
    name,
    order.map(formOf),
    (row: ConsolidationRow) => order.map((field) => String(row[field])),
    (...parts): ConsolidationPlace => parts.map(String),
  );
}

export async function pendingConsolidations(
  ctx: Context,
  { network, validator }: { network: Network; validator: ValidatorName | null },
  range: DirectedRange<number>,
): Promise<Slice<QueueRow> & { total: () => Promise<number> }> {
  const validatorIndex = await indexOf(ctx, network, validator);
  if (validatorIndex === undefined) return nothing;
  const key = { network, validatorIndex };
  const page = await loadPendingConsolidations(ctx, key, range);
  return { ...page, total: () => loadPendingConsolidationTotal(ctx, key) };
}
