import { type Bounds, epochsWithin } from '../../chain/bounds.ts';
import { type Calendar, dateOfDay, EPOCHS_PER_DAY } from '../../chain/calendar.ts';
import * as churn from '../../chain/churn.ts';
import type { Network } from '../../chain/networks.ts';
import { TimeWindow, windowDays } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import type { Selection } from '../../fast-rows/index.ts';
import { type Ends, type Range, type Slice, slice } from '../../kernel/page.ts';
import type { PeriodQuery } from '../../periods/read-plan.ts';
import { type PeriodPage, periodPage } from '../../periods/resolve.ts';
import type { EntityClass } from '../consolidations/record.ts';
import { loadConsolidated, loadEntityTotal, loadLatestBalance } from './loaders.ts';
import {
  type ConsolidationSelection,
  consolidationHistoryPage,
  type EntityList,
  type EntityOrder,
  entityConsolidationPage,
  entityConsolidationTotal,
} from './queries.ts';
import type {
  CapacitySortField,
  ConsolidationCapacity,
  ConsolidationRecord,
  ConsolidationRecordField,
  EntityConsolidation,
  EntityConsolidationCapacity,
  EntitySortField,
} from './record.ts';

export const ENTITIES_SIZES = { defaultSize: 10, maxSize: 200 };

export type PlacedPage<Row> = Slice<Row & { position: number }> & { total: () => Promise<number> };

export type EntityArgs = Bounds & {
  idType: EntityClass;
  calendar: Calendar;
  sortBy: EntitySortField;
  sortOrder: 'asc' | 'desc';
};

async function entityPage(
  ctx: Context,
  list: EntityList,
  order: EntityOrder,
  range: Range<number>,
): Promise<PlacedPage<EntityConsolidation>> {
  const page = slice(await entityConsolidationPage(ctx.db, list, order, range), range);
  const rows = page.rows.map(({ startDay, endDay, ...row }) => ({
    ...row,
    idType: list.idType,
    startDate: dateOfDay(list.network, startDay),
    endDate: dateOfDay(list.network, endDay),
  }));
  return { ...page, rows, total: () => entityConsolidationTotal(ctx.db, list) };
}

export const entityConsolidations = (
  ctx: Context,
  network: Network,
  args: EntityArgs,
  range: Range<number>,
): Promise<PlacedPage<EntityConsolidation>> =>
  entityPage(
    ctx,
    { network, idType: args.idType, epochs: epochsWithin(network, args.calendar, args) },
    args,
    range,
  );

const ratioOf = (part: string, whole: string): number | null =>
  whole === '0' ? null : Number(part) / Number(whole);

async function capacityOf(
  ctx: Context,
  network: Network,
  timeWindow: TimeWindow,
): Promise<{ epochs: Ends; row: ConsolidationCapacity } | undefined> {
  const latest = await loadLatestBalance(ctx, network);
  if (!latest) return undefined;
  const length = windowDays[timeWindow];
  const epochs = churn.electraEpochs(network, latest.epoch, length && length * EPOCHS_PER_DAY);
  const gloas = churn.gloasEpoch[network] ?? latest.gloasEpoch ?? Number.POSITIVE_INFINITY;
  const total = BigInt(latest.totalActiveBalance);
  const limit = churn.consolidationLimitAt(total, latest.epoch, gloas);
  const capacity = String(churn.churnCapacity(total, epochs, gloas));
  const consolidated = await loadConsolidated(ctx, { network, epochs });
  return {
    epochs,
    row: {
      timeWindow,
      latestEpoch: latest.epoch,
      consolidationChurnLimit: String(limit),
      capacity,
      ...consolidated,
      capacityFilled: ratioOf(consolidated.consolidatedBalance, capacity),
    },
  };
}

/** Shortest window first. Empty if no active balance is stored. */
export async function consolidationCapacities(
  ctx: Context,
  network: Network,
): Promise<ConsolidationCapacity[]> {
  const found = await Promise.all(TimeWindow.options.map((name) => capacityOf(ctx, network, name)));
  return found.flatMap((window) => (window ? [window.row] : []));
}

export async function consolidationCapacity(ctx: Context, network: Network, window: TimeWindow) {
  const found = await capacityOf(ctx, network, window);
  return found && { ...found.row, network };
}

export type CapacityArgs = {
  window: TimeWindow;
  idType: EntityClass;
  sortBy: CapacitySortField;
  sortOrder: 'asc' | 'desc';
};

export async function entityCapacities(
  ctx: Context,
  network: Network,
  args: CapacityArgs,
  range: Range<number>,
): Promise<PlacedPage<EntityConsolidationCapacity>> {
  const found = await capacityOf(ctx, network, args.window);
  if (!found) return { rows: [], hasNext: false, hasPrevious: false, total: async () => 0 };
  // Both orders are the same, because all shares have the same divisor.
  const sortBy = args.sortBy === 'capacityShare' ? 'consolidatedBalance' : args.sortBy;
  const order: EntityOrder = { calendar: 'chain', sortBy, sortOrder: args.sortOrder };
  const page = await entityPage(ctx, { network, idType: args.idType, epochs: found.epochs }, order, range);
  const rows = page.rows.map((row) => ({
    ...entityCapacityOf(found.row, args.idType, row),
    position: row.position,
  }));
  return { ...page, rows };
}

type EntityTotal = Pick<EntityConsolidation, 'id' | 'consolidatedBalance' | 'consolidationCount'>;
const entityCapacityOf = (
  capacity: ConsolidationCapacity,
  idType: EntityClass,
  { id, consolidatedBalance, consolidationCount }: EntityTotal,
): EntityConsolidationCapacity => ({
  ...capacity,
  id,
  idType,
  consolidatedBalance,
  consolidationCount,
  capacityShare: ratioOf(consolidatedBalance, capacity.capacity),
});

export async function entityCapacity(
  ctx: Context,
  { network, window, idType, id }: { network: Network; window: TimeWindow; idType: EntityClass; id: string },
): Promise<EntityConsolidationCapacity | undefined> {
  const found = await capacityOf(ctx, network, window);
  const total = found && (await loadEntityTotal(ctx, id, { network, idType, epochs: found.epochs }));
  return total && entityCapacityOf(found.row, idType, total);
}

export const consolidationHistory = (
  ctx: Context,
  { network, operator }: Pick<ConsolidationSelection, 'network' | 'operator'>,
  query: PeriodQuery<ConsolidationRecordField>,
  range: Range<number>,
  selection: Selection<ConsolidationRecordField>,
): Promise<PeriodPage<ConsolidationRecord>> => {
  const selected = { network, operator, epochs: epochsWithin(network, query.calendar, query) };
  return periodPage(range, (part, bare) =>
    consolidationHistoryPage(ctx.db, selected, query, part, bare ? [] : selection),
  );
};
