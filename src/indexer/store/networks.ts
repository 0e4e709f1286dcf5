import type { Network } from '../../chain/networks.ts';
import { epochGaps } from '../../db/changes/epoch-gaps.ts';
import type { Queryable } from '../../db/pool.ts';
import type { ScheduledFork } from '../chain/spec.ts';

type EpochGap = { firstEpoch: number; lastEpoch: number };

/**
 * `forks` are those that the node of the index schedules, the first one first. `missing` has the epochs that were left
 * out between stored ones, ascending.
 */
type IndexedNetwork = { network: Network; epoch: number; forks: ScheduledFork[]; missing: EpochGap[] };

export async function indexedNetworks(db: Queryable): Promise<IndexedNetwork[]> {
  const text = `/* indexedNetworks */ select network, epoch, array(
      select json_build_object('name', f.name, 'epoch', f.epoch) from network_forks f
      where f.network = s.network order by f.epoch, f.name
    ) as forks, array(
      select json_build_object('firstEpoch', g.first, 'lastEpoch', g.last) from (${epochGaps}) g
      where g.network = s.network order by g.first
    ) as missing
    from index_state s order by network`;
  return (await db.query({ text, values: [] })).rows as IndexedNetwork[];
}

export async function missingEpochs(db: Queryable, network: Network): Promise<number> {
  const text = `/* missingEpochs */ select coalesce(sum(last - first + 1), 0)::int as epochs from (${epochGaps}) g where network = $1`;
  return (await db.query({ text, values: [network] })).rows[0]?.epochs as number;
}
