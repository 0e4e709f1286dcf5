import type { Network } from '../../chain/networks.ts';
import type { TimeWindow } from '../../chain/windows.ts';
import type { Pool } from '../../db/pool.ts';
import { isObject } from '../../kernel/json.ts';
import { normaliseId } from '../../resources/operators/record.ts';
import { type Parents, parentsByTags } from '../importers/operator-tags.ts';
import {
  rememberSharesWithoutParents,
  type ShareList,
  shareDigest,
  sharesWithoutParents,
} from './shares-without-parents.ts';

type SharesOf = (parentId: string) => AsyncIterable<unknown>;

/** Reads the rows of all windows, because a share never changes its parents. */
async function storedParents(pool: Pool, network: Network): Promise<Map<string, Parents>> {
  const { rows } = await pool.query({
    text: `/* mirrorKnownParents */
      select distinct on (operator_id) operator_id, pool_id, node_operator_id
      from operator_summaries
      where network = $1 and id_type = 'poolShare' and not superseded
        and (pool_id is not null or node_operator_id is not null)
      order by operator_id, pool_id is null, node_operator_id is null`,
    values: [network],
  });
  return new Map(
    rows.map((row) => [
      row.operator_id as string,
      { poolId: row.pool_id as string | null, nodeOperatorId: row.node_operator_id as string | null },
    ]),
  );
}

async function storedIds(pool: Pool, network: Network, window: TimeWindow, idType: string) {
  const { rows } = await pool.query({
    text: `/* mirrorParents */
      select operator_id from operator_summaries
      where network = $1 and time_window = $2 and id_type = $3 and not superseded order by operator_id`,
    values: [network, window, idType],
  });
  return rows.map((row) => row.operator_id as string);
}

export const idOf = (row: unknown): string => normaliseId(String((row as { id?: unknown }).id));

function parentsFromTags(row: Record<string, unknown>): Parents {
  const tags = Array.isArray(row.operatorTags) ? row.operatorTags : [];
  const stated = parentsByTags(tags.filter((tag) => isObject(tag) && typeof tag.name === 'string'));
  return {
    poolId: typeof row.poolId === 'string' ? row.poolId : stated.poolId,
    nodeOperatorId: typeof row.nodeOperatorId === 'string' ? row.nodeOperatorId : stated.nodeOperatorId,
  };
}

const hasBoth = ({ poolId, nodeOperatorId }: Parents) => poolId !== null && nodeOperatorId !== null;

/** Does not search again for parents of unchanged shares if an earlier search found none. */
export async function parentsOfShares(
  db: Pool,
  list: ShareList & { network: Network; window: TimeWindow; full: boolean },
  rows: AsyncIterable<unknown>,
  sharesOf: SharesOf,
): Promise<(row: unknown) => unknown> {
  const known = await storedParents(db, list.network);
  const before = list.full ? new Map<string, string>() : await sharesWithoutParents(db, list);
  const without = new Map<string, string>();
  const missing = new Map<string, { stated: Parents; parents: Parents; digest: string }>();
  for await (const row of rows) {
    if (!isObject(row)) continue; // the import refuses the row
    const stated = parentsFromTags(row);
    const id = idOf(row);
    if (hasBoth(stated) || known.has(id)) continue;
    const digest = shareDigest(row);
    if (before.get(id) === digest) without.set(id, digest);
    else missing.set(id, { stated, parents: { ...stated }, digest });
  }
  const found = new Map([...missing].map(([id, { parents }]) => [id, parents]));
  if (found.size > 0) await findParents(db, list, found, sharesOf);
  for (const [id, { stated, parents, digest }] of missing) {
    if (parents.poolId === stated.poolId && parents.nodeOperatorId === stated.nodeOperatorId)
      without.set(id, digest);
  }
  await rememberSharesWithoutParents(db, list, without);
  return (row) => {
    if (!isObject(row)) return row;
    const stated = parentsFromTags(row);
    const parents = found.get(idOf(row)) ?? known.get(idOf(row));
    if (hasBoth(stated) || !parents) return row;
    return {
      ...row,
      poolId: stated.poolId ?? parents.poolId,
      nodeOperatorId: stated.nodeOperatorId ?? parents.nodeOperatorId,
    };
  };
}

async function findParents(
  db: Pool,
  { network, window }: { network: Network; window: TimeWindow },
  shares: ReadonlyMap<string, Parents>,
  sharesOf: SharesOf,
): Promise<void> {
  const pools = await storedIds(db, network, window, 'pool');
  const operators = await storedIds(db, network, window, 'nodeOperator');
  const named = new Set(operators);
  const both = new Set(pools.filter((id) => named.has(id)));
  const search = async (
    ids: readonly string[],
    lacks: (share: Parents) => boolean,
    assign: (share: Parents, parent: string) => void,
  ) => {
    for (const parent of ids) {
      if (![...shares.values()].some(lacks)) return;
      for await (const row of sharesOf(parent)) {
        const share = shares.get(idOf(row));
        if (share) assign(share, parent);
      }
    }
  };
  const only = (ids: readonly string[]) => ids.filter((id) => !both.has(id));
  await search(
    only(pools),
    ({ poolId }) => poolId === null,
    (share, parent) => (share.poolId ??= parent),
  );
  await search(
    only(operators),
    ({ nodeOperatorId }) => nodeOperatorId === null,
    (share, parent) => (share.nodeOperatorId ??= parent),
  );
  // Ids that name both a pool and a node operator are searched last. Such an id becomes both parents only if no other
  // parent is found.
  const ambiguous = new Set<Parents>();
  await search(
    [...both],
    (share) => !hasBoth(share),
    (share, parent) => {
      if (share.poolId === null) {
        share.poolId = parent;
        ambiguous.add(share);
      } else share.nodeOperatorId ??= parent;
    },
  );
  for (const share of ambiguous) share.nodeOperatorId ??= share.poolId;
}
