import { expect, it, onTestFinished } from 'vitest';
import { epochsOfHour } from '../../../src/chain/calendar.ts';
import { openStore } from '../../../src/indexer/store/index.ts';
import { createDatabase } from '../../support/gateway.ts';
import { madeFacts, madeRegistry, savedAs } from './made-facts.ts';
import { NETWORK, query } from './rows.ts';

async function emptyPool() {
  const database = await createDatabase('empty');
  onTestFinished(() => database.drop());
  return database.pool;
}

it('an hour leaves the settings of the transaction as they were', async () => {
  const pool = await emptyPool();
  const settings = `current_setting('enable_nestloop') as nested, current_setting('work_mem') as memory`;
  await query(pool, `create table seen as select ${settings} limit 0`);
  await query(
    pool,
    `create function see() returns trigger language plpgsql as $$ begin insert into seen select ${settings}; return new; end $$`,
  );
  await query(
    pool,
    'create trigger see before insert or update on index_state for each row execute function see()',
  );
  const made = { size: 20 };
  const { last } = epochsOfHour(NETWORK, 'chain', 250);
  const store = openStore(pool, NETWORK);
  await store.write(madeFacts(made, last), savedAs('x'), madeRegistry(made), { partial: true });
  const hours = await query(pool, 'select distinct utc, hour from attestation_hours');
  expect(hours.rows).toHaveLength(2);
  const { rows: own } = await query(pool, `select ${settings}`);
  expect((await query(pool, 'select * from seen')).rows).toEqual(own);
});

it('a seat counts in an epoch without any block, also of a validator that has exited', async () => {
  const pool = await emptyPool();
  const epoch = 2_300;
  const made = { size: 20, exits: { 7: epoch - 1 } };
  const facts = madeFacts(made, epoch);
  const missed = facts.blocks.map((one) => ({ ...one, block: null, consensusRewards: 0 }));
  const store = openStore(pool, NETWORK);
  await store.write(
    { ...facts, blocks: missed, seats: [], syncCommittee: Uint32Array.of(7, 7, 8) },
    ...([savedAs('x'), madeRegistry(made), { partial: true }] as const),
  );
  const { rows } = await query(
    pool,
    `select validator_index as index, start_epoch, end_epoch, sum_sync_signature_count as signed,
      sum_missed_sync_signatures as missed, end_epoch_balance::float8 as balance
    from validator_days where not utc and validator_index in (7, 8, 9) order by 1`,
  );
  const span = { start_epoch: epoch, end_epoch: epoch };
  const row = (index: number, seats: number | null) => ({
    ...{ index, ...span, signed: seats, missed: seats, balance: facts.balances[index] },
  });
  expect(rows).toEqual([row(7, 0), row(8, 0), row(9, null)]);
});

it('deposits that wait are stored once, and are there again in their order', async () => {
  const pool = await emptyPool();
  const made = { size: 20 };
  const store = openStore(pool, NETWORK);
  const hex = (value: number, bytes: number) => `0x${value.toString(16).padStart(2 * bytes, '0')}`;
  const deposit = (n: number) => ({
    ...{ pubkey: hex(n, 48), withdrawalCredentials: hex(n, 32), amount: 2 ** 40 + n, slot: n },
  });
  const saved = (first: number, ...entries: number[]) => ({
    ...savedAs('x'),
    deposits: { first, entries: entries.map(deposit) },
  });
  const write = (epoch: number, of: ReturnType<typeof saved>) =>
    store.write(madeFacts(made, epoch, 2_300), of, madeRegistry(made));
  const written = async () =>
    (await query(pool, 'select place, xmin::text as by from index_deposits order by place')).rows;
  await write(2_300, saved(0, 5, 6, 7));
  const before = await written();
  await write(2_301, saved(2, 7, 5, 9));
  expect((await store.resume())?.saved).toEqual(saved(2, 7, 5, 9));
  const after = await written();
  expect(after.map(({ place }) => place)).toEqual([2, 3, 4]);
  expect(after[0]).toEqual(before[2]);
  await write(2_302, saved(5));
  expect((await store.resume())?.saved.deposits.entries).toEqual([]);
  await write(2_303, saved(5, 1));
  store.begin();
  await write(2_304, saved(0, 8, 9, 1, 2, 3, 4));
  expect((await store.resume())?.saved).toEqual(saved(0, 8, 9, 1, 2, 3, 4));
});
