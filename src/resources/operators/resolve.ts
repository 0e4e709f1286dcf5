import type { Network } from '../../chain/networks.ts';
import type { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import type { Selection } from '../../fast-rows/index.ts';
import { type Range, rankedSlice, type Slice, type Walk } from '../../kernel/page.ts';
import { type Fault, notFound, quoted } from '../../kernel/refusal.ts';
import { loadValidatorByPubkey } from '../validators/loaders.ts';
import { readValidatorName } from '../validators/record.ts';
import { loadOperator, loadOperatorPage } from './loaders.ts';
import {
  entityExists,
  type ListKey,
  type OperatorKey,
  type OperatorRow,
  type RankedOperatorRow,
} from './queries.ts';
import { type IdType, isAddress, normaliseId, type OperatorField, type PoolType } from './record.ts';

export const OPERATORS_DEFAULT_SIZE = 15;
export const OPERATORS_MAX_SIZE = 200;

/** A list of operators as a caller asks for it. */
export type OperatorList = {
  network: Network;
  window: TimeWindow;
  idType: IdType;
  poolType: PoolType;
  parentId: string | null;
};

/** What is wrong with a parent under both of its names; `place` is where the caller wrote them. */
export function parentFaults(
  parentId: string | null | undefined,
  parentEntity: string | null | undefined,
  place: 'query' | 'argument',
): Fault[] {
  if (!parentEntity || !parentId || normaliseId(parentEntity) === normaliseId(parentId)) return [];
  const msg = `parentEntity is ${JSON.stringify(parentEntity)} and parentId is ${JSON.stringify(parentId)}; give parentId alone.`;
  return [{ loc: [place, 'parentEntity'], msg, type: 'conflict' }];
}

/** The stored list that answers it: a parent turns it into its pool shares; only pools and shares have pool types. */
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

/** The stored list of the shares of one operator; no list is named so for classes other than pool and node operator. */
export function shareListKey(operator: OperatorKey, poolType: PoolType): ListKey {
  const { network, timeWindow, idType, id } = operator;
  const parentType = idType === 'pool' || idType === 'nodeOperator' ? idType : '';
  return { network, idType: 'poolShare', timeWindow, poolType, parentType, parentId: id };
}

export type OperatorPage = Slice<RankedOperatorRow> & { total: number; revision: number };

const parentClasses = ['pool', 'nodeOperator'] as const;

/**
 * A page of operators by network penetration (spec §4.2), ranks 0-based. Throws NOT_FOUND when a parent is named
 * that does not exist; a parent without shares gives an empty page.
 */
export async function operatorPage(
  ctx: Context,
  list: OperatorList,
  range: Range<number>,
  selection: Selection<OperatorField>,
  walk?: Walk,
): Promise<OperatorPage> {
  const key = listKey(list);
  const page = await operatorPageOf(ctx, key, range, selection, walk);
  if (page.total === 0 && list.parentId !== null) {
    if (!(await entityExists(ctx.db, key.network, key.parentId, parentClasses)))
      throw notFound(`Pool or node operator ${quoted(list.parentId)}`, `on ${key.network}`);
  }
  return page;
}

/**
 * A page of a stored list, with the list's size and revision; `walk` reads from the list that a walk began with. Throws
 * BAD_INPUT when that list is not kept any more.
 */
export async function operatorPageOf(
  ctx: Context,
  key: ListKey,
  range: Range<number>,
  selection: Selection<OperatorField>,
  walk?: Walk,
): Promise<OperatorPage> {
  const page = await loadOperatorPage(ctx, { ...key, revision: walk?.revision }, range, selection);
  return rankedSlice(page, range, walk);
}

/** Classes tried in this order when none is named (spec §4.3 and the decisions on summaries). */
const inferred = ['pool', 'nodeOperator', 'poolShare', 'entity'] as const;

/** One operator's summary; without `idType` an address is a deposit address and a name is looked up class by class. */
export async function operatorSummary(
  ctx: Context,
  asked: { network: Network; window: TimeWindow; id: string; idType: IdType | null },
  selection: Selection<OperatorField>,
): Promise<OperatorRow | undefined> {
  const id = normaliseId(asked.id);
  const ofClass = (idType: IdType) =>
    loadOperator(ctx, { network: asked.network, timeWindow: asked.window, idType, id }, selection);
  const idType = asked.idType ?? (isAddress(id) ? 'depositAddress' : undefined);
  if (idType === 'validator') return (await ofClass(idType)) ?? validatorByPubkey(ctx, asked, id, selection);
  if (idType) return ofClass(idType);
  const found = await Promise.all(inferred.map(ofClass));
  return found.find((row) => row !== undefined);
}

/** The summary of a validator is kept under its index; a caller may have its public key. */
async function validatorByPubkey(
  ctx: Context,
  { network, window }: { network: Network; window: TimeWindow },
  id: string,
  selection: Selection<OperatorField>,
): Promise<OperatorRow | undefined> {
  const name = readValidatorName(id);
  if (!name || 'index' in name) return undefined;
  const found = await loadValidatorByPubkey(ctx, { network, validatorPubkey: name.pubkey });
  if (!found) return undefined;
  const key = { network, timeWindow: window, idType: 'validator' as const, id: String(found.validatorIndex) };
  return loadOperator(ctx, key, selection);
}
