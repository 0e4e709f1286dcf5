import type pg from 'pg';
import { SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import type { EpochFacts, Registry } from '../chain/types.ts';

/** A slashing that is not final; balances are in Gwei. */
export type HeadSlashing = {
  validatorIndex: number;
  pubkey: string;
  slot: number;
  withdrawableEpoch: number;
  balanceBeforeSlashing: number;
  balance: number;
};

type SlashingRow = Omit<HeadSlashing, 'slot'> & {
  epoch: number;
  headSlot: number | null;
  balanceEpoch: number;
};

async function upsert(client: pg.ClientBase, network: Network, rows: readonly SlashingRow[]) {
  if (rows.length === 0) return 0;
  const { rowCount } = await client.query(
    `/* writeSlashings */
    insert into slashings as s (network, validator_index, validator_pubkey, slashing_epoch, withdrawable_epoch,
      balance_before_slashing, balance_before_withdrawal, slashing_penalties, head_slot, balance_epoch)
    select $1, g.validator_index, g.pubkey, g.epoch, g.withdrawable, g.before, n.balance, g.before - n.balance,
      g.head_slot, n.epoch
    from unnest($2::int[], $3::text[], $4::int[], $5::int[], $6::bigint[], $7::bigint[], $8::int[], $9::int[])
      as g (validator_index, pubkey, epoch, withdrawable, before, balance, head_slot, balance_epoch)
    left join slashings o on o.network = $1 and o.validator_index = g.validator_index
      and o.slashing_epoch = g.epoch and o.balance_epoch > g.balance_epoch
    cross join lateral (
      select coalesce(o.balance_before_withdrawal, g.balance) as balance,
        coalesce(o.balance_epoch, g.balance_epoch) as epoch
    ) n
    on conflict (network, validator_index) do update
      set (validator_pubkey, slashing_epoch, withdrawable_epoch, balance_before_slashing, balance_before_withdrawal,
        slashing_penalties, head_slot, balance_epoch) = (excluded.validator_pubkey, excluded.slashing_epoch,
        excluded.withdrawable_epoch, excluded.balance_before_slashing, excluded.balance_before_withdrawal,
        excluded.slashing_penalties, excluded.head_slot, excluded.balance_epoch)
      where s is distinct from excluded and (excluded.head_slot is null or excluded.head_slot <= s.head_slot)`,
    [
      ...[network, rows.map((row) => row.validatorIndex), rows.map((row) => row.pubkey)],
      ...[rows.map((row) => row.epoch), rows.map((row) => row.withdrawableEpoch)],
      ...[rows.map((row) => row.balanceBeforeSlashing), rows.map((row) => row.balance)],
      ...[rows.map((row) => row.headSlot), rows.map((row) => row.balanceEpoch)],
    ],
  );
  return rowCount ?? 0;
}

export async function writeSlashings(
  client: pg.ClientBase,
  network: Network,
  facts: EpochFacts,
  registry: Registry,
): Promise<boolean> {
  const { epoch, balances } = facts;
  const made = await upsert(
    client,
    network,
    facts.slashings.map((one) => ({
      ...{ ...one, epoch, pubkey: registry.record(one.validatorIndex).pubkey },
      ...{ balance: balances[one.validatorIndex] ?? 0, headSlot: null, balanceEpoch: epoch + 1 },
    })),
  );
  const { rowCount: dropped } = await client.query(
    `/* dropReorgedSlashings */
    delete from slashings where network = $1 and head_slot is not null and slashing_epoch <= $2`,
    [network, epoch],
  );
  const updated = await updateBalances(client, network, facts);
  return made + (dropped ?? 0) + updated > 0;
}

/** In the withdrawable epoch, adds the first slot's withdrawal back to the balance. */
async function updateBalances(
  client: pg.ClientBase,
  network: Network,
  { epoch, balances, blocks }: EpochFacts,
) {
  const { rows } = await client.query<{ validator_index: number; ended: boolean }>(
    `/* openSlashings */
    select validator_index, withdrawable_epoch = $2 as ended from slashings
    where network = $1 and head_slot is null and slashing_epoch <= $2 and withdrawable_epoch >= $2
      and coalesce(balance_epoch <= $2, true) and (withdrawable_epoch > $2 or balance_epoch = $2)`,
    [network, epoch],
  );
  const first = blocks.find(({ slot }) => slot === epoch * SLOTS_PER_EPOCH)?.block;
  const withdrawn = (index: number) =>
    (first?.execution?.withdrawals ?? [])
      .filter(({ validatorIndex }) => validatorIndex === index)
      .reduce((sum, { amount }) => sum + amount, 0);
  const given = rows.map(({ validator_index: index, ended }) =>
    ended ? withdrawn(index) : (balances[index] ?? 0),
  );
  if (rows.length === 0) return 0;
  const { rows: changed } = await client.query<{ changed: boolean }>(
    `/* updateSlashings */
    update slashings s set balance_before_withdrawal = n.balance,
      slashing_penalties = s.balance_before_slashing - n.balance, balance_epoch = $2
    from (
      select g.validator_index, o.balance_before_withdrawal as old,
        g.balance + case when g.ended then o.balance_before_withdrawal else 0 end as balance
      from unnest($3::int[], $4::bigint[], $5::boolean[]) as g (validator_index, balance, ended)
      join slashings o on o.network = $1 and o.validator_index = g.validator_index
    ) n
    where s.network = $1 and s.validator_index = n.validator_index
    returning n.old <> n.balance as changed`,
    [network, epoch + 1, rows.map((row) => row.validator_index), given, rows.map((row) => row.ended)],
  );
  return changed.filter((row) => row.changed).length;
}

export async function writeHeadSlashings(
  client: pg.ClientBase,
  network: Network,
  fromSlot: number,
  slashings: readonly HeadSlashing[],
): Promise<boolean> {
  const { rowCount: dropped } = await client.query(
    `/* dropHeadSlashings */
    delete from slashings where network = $1 and head_slot >= $2
      and (validator_index, head_slot) not in (select * from unnest($3::int[], $4::int[]))`,
    [network, fromSlot, slashings.map((one) => one.validatorIndex), slashings.map((one) => one.slot)],
  );
  const rows = slashings.map(({ slot, ...one }) => {
    const epoch = Math.floor(slot / SLOTS_PER_EPOCH);
    return { ...one, epoch, headSlot: slot, balanceEpoch: 0 };
  });
  return (await upsert(client, network, rows)) + (dropped ?? 0) > 0;
}
