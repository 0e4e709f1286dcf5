import type pg from 'pg';
import type { Network } from '../../chain/networks.ts';
import type { Queryable } from '../../db/pool.ts';
import type { SavedDeposits } from '../chain/saved.ts';
import type { PendingDeposit } from '../chain/types.ts';

const bytesOf = (hex: string) => Buffer.from(hex.slice(2), 'hex');

/** Adds new deposits and removes those that left the queue. If `anew` is set, replaces all deposits. */
export async function storeDeposits(
  client: pg.ClientBase,
  network: Network,
  { first, entries }: SavedDeposits,
  anew: boolean,
): Promise<void> {
  const end = first + entries.length;
  await client.query(
    '/* dropDeposits */ delete from index_deposits where network = $1 and ($4 or place < $2 or place >= $3)',
    [network, first, end, anew],
  );
  const { rows } = await client.query<{ next: number | null }>(
    '/* newestDeposit */ select max(place) + 1 as next from index_deposits where network = $1',
    [network],
  );
  const from = rows[0]?.next ?? first;
  const added = entries.slice(from - first);
  if (added.length === 0) return;
  await client.query(
    `/* storeDeposits */
    insert into index_deposits (network, place, pubkey, withdrawal_credentials, amount, slot)
    select $1, $2 + ordinality - 1, pubkey, credentials, amount, slot
    from unnest($3::bytea[], $4::bytea[], $5::bigint[], $6::int[]) with ordinality
      as g (pubkey, credentials, amount, slot, ordinality)`,
    [
      ...[network, from, added.map((one) => bytesOf(one.pubkey))],
      ...[added.map((one) => bytesOf(one.withdrawalCredentials)), added.map((one) => one.amount)],
      added.map((one) => one.slot),
    ],
  );
}

export async function storedDeposits(db: Queryable, network: Network): Promise<SavedDeposits> {
  const { rows } = await db.query({
    text: `/* storedDeposits */
      select place, '0x' || encode(pubkey, 'hex') as pubkey, amount, slot,
        '0x' || encode(withdrawal_credentials, 'hex') as "withdrawalCredentials"
      from index_deposits where network = $1 order by place`,
    values: [network],
  });
  const found = rows as (Omit<PendingDeposit, 'amount'> & { place: number; amount: string })[];
  const entries = found.map(({ place: _, amount, ...rest }) => ({ ...rest, amount: Number(amount) }));
  return { first: found[0]?.place ?? 0, entries };
}
