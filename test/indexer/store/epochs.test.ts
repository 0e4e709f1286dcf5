import { afterEach, describe, expect, it } from 'vitest';
import { epochsOfDay, epochsOfHour } from '../../../src/chain/calendar.ts';
import { lockWriters } from '../../../src/db/changes/locks.ts';
import { transaction } from '../../../src/db/pool.ts';
import { addLatePenalties } from '../../../src/indexer/store/day-rows.ts';
import { openStore } from '../../../src/indexer/store/index.ts';
import { encodeRecord, epochRecord } from '../../../src/indexer/store/record.ts';
import { sumDueMonth } from '../../../src/ingest/importers/validator-months.ts';
import { eventually } from '../../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../../support/gateway.ts';
import { type Made, madeFacts, madeRegistry, savedAs } from './made-facts.ts';
import { allRows, daysOf, NETWORK, query, waitingLocks, writeEpochs } from './rows.ts';

const opened: TestDatabase[] = [];
afterEach(async () => {
  for (const database of opened.splice(0)) await database.drop();
});
async function emptyPool() {
  const database = await createDatabase('empty');
  opened.push(database);
  return database.pool;
}

const utcDay = epochsOfDay(NETWORK, 'utc', 11);
/** Two UTC days meet in it, and hours of both calendars. */
const [FROM, TO] = [utcDay.first - 4, utcDay.first + 8];
const made: Made = {
  size: 40,
  exits: { 7: utcDay.first - 1, 8: utcDay.first + 3 },
  activations: { 9: utcDay.first + 2 },
  slashed: { 7: { epoch: FROM, withdrawable: TO + 100 } },
};
type Hour = { utc: boolean; hour: number; first: number; last: number; votes: number };
const epochs = Array.from({ length: TO - FROM + 1 }, (_, at) => FROM + at);

describe('an index', () => {
  it('stores days of validators in both calendars as its epochs add up', async () => {
    const pool = await emptyPool();
    await writeEpochs(pool, made, { from: FROM, to: TO });
    const facts = epochs.map((epoch) => madeFacts(made, epoch, FROM));
    for (const calendar of ['chain', 'utc'] as const) {
      const expected = daysOf(facts, calendar);
      const { rows } = await query(
        pool,
        `select d.*, d.date::text as date from validator_days d where utc = $1 order by d.date, validator_index`,
        [calendar === 'utc'],
      );
      expect(rows.map((row) => `${row.date} ${row.validator_index}`).sort()).toEqual(
        [...expected.keys()].sort(),
      );
      for (const row of rows) {
        const { duties, ...figures } = expected.get(`${row.date} ${row.validator_index}`) ?? {};
        void duties;
        const isSlashed = row.validator_index === 7;
        for (const [name, value] of Object.entries(figures))
          if (!isSlashed || name !== 'sum_attestation_rewards')
            expect([row.date, row.validator_index, name, Number(row[name])]).toEqual([
              ...[row.date, row.validator_index, name, value],
            ]);
        if (figures.sum_sync_signature_count === undefined) expect(row.sum_sync_signature_count).toBeNull();
      }
    }
  });

  it('adds penalties after an exit to the day of the last duty, also when that day is over', async () => {
    const pool = await emptyPool();
    await writeEpochs(pool, made, { from: FROM, to: TO });
    const facts = epochs.map((epoch) => madeFacts(made, epoch, FROM));
    const own = facts.reduce((sum, one) => sum + (one.rewards[7] as number), 0);
    const after = facts.reduce((sum, one) => sum + (one.penaltiesWithoutDuty.get(7) ?? 0), 0);
    expect(after).toBe(-1_007 * (TO - utcDay.first + 2));
    const { rows } = await query(
      pool,
      `select utc, sum_attestation_rewards::text as rewards from validator_days
      where validator_index = 7 and total_unique_attestations > 0 order by utc`,
    );
    expect(rows).toEqual([
      { utc: false, rewards: String(own + after) },
      { utc: true, rewards: String(own + after) },
    ]);
  });

  it('adds penalties after an exit to the sums of a month, which are then those of its days', async () => {
    const pool = await emptyPool();
    await writeEpochs(pool, made, { from: FROM, to: TO });
    await query(
      pool,
      'insert into validator_day_dates (network, utc, day, date) select network, utc, day + 40, date + 40 from validator_day_dates where not utc',
    );
    const sums = async () => (await query(pool, 'select * from validator_month_sums order by 1, 2, 3')).rows;
    await transaction(pool, (client) => sumDueMonth(client, NETWORK));
    const before = await sums();
    const penalty = { validator: 7, amount: -5_000, exitEpoch: made.exits?.[7] as number };
    for (const epoch of [0, 1])
      await transaction(pool, (client) =>
        addLatePenalties(client, NETWORK, utcDay.last + 1_000 + epoch, [penalty]),
      );
    const added = await sums();
    expect(added).not.toEqual(before);
    await query(pool, 'update validator_months set due = true');
    await transaction(pool, (client) => sumDueMonth(client, NETWORK));
    expect(await sums()).toEqual(added);
  });

  it('has a refresh compute a past day again once a day, not with each penalty of an exited validator', async () => {
    const pool = await emptyPool();
    const leaving: Made = {
      ...{ size: 4, exits: { 1: utcDay.first - 1 } },
      slashed: { 1: { epoch: FROM, withdrawable: utcDay.last + 100 } },
    };
    const due = async () =>
      (await query(pool, 'select day from validator_day_dates where utc and attestations_due order by day'))
        .rows;
    await writeEpochs(pool, leaving, { from: FROM, to: utcDay.first - 1, partial: false });
    expect(await due()).toEqual([{ day: 10 }]);
    await query(pool, 'update validator_day_dates set attestations_due = false');
    const store = await writeEpochs(pool, leaving, { from: utcDay.first, to: utcDay.first, partial: false });
    expect(await due()).toEqual([]);
    for (let epoch = utcDay.first + 1; epoch < utcDay.last; epoch += 1)
      await query(pool, 'insert into index_epochs values ($1, $2, $3)', [
        ...[NETWORK, epoch, await encodeRecord(epochRecord(madeFacts(leaving, epoch, FROM), []))],
      ]);
    await query(pool, 'update index_state set epoch = $1', [utcDay.last - 1]);
    await store.resume();
    await store.write(madeFacts(leaving, utcDay.last, FROM), savedAs('x'), madeRegistry(leaving));
    expect(await due()).toEqual([{ day: 10 }, { day: 11 }]);
  });

  it('stores hours of addresses: whole ones when they end, and open ones when it is asked to', async () => {
    const pool = await emptyPool();
    await writeEpochs(pool, made, { from: FROM, to: TO });
    const { rows } = await query(
      pool,
      `select utc, hour, min(start_epoch) as first, max(end_epoch) as last, sum(total_unique_attestations)::int as votes
      from attestation_hours group by utc, hour order by utc, hour`,
    );
    expect(rows.length).toBeGreaterThan(3);
    for (const { utc, hour, first, last, votes } of rows as Hour[]) {
      const span = epochsOfHour(NETWORK, utc ? 'utc' : 'chain', hour);
      expect([first, last]).toEqual([Math.max(span.first, FROM), Math.min(span.last, TO)]);
      const own = epochs.filter((epoch) => epoch >= first && epoch <= last);
      const named = (v: number) => v % 7 !== 6;
      const all = own.map((epoch) =>
        [...madeFacts(made, epoch, FROM).votes].filter((vote, v) => named(v) && vote & 8),
      );
      expect(votes).toBe(all.flat().length);
    }
  });

  it('leaves the same rows when its process is started again after each epoch', async () => {
    const [one, other] = [await emptyPool(), await emptyPool()];
    await writeEpochs(one, made, { from: FROM, to: TO });
    await writeEpochs(other, made, { from: FROM, to: TO, restarts: true });
    expect(await allRows(other)).toEqual(await allRows(one));
  });

  it('changes nothing and raises no revision when it writes the newest epoch again', async () => {
    const pool = await emptyPool();
    const store = await writeEpochs(pool, made, { from: FROM, to: TO });
    const revisions = async () => [
      ...(await query(pool, 'select name, revision from datasets order by name')).rows,
      ...(await query(pool, 'select utc, day, version from validator_day_dates order by utc, day')).rows,
    ];
    const [before, raised] = [await allRows(pool), await revisions()];
    await store.write(madeFacts(made, TO, FROM), savedAs('again'), madeRegistry(made), { partial: true });
    expect(await allRows(pool)).toEqual(before);
    expect(await revisions()).toEqual(raised);
    expect(await store.resume()).toEqual({ first: FROM, epoch: TO, saved: savedAs('again') });
  });

  it('leaves nothing of an epoch that fails in the middle, and goes on afterwards', async () => {
    const [one, other] = [await emptyPool(), await emptyPool()];
    await writeEpochs(one, made, { from: FROM, to: TO });
    const until = utcDay.first - 2;
    const store = await writeEpochs(other, made, { from: FROM, to: until, partial: false });
    const before = await allRows(other);
    await query(
      other,
      `create function fail() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`,
    );
    await query(other, 'create trigger fail before insert or update on index_state execute function fail()');
    const write = () => store.write(madeFacts(made, until + 1, FROM), savedAs('x'), madeRegistry(made));
    await expect(write()).rejects.toThrow('no');
    expect(await allRows(other)).toEqual(before);
    await query(other, 'drop trigger fail on index_state');
    await write();
    await writeEpochs(other, made, { from: until + 2, to: TO });
    expect((await allRows(other)).validator_days).toEqual((await allRows(one)).validator_days);
  });

  it('refuses to write beside another process, and epochs that leave a gap', async () => {
    const pool = await emptyPool();
    const first = await writeEpochs(pool, made, { from: FROM, to: FROM + 1 });
    const second = openStore(pool, NETWORK);
    await second.resume();
    const write = (store: typeof first, epoch: number) =>
      store.write(madeFacts(made, epoch, FROM), savedAs('x'), madeRegistry(made));
    await expect(write(second, FROM + 3)).rejects.toThrow(
      `Epoch ${FROM + 3} of hoodi does not follow epoch ${FROM + 1}.`,
    );
    await write(first, FROM + 2);
    await expect(write(second, FROM + 2)).rejects.toThrow('Another process indexes hoodi');
  });

  it('keeps one range of epochs that several runs wrote without a gap', async () => {
    const pool = await emptyPool();
    const quick: Made = { size: 4 };
    for (const epoch of [FROM + 4, FROM, FROM + 1, FROM + 2, FROM + 3, FROM + 3, FROM + 5]) {
      const store = openStore(pool, NETWORK);
      await store.write(madeFacts(quick, epoch, epoch), savedAs('x'), madeRegistry(quick));
      if (epoch === FROM + 2)
        expect((await allRows(pool)).index_ranges).toEqual([
          { network: NETWORK, first_epoch: FROM, last_epoch: FROM + 2 },
          { network: NETWORK, first_epoch: FROM + 4, last_epoch: FROM + 4 },
        ]);
    }
    expect((await allRows(pool)).index_ranges).toEqual([
      { network: NETWORK, first_epoch: FROM, last_epoch: FROM + 5 },
    ]);
  });

  it('knows exits from the chain, whatever the table of validators says', async () => {
    const pool = await emptyPool();
    const leaving: Made = { size: 6, exits: { 2: utcDay.first + 3 } };
    await writeEpochs(pool, leaving, { from: utcDay.first, to: utcDay.first, partial: false });
    await query(pool, 'update validators set exit_epoch = null');
    const last = utcDay.first + 5;
    await writeEpochs(pool, leaving, { from: utcDay.first + 1, to: last, restarts: true });
    const { rows } = await query(
      pool,
      'select end_epoch, end_epoch_balance from validator_days where utc and validator_index = 2',
    );
    const { balances } = madeFacts(leaving, utcDay.first + 2);
    expect(rows).toEqual([{ end_epoch: utcDay.first + 2, end_epoch_balance: String(balances[2]) }]);
  });

  it('makes partitions before its transaction, which may take a minute', async () => {
    const pool = await emptyPool();
    const quick: Made = { size: 4 };
    const parts = async () =>
      (await query(pool, `select 1 from pg_inherits where inhparent = 'validator_days'::regclass`)).rows;
    const before = (await parts()).length;
    const store = openStore(pool, NETWORK);
    const written = await transaction(pool, async (client) => {
      await lockWriters(client, [], [NETWORK]);
      const write = store.write(madeFacts(quick, FROM), savedAs('x'), madeRegistry(quick), {
        partial: true,
      });
      await eventually(async () => expect(await waitingLocks(pool)).toBe(1), 20_000);
      expect((await parts()).length).toBeGreaterThan(before);
      return { write };
    });
    await written.write;
    expect(await store.resume()).toMatchObject({ epoch: FROM });
  });

  it('never replaces a day by fewer epochs', async () => {
    const pool = await emptyPool();
    const chainDay = epochsOfDay(NETWORK, 'chain', 10);
    const quick: Made = { size: 8 };
    await writeEpochs(pool, quick, { from: chainDay.last - 3, to: chainDay.last + 2 });
    const days = (await allRows(pool)).validator_days;
    const store = openStore(pool, NETWORK);
    store.begin();
    await store.write(madeFacts(quick, chainDay.last, chainDay.last), savedAs('x'), madeRegistry(quick));
    expect((await allRows(pool)).validator_days).toEqual(days);
  });

  it('stores blocks, missed slots and seats, and what the chain tells of validators', async () => {
    const pool = await emptyPool();
    await writeEpochs(pool, made, { from: FROM, to: FROM });
    const facts = madeFacts(made, FROM);
    const { rows: blocks } = await query(pool, 'select * from blocks order by slot');
    expect(blocks).toHaveLength(32);
    const missed = facts.blocks.find(({ block }) => !block);
    expect(blocks.find((row) => row.slot === missed?.slot)).toMatchObject({
      ...{
        validator_index: missed?.proposerIndex,
        consensus_proposer_duty: 'missed',
        consensus_block_root: null,
      },
      ...{ consensus_rewards: '0', missed_consensus_rewards: null, execution_rewards: null, finalized: true },
    });
    const proposed = facts.blocks.find(({ block }) => block);
    expect(blocks.find((row) => row.slot === proposed?.slot)).toMatchObject({
      ...{ consensus_proposer_duty: 'proposed', total_burnt_fees: String(12_000_000n * 7_000_000_001n) },
      ...{
        total_transactions: 6,
        total_type2_transactions: 5,
        consensus_rewards: String(proposed?.consensusRewards),
      },
    });
    const { rows: seats } = await query(
      pool,
      'select count(*)::int as n, sum(reward)::int as sum from sync_committee_rewards',
    );
    const rewards = facts.seats.flatMap((one) => [...one.rewards]);
    expect(seats).toEqual([{ n: rewards.length, sum: rewards.reduce((sum, one) => sum + one, 0) }]);
    const { rows: validators } = await query(
      pool,
      'select withdrawal_address, deposit_address, activation_epoch, exit_epoch, slashed from validators where validator_index in (6, 8) order by validator_index',
    );
    expect(validators).toEqual([
      {
        withdrawal_address: null,
        deposit_address: null,
        activation_epoch: 0,
        exit_epoch: null,
        slashed: false,
      },
      {
        ...{ withdrawal_address: `0x${'4'.padStart(40, '0')}`, deposit_address: null, activation_epoch: 0 },
        ...{ exit_epoch: utcDay.first + 3, slashed: false },
      },
    ]);
  });
});
