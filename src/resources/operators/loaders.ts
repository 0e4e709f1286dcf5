import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { rowReader } from '../../db/batch/readers.ts';
import { orderedPageReader } from '../../db/ranked/ordered-lists.ts';
import { type RankedSlice, rankedPageReader, rankedSlice } from '../../db/ranked/ranked-lists.ts';
import type { FirstSummary, Selection } from '../../fast-rows/index.ts';
import type { RankedRange } from '../../kernel/page.ts';
import { loadSet } from '../private-sets/loaders.ts';
import { countSets } from '../private-sets/resolve.ts';
import { loadSetSummaries, loadSetSummary } from '../private-sets/summary-loaders.ts';
import {
  entityExists,
  type ListKey,
  type OperatorId,
  type OperatorKey,
  type OperatorNode,
  type OperatorRow,
  operatorPages,
  operatorsById,
  operatorsByKey,
  operatorsByOrder,
  type RankedOperatorRow,
} from './queries.ts';
import type { IdType, OperatorField } from './record.ts';

export type { OperatorId, OperatorKey, OperatorNode };

export const operatorIdText = ({ network, idType, id }: OperatorId) => `${network} ${idType} ${id}`;

export const operatorKeyText = ({ network, idType, timeWindow, id }: OperatorKey) =>
  `${network} ${idType} ${timeWindow} ${id}`;

export const loadOperator = (
  ctx: Context,
  key: OperatorKey,
  selection: Selection<OperatorField>,
): Promise<OperatorRow | undefined> =>
  key.idType === 'privateSet' ? loadSetSummary(ctx, key) : readSummary(ctx, key, selection);

const readSummary = rowReader({ keyOf: operatorKeyText, load: operatorsByKey });

const readOperator = rowReader({ keyOf: operatorIdText, load: operatorsById });

/** With `first`, reads that summary, and the name only if there is no such summary. */
export async function loadOperatorNode(
  ctx: Context,
  id: OperatorId,
  first?: FirstSummary<OperatorField>,
): Promise<OperatorNode | undefined> {
  if (!first) return loadName(ctx, id);
  const { window, selection } = first;
  const row = await loadOperator(ctx, { ...id, timeWindow: window }, selection);
  if (row) return row;
  const node = await loadName(ctx, id);
  return node && { ...node, withoutSummary: window };
}

async function loadName(ctx: Context, id: OperatorId): Promise<OperatorNode | undefined> {
  if (id.idType !== 'privateSet') return readOperator(ctx, id);
  const tag = await loadSet(ctx, id.id);
  return tag?.network === id.network ? { ...id, name: tag.name, tags: [] } : undefined;
}

export const loadOrderedOperators = orderedPageReader(operatorsByOrder);

const readPage = rankedPageReader(operatorPages);

export const loadOperatorPage = (
  ctx: Context,
  list: ListKey,
  ranked: RankedRange,
  selection: Selection<OperatorField>,
): Promise<RankedSlice<RankedOperatorRow>> =>
  list.idType === 'privateSet' ? privateSetPage(ctx, list, ranked) : readPage(ctx, list, ranked, selection);

async function privateSetPage(
  ctx: Context,
  list: ListKey,
  ranked: RankedRange,
): Promise<RankedSlice<RankedOperatorRow>> {
  const { range } = ranked;
  const total = await countSets(ctx, list.network);
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
