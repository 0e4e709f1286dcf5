import type pg from 'pg';
import { activeEth, type Network, networks, type Sample } from './chain.ts';
import { NETWORK_ETH_EACH } from './operators.ts';

const shares: Record<string, number> = {
  Lighthouse: 0.41,
  Prysm: 0.29,
  Teku: 0.16,
  Nimbus: 0.09,
  Grandine: 0.03,
  Lodestar: 0.02,
};

const rowsOf = (network: Network) =>
  Object.entries(shares).map(([client, share]) => ({
    network,
    client,
    validator_count: Math.round((activeEth[network] / NETWORK_ETH_EACH[network]) * 0.93 * share), // the clients of the other 7 % are unknown
  }));

export async function loadSampleClients(client: pg.ClientBase): Promise<number> {
  const { rowCount } = await client.query(
    `/* sampleClients */
    insert into network_clients (network, client, validator_count)
    select network, client, validator_count
    from json_to_recordset($1) as r (network text, client text, validator_count int)`,
    [JSON.stringify(networks.flatMap(rowsOf))],
  );
  return rowCount ?? 0;
}

export async function loadSampleQueue(client: pg.ClientBase, { head }: Sample): Promise<number> {
  const { rowCount } = await client.query(
    `/* sampleQueue */
    insert into pending_consolidations (network, position, source_index, target_index, amount, expected_epoch)
    select 'mainnet', (place - 1)::int, source, target, 32000000000, $1 + place / 5
    from (
      select validator_index as source, lead(validator_index, 25) over (order by validator_index) as target,
        row_number() over (order by validator_index) as place
      from validators where network = 'mainnet' and exit_epoch is null and not slashed
      order by validator_index limit 50
    ) v where place <= 25`,
    [head.mainnet],
  );
  return rowCount ?? 0;
}
