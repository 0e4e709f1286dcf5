import type { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';
import { rowReader } from '../../db/batch/readers.ts';
import { rankedSlice } from '../../db/ranked/ranked-lists.ts';
import { ownerReader, summaryReaders } from '../../db/ranked/summaries.ts';
import type { Selection } from '../../fast-rows/index.ts';
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
  operatorsById,
  summaries,
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
  key.idType === 'privateSet' ? loadSetSummary(ctx, key) : read.byKey(ctx, key, selection);

const read = summaryReaders(summaries, operatorKeyText);

const readOperator = rowReader({ keyOf: operatorIdText, load: operatorsById });

export const loadOperatorNode = ownerReader<Context, OperatorId, OperatorNode, OperatorField>(
  loadName,
  loadOperator,
);

async function loadName(ctx: Context, id: OperatorId): Promise<OperatorNode | undefined> {
  if (id.idType !== 'privateSet') return readOperator(ctx, id);
  const tag = await loadSet(ctx, id.id);
  return tag?.network === id.network ? { ...id, name: tag.name, tags: [] } : undefined;
}

export const loadOrderedOperators = read.ordered;

export const loadOperatorPage: typeof read.page = (ctx, list, ranked, selection) =>
  list.idType === 'privateSet'
    ? privateSetPage(ctx as Context, list, ranked)
    : read.page(ctx, list, ranked, selection);

async function privateSetPage(ctx: Context, list: ListKey, ranked: RankedRange) {
  const { range } = ranked;
  const total = await countSets(ctx, list.network);
  const [low, high] = [(range.after ?? -1) + 1, Math.min(range.before ?? total, total)];
  const from = range.backward ? Math.max(low, high - range.limit) : low;
  const size = Math.min(range.limit, high - from);
  const rows: OperatorRow[] = size > 0 ? await loadSetSummaries(ctx, list, { from, size }) : [];
  const page = { rows: rows.map((row, index) => ({ ...row, rank: from + index })), total, revision: 0 };
  return rankedSlice(page, ranked);
}

export const isKnownEntity = (
  ctx: Pick<Context, 'db'>,
  { network, idType, id }: { network: Network; idType: IdType; id: string },
): Promise<boolean> => entityExists(ctx.db, network, id, [idType]);
