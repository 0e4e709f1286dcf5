import type pg from 'pg';
import type { Network } from '../../chain/networks.ts';

export async function raiseChainHeads(
  client: pg.ClientBase,
  slots: readonly { network: Network; slot: number }[],
): Promise<void> {
  await client.query(
    `/* raiseChainHeads */
    insert into chain_heads as h (network, slot)
    select network, max(slot) from unnest($1::text[], $2::int[]) as s (network, slot)
    group by network
    order by network -- concurrent imports lock the rows in one order
    on conflict (network) do update set slot = excluded.slot where h.slot < excluded.slot`,
    [slots.map((row) => row.network), slots.map((row) => row.slot)],
  );
}
