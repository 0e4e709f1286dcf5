import type pg from 'pg';
import { SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { BuilderFacts, EpochFacts } from '../chain/types.ts';

const kinds = ['bids', 'full', 'withheld', 'paid'] as const;
const counts = ['bid_count', 'full_count', 'withheld_count', 'paid_count'];
const sums = ['sum_bid_value', 'sum_full_value', 'sum_withheld_value', 'sum_paid_value'];

type Column = readonly [name: string, type: string, value: (builder: BuilderFacts) => unknown];
const record: readonly Column[] = [
  ['index', 'int', (one) => one.index],
  ['execution_address', 'text', (one) => one.executionAddress],
  ['balance', 'bigint', (one) => one.balance],
  ['deposit_epoch', 'int', (one) => one.depositEpoch],
  [
    'withdrawable_epoch',
    'int',
    ({ withdrawableEpoch }) => (Number.isFinite(withdrawableEpoch) ? withdrawableEpoch : null),
  ],
];
const columns: readonly Column[] = [
  ['pubkey', 'text', (one) => one.pubkey],
  ...record,
  ...kinds.map((kind, at): Column => [counts[at] as string, 'int', (one) => one[kind].count]),
  ...kinds.map((kind, at): Column => [sums[at] as string, 'bigint', (one) => one[kind].value.toString()]),
];
const names = columns.map(([name]) => name);
const added = [...counts, ...sums];
const next = [
  ...record.map(([name]) => `excluded.${name}`),
  ...added.map((name) => `b.${name} + excluded.${name}`),
];
const current = [...record.map(([name]) => name), ...added];

/**
 * Adds the bids of the epoch to those of earlier epochs. Call it before the blocks of the epoch are written: bids in
 * blocks that the index has stored are counted already.
 */
export async function writeBuilders(
  client: pg.ClientBase,
  network: Network,
  { epoch, builders }: EpochFacts,
): Promise<boolean> {
  if (builders === null) return false;
  const { rowCount: written } = await client.query(
    `/* writeBuilders */
    with counted as (
      select bid_builder_pubkey as pubkey, count(*)::int as bid_count,
        (count(*) filter (where payload_status = 'full'))::int as full_count,
        (count(*) filter (where payload_status = 'empty'))::int as withheld_count,
        (count(*) filter (where bid_payment in ('settled', 'quorum')))::int as paid_count,
        sum(bid_value)::bigint as sum_bid_value,
        coalesce(sum(bid_value) filter (where payload_status = 'full'), 0)::bigint as sum_full_value,
        coalesce(sum(bid_value) filter (where payload_status = 'empty'), 0)::bigint as sum_withheld_value,
        coalesce(sum(bid_value) filter (where bid_payment in ('settled', 'quorum')), 0)::bigint as sum_paid_value
      from blocks
      where network = $1 and slot >= $2::int * $3::int and slot < ($2::int + 1) * $3::int
        and finalized and bid_builder_pubkey is not null
        and exists (select from index_ranges r where r.network = $1 and $2 between r.first_epoch and r.last_epoch)
      group by bid_builder_pubkey
    )
    insert into builders as b (network, ${names.join(', ')})
    select $1, g.pubkey, ${record.map(([name]) => `g.${name}`).join(', ')},
      ${added.map((name) => `g.${name} - coalesce(c.${name}, 0)`).join(', ')}
    from unnest(${columns.map(([, type], at) => `$${at + 4}::${type}[]`).join(', ')}) as g (${names.join(', ')})
    left join counted c using (pubkey)
    order by g.pubkey
    on conflict (network, pubkey) do update set (${current.join(', ')}) = (${next.join(', ')})
    where (${current.map((name) => `b.${name}`).join(', ')}) is distinct from (${next.join(', ')})`,
    [network, epoch, SLOTS_PER_EPOCH, ...columns.map(([, , value]) => builders.map(value))],
  );
  // Another builder has the index of each of these.
  const { rowCount: left } = await client.query(
    `/* leftBuilders */
    update builders set balance = 0 where network = $1 and balance <> 0 and pubkey <> all($2::text[])`,
    [network, builders.map(({ pubkey }) => pubkey)],
  );
  return (written ?? 0) + (left ?? 0) > 0;
}
