import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { rowReader } from '../../db/batch/readers.ts';
import { type RankedSlice, rankedPageReader, rankedSlice } from '../../db/ranked/ranked-lists.ts';
import type { Selection } from '../../fast-rows/index.ts';
import type { RankedRange } from '../../kernel/page.ts';
import { loadSetSummaries, loadSetSummary } from '../private-sets/loaders.ts';
import { countTags } from '../tags/resolve.ts';
import {
  entityExists,
  type ListKey,
  type OperatorKey,
  type OperatorRow,
  operatorPages,
  operatorsByKey,
  type RankedOperatorRow,
} from './queries.ts';
import type { IdType, OperatorField } from './record.ts';

export type { OperatorKey };

export const operatorKeyText = ({ network, idType, timeWindow, id }: OperatorKey) =>
  `${network} ${idType} ${timeWindow} ${id}`;

/** Finds a private set only for its owner. */
export const loadOperator = (
  ctx: Context,
  key: OperatorKey,
  selection: Selection<OperatorField>,
): Promise<OperatorRow | undefined> =>
  key.idType === 'privateSet' ? loadSetSummary(ctx, key) : readSummary(ctx, key, selection);

const readSummary = rowReader({ keyOf: operatorKeyText, load: operatorsByKey, rows: () => 1 });

const readPage = rankedPageReader(operatorPages);

/** Of private sets, lists only the caller's. */
export const loadOperatorPage = (
  ctx: Context,
  list: ListKey,
  ranked: RankedRange,
  selection: Selection<OperatorField>,
): Promise<RankedSlice<RankedOperatorRow>> =>
  list.idType === 'privateSet' ? privateSetPage(ctx, list, ranked) : readPage(ctx, list, ranked, selection);

/** Most validators first. */
async function privateSetPage(
  ctx: Context,
  list: ListKey,
  ranked: RankedRange,
): Promise<RankedSlice<RankedOperatorRow>> {
  const { range } = ranked;
  const total = await countTags(ctx, list.network);
  const [low, high] = [(range.after ?? -1) + 1, Math.min(range.before ?? total, total)];
  const from = range.backward ? Math.max(low, high - range.limit) : low;
  const size = Math.min(range.limit, high - from);
  const rows = size > 0 ? await loadSetSummaries(ctx, list, { from, size }) : [];
  const page = { rows: rows.map((row, index) => ({ ...row, rank: from + index })), total, revision: 0 };
  return rankedSlice(page, ranked);
}

export const isKnownEntity = (
  ctx: Pick<Context, 'db'>,
  { network, idType, id }: { network: Network; idType: IdType; id: string },
): Promise<boolean> => entityExists(ctx.db, network, id, [idType]);
