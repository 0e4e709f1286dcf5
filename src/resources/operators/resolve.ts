import type { Network } from '../../chain/networks.ts';
import type { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import type { Where } from '../../db/ranked/ordered-lists.ts';
import type { FirstSummary, Selection } from '../../fast-rows/index.ts';
import type { Order, PlaceInOrder, RankedRange } from '../../kernel/page.ts';
import { type Fault, notFound, quoted } from '../../kernel/refusal.ts';
import { loadValidatorByPubkey } from '../validators/loaders.ts';
import { readValidatorName } from '../validators/record.ts';
import { loadOperator, loadOperatorNode, loadOperatorPage, loadOrderedOperators } from './loaders.ts';
import {
  entityExists,
  type ListKey,
  type OperatorId,
  type OperatorKey,
  type OperatorNode,
  type OperatorOrderField,
  type OperatorRow,
} from './queries.ts';
import { type IdType, isAddress, normaliseId, type OperatorField, type PoolType } from './record.ts';

export const OPERATORS_DEFAULT_SIZE = 15;
export const OPERATORS_MAX_SIZE = 200;

export type OperatorList = {
  network: Network;
  window: TimeWindow;
  idType: IdType;
  poolType: PoolType;
  parentId: string | null;
};

export function parentFaults(
  parentId: string | null | undefined,
  parentEntity: string | null | undefined,
): Fault[] {
  if (!parentEntity || !parentId || normaliseId(parentEntity) === normaliseId(parentId)) return [];
  const msg = `parentEntity is ${JSON.stringify(parentEntity)} and parentId is ${JSON.stringify(parentId)}; give only parentId.`;
  return [{ loc: ['query', 'parentEntity'], msg, type: 'conflict' }];
}

export function listKey(list: OperatorList): ListKey {
  const idType = list.parentId === null ? list.idType : 'poolShare';
  return {
    network: list.network,
    idType,
    timeWindow: list.window,
    poolType: idType === 'pool' || idType === 'poolShare' ? list.poolType : 'all',
    parentType: list.parentId === null ? '' : 'any',
    parentId: list.parentId === null ? '' : normaliseId(list.parentId),
  };
}

/** Only pools and node operators have shares. For another `idType`, the list is empty. */
export function shareListKey(operator: OperatorKey): ListKey {
  const { network, timeWindow, idType, id } = operator;
  const parentType = idType === 'pool' || idType === 'nodeOperator' ? idType : '';
  return { network, idType: 'poolShare', timeWindow, poolType: 'all', parentType, parentId: id };
}

const parentClasses = ['pool', 'nodeOperator'] as const;

/**
 * Sorted by network penetration (spec §4.2). Throws BAD_INPUT if the revision is no longer stored, and NOT_FOUND for an
 * unknown `parentId`. A parent without shares has an empty page.
 */
export async function operatorPage(
  ctx: Context,
  key: ListKey,
  ranked: RankedRange,
  selection: Selection<OperatorField>,
  parentId: string | null = null,
) {
  const page = await loadOperatorPage(ctx, key, ranked, selection);
  if (page.total === 0) await checkParent(ctx, key, parentId);
  return page;
}

async function checkParent(ctx: Context, key: ListKey, parentId: string | null): Promise<void> {
  if (parentId === null || (await entityExists(ctx.db, key.network, key.parentId, parentClasses))) return;
  throw notFound(`Pool or node operator ${quoted(parentId)}`, `on ${key.network}`);
}

export type OrderedOperators = {
  key: ListKey;
  parentId: string | null;
  order: Order<OperatorOrderField>;
  where: Where | null;
};

export async function orderedOperators(
  ctx: Context,
  { key, parentId, order, where }: OrderedOperators,
  ordered: RankedRange<PlaceInOrder>,
  selection: Selection<OperatorField>,
) {
  const page = await loadOrderedOperators(ctx, key, order, where, ordered, selection);
  if (page.rows.length === 0) await checkParent(ctx, key, parentId);
  return page;
}

/** Lookup order of names (spec §4.3). */
const inferred = ['pool', 'nodeOperator', 'poolShare', 'entity'] as const;

export type OperatorQuery = { network: Network; id: string; idType: IdType | null };

/** Without `idType`, an address is a deposit address. */
export async function operatorSummary(
  ctx: Context,
  query: OperatorQuery & { window: TimeWindow },
  selection: Selection<OperatorField>,
): Promise<OperatorRow | undefined> {
  return byName(ctx, query, (id) => loadOperator(ctx, { ...id, timeWindow: query.window }, selection));
}

export const operatorNode = (
  ctx: Context,
  query: OperatorQuery,
  first?: FirstSummary<OperatorField>,
): Promise<OperatorNode | undefined> => byName(ctx, query, (id) => loadOperatorNode(ctx, id, first));

async function byName<Row>(
  ctx: Context,
  query: OperatorQuery,
  load: (id: OperatorId) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  const { network } = query;
  const id = normaliseId(query.id);
  const ofClass = (idType: IdType) => load({ network, idType, id });
  const idType = query.idType ?? (isAddress(id) ? 'depositAddress' : undefined);
  if (idType === 'validator') return (await ofClass(idType)) ?? validatorByPubkey(ctx, network, id, load);
  if (idType) return ofClass(idType);
  const found = await Promise.all(inferred.map(ofClass));
  return found.find((row) => row !== undefined);
}

/** Summaries of validators are stored by index. */
async function validatorByPubkey<Row>(
  ctx: Context,
  network: Network,
  id: string,
  load: (id: OperatorId) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  const name = readValidatorName(id);
  if (!name || 'index' in name) return undefined;
  const found = await loadValidatorByPubkey(ctx, { network, validatorPubkey: name.pubkey });
  if (!found) return undefined;
  return load({ network, idType: 'validator', id: String(found.validatorIndex) });
}
