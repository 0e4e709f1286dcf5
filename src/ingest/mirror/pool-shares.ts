import type { Network } from '../../chain/networks.ts';
import type { TimeWindow } from '../../chain/windows.ts';
import type { Pool } from '../../db/pool.ts';
import { normaliseId } from '../../resources/operators/record.ts';
import { isObject } from '../importer.ts';

type Parents = { poolId: string | null; nodeOperatorId: string | null };
/** Every id of a list of pool shares of this parent. */
type SharesOf = (parentId: string) => AsyncIterable<string>;

/** Parents that are stored already: a share keeps its pool and its node operator for life. */
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

const idOf = (row: unknown): string => normaliseId(String((row as { id?: unknown }).id));

/** Whether a row tells its parents by itself: by name, or by tags that say of what class they are. */
function tellsParents(row: unknown): boolean {
  if (!isObject(row)) return true; // the import refuses it
  const tags = Array.isArray(row.operatorTags) ? row.operatorTags : [];
  const tagged = (idType: string) => tags.some((tag) => isObject(tag) && tag.idType === idType);
  return Boolean(row.poolId || tagged('pool')) && Boolean(row.nodeOperatorId || tagged('nodeOperator'));
}

/**
 * The parents of pool shares whose rows do not tell them: a share's record has neither its pool nor its node operator,
 * and the lists by `parentId` do. Asks for as few of those as will do.
 */
export async function parentsOfShares(
  db: Pool,
  { network, window }: { network: Network; window: TimeWindow },
  rows: AsyncIterable<unknown>,
  sharesOf: SharesOf,
): Promise<(row: unknown) => unknown> {
  const known = await storedParents(db, network);
  const missing = new Map<string, Parents>();
  for await (const row of rows) {
    if (!tellsParents(row) && !known.has(idOf(row))) {
      missing.set(idOf(row), { poolId: null, nodeOperatorId: null });
    }
  }
  const pools = await storedIds(db, network, window, 'pool');
  const operators = await storedIds(db, network, window, 'nodeOperator');
  const both = pools.filter((id) => operators.includes(id));
  const ask = async (ids: readonly string[], put: (share: Parents, parent: string) => void) => {
    for (const parent of ids) {
      const left = [...missing.values()].some(
        (share) => share.poolId === null || share.nodeOperatorId === null,
      );
      if (!left) return;
      for await (const id of sharesOf(parent)) {
        const share = missing.get(normaliseId(id));
        if (share) put(share, parent);
      }
    }
  };
  const only = (ids: readonly string[]) => ids.filter((id) => !both.includes(id));
  await ask(only(pools), (share, parent) => (share.poolId = parent));
  await ask(only(operators), (share, parent) => (share.nodeOperatorId = parent));
  // A name that is a pool's and a node operator's is whichever the share lacks, and both where nothing else is.
  const doubtful = new Set<Parents>();
  await ask(both, (share, parent) => {
    if (share.poolId === null) {
      share.poolId = parent;
      doubtful.add(share);
    } else share.nodeOperatorId ??= parent;
  });
  for (const share of doubtful) share.nodeOperatorId ??= share.poolId;
  return (row) => {
    const parents = isObject(row) && (missing.get(idOf(row)) ?? known.get(idOf(row)));
    return parents && !tellsParents(row) ? { ...(row as object), ...parents } : row;
  };
}
