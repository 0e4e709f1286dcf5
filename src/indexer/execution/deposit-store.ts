import type pg from 'pg';
import type { Network } from '../../chain/networks.ts';
import { lockWriters } from '../../db/changes/locks.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import { storeOperatorsOfValidators } from '../../ingest/merge/block-operators.ts';
import { applyLabels } from '../store/labels.ts';
import type { Deposit } from './deposit-log.ts';

/** `emptyFrom` is the block after the last range with deposits. */
export type ScanPosition = { nextBlock: number; nextDeposit: number; emptyFrom: number };

/** Restarts at block 0 if the contract changed. */
export async function scanOf(pool: Pool, network: Network, contract: string): Promise<ScanPosition> {
  const { rows } = await pool.query({
    text: `/* depositScan */ select next_block::float8 as "nextBlock", next_deposit::float8 as "nextDeposit",
        empty_from::float8 as "emptyFrom"
      from deposit_scans where network = $1 and contract = $2`,
    values: [network, contract],
  });
  return (rows[0] as ScanPosition | undefined) ?? { nextBlock: 0, nextDeposit: 0, emptyFrom: 0 };
}

export async function knownDepositors(
  pool: Pool,
  network: Network,
  keys: readonly string[],
): Promise<Set<string>> {
  const { rows } = await pool.query({
    text: `/* knownDepositors */ select validator_pubkey as key from validators
      where network = $1 and validator_pubkey = any($2::text[]) and deposit_address is not null`,
    values: [network, [...new Set(keys)]],
  });
  return new Set(rows.map(({ key }) => key as string));
}

export async function writeDeposits(
  pool: Pool,
  { network, contract }: { network: Network; contract: string },
  scan: ScanPosition,
  deposits: readonly (Deposit & { depositor: string })[],
): Promise<void> {
  await transaction(pool, async (client) => {
    await lockWriters(client, ['validators'], [network]);
    await client.query(
      `/* waitingDeposits */
      insert into waiting_deposits (network, validator_pubkey, deposit_index, withdrawal_address, depositor)
      select $1, * from unnest($2::text[], $3::bigint[], $4::text[], $5::text[])
      on conflict do nothing`,
      [
        network,
        deposits.map(({ pubkey }) => pubkey),
        deposits.map(({ index }) => index),
        deposits.map(({ withdrawalAddress }) => withdrawalAddress),
        deposits.map(({ depositor }) => depositor),
      ],
    );
    await giveAddresses(
      client,
      network,
      deposits.map(({ pubkey }) => pubkey),
    );
    await client.query(
      `/* depositScanned */
      insert into deposit_scans (network, contract, next_block, next_deposit, empty_from) values ($1, $2, $3, $4, $5)
      on conflict (network) do update set contract = excluded.contract, next_block = excluded.next_block,
        next_deposit = excluded.next_deposit, empty_from = excluded.empty_from`,
      [network, contract, scan.nextBlock, scan.nextDeposit, scan.emptyFrom],
    );
  });
}

export async function indexedEpoch(pool: Pool, network: Network): Promise<number | null> {
  const { rows } = await pool.query({
    text: '/* indexedEpoch */ select epoch from index_state where network = $1',
    values: [network],
  });
  return (rows[0] as { epoch: number } | undefined)?.epoch ?? null;
}

/** Sets the addresses of validators that appeared after their deposit was read. */
export const applyWaiting = (pool: Pool, network: Network): Promise<number> =>
  transaction(pool, async (client) => {
    await lockWriters(client, ['validators'], [network]);
    return giveAddresses(client, network, null);
  });

/**
 * A validator gets the depositor of its first deposit with its withdrawal address or with BLS credentials, which an
 * address may have replaced. Signatures are not checked. Stored addresses never change.
 */
async function giveAddresses(
  client: pg.ClientBase,
  network: Network,
  keys: readonly string[] | null,
): Promise<number> {
  // Several statements, because Citus changes no rows by a join of a reference table and a local one.
  const { rows } = await client.query<{ index: number; depositor: string }>(
    `/* firstDepositors */
    select distinct on (w.validator_pubkey) v.validator_index as index, w.depositor
    from waiting_deposits w
    join validators v on v.network = w.network and v.validator_pubkey = w.validator_pubkey
    where w.network = $1 and ($2::text[] is null or w.validator_pubkey = any($2)) and v.deposit_address is null
      and (w.withdrawal_address is null or w.withdrawal_address = v.withdrawal_address)
    order by w.validator_pubkey, w.deposit_index`,
    [network, keys],
  );
  const given = rows.map(({ index }) => index);
  if (rows.length > 0)
    await client.query(
      `/* depositAddresses */
      update validators v set deposit_address = g.depositor
      from unnest($2::int[], $3::text[]) as g (validator_index, depositor)
      where v.network = $1 and v.validator_index = g.validator_index`,
      [network, given, rows.map(({ depositor }) => depositor)],
    );
  const { rows: done } = await client.query<{ key: string }>(
    `/* knownDeposits */
    select distinct w.validator_pubkey as key
    from waiting_deposits w
    join validators v on v.network = w.network and v.validator_pubkey = w.validator_pubkey
    where w.network = $1 and ($2::text[] is null or w.validator_pubkey = any($2)) and v.deposit_address is not null`,
    [network, keys],
  );
  if (done.length > 0)
    await client.query(
      `/* depositsDone */ delete from waiting_deposits where network = $1 and validator_pubkey = any($2::text[])`,
      [network, done.map(({ key }) => key)],
    );
  if (given.length > 0) await storeOperatorsOfValidators(client, network, given);
  await applyLabels(client, network, given);
  return given.length;
}
