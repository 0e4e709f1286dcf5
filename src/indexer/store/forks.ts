import type { Network } from '../../chain/networks.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import type { ScheduledFork } from '../chain/spec.ts';

/** Capacities of consolidations depend on forks, and belong to this dataset. */
const DATASET = 'chain-balances';

export async function writeForks(
  pool: Pool,
  network: Network,
  forks: readonly ScheduledFork[],
): Promise<void> {
  await transaction(pool, async (client) => {
    const values = [network, forks.map(({ name }) => name), forks.map(({ epoch }) => epoch)];
    const { rowCount: dropped } = await client.query(
      `/* dropForks */
      delete from network_forks where network = $1
        and (name, epoch) not in (select * from unnest($2::text[], $3::int[]))`,
      values,
    );
    const { rowCount: added } = await client.query(
      `/* addForks */
      insert into network_forks (network, name, epoch)
      select $1, * from unnest($2::text[], $3::int[]) on conflict do nothing`,
      values,
    );
    if ((dropped ?? 0) + (added ?? 0) > 0) await raisedRevision(client, DATASET)();
  });
}
