import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { dayOfDate, SLOTS_PER_DAY } from '../../../src/chain/calendar.ts';
import { transaction } from '../../../src/db/pool.ts';
import { addChainDayFees } from '../../../src/indexer/store/chain-fees.ts';
import { openStore } from '../../../src/indexer/store/index.ts';
import { firstSlotOn } from '../../../src/ingest/merge/dropped-time.ts';
import { refreshed } from '../../refresh/facts.ts';
import { slow } from '../../support/thorough.ts';
import { short, useRetained, validatorDay } from './retained.ts';

const { gateway, run, load, retained, keptFrom } = useRetained();

describe('slots', () => {
  const kept = firstSlotOn('mainnet', '2025-04-10');
  const block = (consensusSlot: number) => ({
    ...{ consensusSlot, validatorIndex: 7, consensusProposerDuty: 'missed' },
  });
  const seat = (consensusSlot: number, validatorIndex: number) => ({
    ...{ consensusSlot, validatorIndex, syncCommitteeRewards: '5' },
  });
  const SLOTS = [kept - 2 * SLOTS_PER_DAY, kept - 2, kept - 1, kept, firstSlotOn('mainnet', '2025-05-10')];
  const stored = async (path: string) => (await gateway.get(path)).json;

  it('of blocks are deleted before the first slot of the first day that is kept', async () => {
    await load('blocks', SLOTS.map(block));
    const told = await retained({ blocks: 31 });
    expect(short(told)).toEqual(['blocks mainnet dropped']);
    expect(told[0]).toMatchObject({ before: '2025-04-10', rows: 3 });
    expect(
      await run(
        `select details from audit_log where action = 'retain' and subject = 'blocks' order by entry_id`,
      ),
    ).toEqual([1, 2].map((rows) => ({ details: { network: 'mainnet', before: '2025-04-10', rows } })));
    const list = await stored('/v0/eth/blocks');
    expect(list.data.map((row: any) => row.consensusSlot)).toEqual(SLOTS.slice(3).reverse());
    expect(list.total).toBe(2);
    expect(await keptFrom()).toEqual([{ dataset: 'blocks', network: 'mainnet', date: '2025-04-10' }]);
    await expect(load('blocks', [block(kept - 1)])).rejects.toThrow('dropped blocks before that date');
    expect(await load('blocks', [block(kept + 1)])).toMatchObject({ inserted: 1 });
    expect(short(await retained({ blocks: 31 }))).toEqual(['blocks mainnet nothing']);
  });

  it('of blocks are counted from the newest final block, not from the head', async () => {
    await load('blocks', SLOTS.map(block));
    await run(`update blocks set finalized = false where slot = ${SLOTS.at(-1)}`);
    for (const dryRun of [true, false])
      expect(await retained({ blocks: 31 }, { dryRun })).toMatchObject([
        { network: 'mainnet', before: '2025-03-11', state: 'nothing' },
      ]);
    await run(`delete from blocks where finalized`);
    expect(short(await retained({ blocks: 31 }))).toEqual(['blocks nothing']);
  });

  describe('of blocks of a chain day that is due', () => {
    const day = dayOfDate('mainnet', '2025-04-01');
    const before = [kept - 100_000, firstSlotOn('mainnet', '2025-04-01') - 1];
    const why =
      'chain daily rewards of mainnet from 2025-04-01 on are not computed from their blocks yet: an index does so when it publishes; without one, run stakegraph refresh first.';
    const stay = async () => {
      const [dropped, refused, ...more] = await retained({ blocks: 31 }, { dryRun: true });
      expect(more).toEqual([]);
      expect([dropped, refused]).toMatchObject([
        { state: 'would drop', before: '2025-04-01', rows: 2 },
        { state: 'would refuse', from: '2025-04-01', before: '2025-04-10', rows: 7_200, error: why },
      ]);
      expect(await retained({ blocks: 31 })).toMatchObject([
        { ...dropped, state: 'dropped', seconds: expect.any(Number) },
        { ...refused, state: 'refused' },
      ]);
      expect(await keptFrom()).toEqual([{ dataset: 'blocks', network: 'mainnet', date: '2025-04-01' }]);
      expect(await run('select count(*)::int as n from blocks')).toEqual([{ n: 7_201 }]);
      expect(await retained({ blocks: 31 })).toMatchObject([{ state: 'refused', rows: 7_200 }]);
    };
    beforeEach(async () => {
      await load('blocks', [...before, firstSlotOn('mainnet', '2025-05-10')].map(block));
      await run(`insert into blocks (network, slot, validator_index, consensus_proposer_duty)
        select 'mainnet', slot, 0, 'missed' from generate_series(${day * 7_200}, ${day * 7_200 + 7_199}) slot`);
      await run(`update blocks set (consensus_proposer_duty, execution_rewards, total_priority_fees_validator, baseline_mev)
        = ('proposed', 3, 2, 1) where slot = ${day * 7_200}`);
    });

    slow('stay until a refresh has computed its rewards', async () => {
      await load('validators', [
        {
          ...{ validatorIndex: 0, validatorPubkey: `0x${'7'.padStart(96, '0')}` },
          ...{ depositAddress: `0x${'1'.padStart(40, '0')}`, withdrawalAddress: null, nodeOperator: null },
          ...{ pool: null, activationEpoch: 0, exitEpoch: null, slashed: false },
        },
      ]);
      await load('validator-days', [validatorDay('2025-04-01', { validatorIndex: 0 })]);
      await stay();
      await refreshed(gateway, { only: ['chain-daily-rewards'], networks: ['mainnet'] });
      expect(short(await retained({ blocks: 31 }))).toEqual(['blocks mainnet dropped']);
    });

    it('stay until an index has added their rewards, if it has all epochs of the day', async () => {
      await load('validator-days', [validatorDay('2025-04-01')]);
      await run(`insert into chain_daily_rewards (network, day, sum_consensus_rewards, sum_execution_rewards,
        sum_priority_fees, sum_baseline_mev, sum_effective_balance, computed) values ('mainnet', ${day}, 5, 0, 0, 0, 32, false)`);
      await run(`insert into index_ranges values ('mainnet', ${day * 225}, ${day * 225 + 224})`);
      onTestFinished(() => run('truncate index_ranges').then(() => undefined));
      await stay();
      await transaction(gateway.database.pool, (client) => addChainDayFees(client, 'mainnet'));
      expect(await run('select sum_execution_rewards::int as sum from chain_daily_rewards')).toEqual([
        { sum: 3 },
      ]);
      expect(short(await retained({ blocks: 31 }))).toEqual(['blocks mainnet dropped']);
    });

    it('go if nothing would be computed from them', async () => {
      await load('validator-days', [validatorDay('2025-04-01')]);
      expect(short(await retained({ blocks: 31 }))).toEqual(['blocks mainnet dropped']);
    });
  });

  it('of sync committees read like slots that never were, and their committees go with them', async () => {
    await load(
      'sync-committee-rewards',
      SLOTS.flatMap((slot) => [seat(slot, slot < kept ? 1 : 2), seat(slot, 3)]),
    );
    const told = await retained({ 'sync-committee-rewards': 31 });
    expect(told[0]).toMatchObject({ table: 'sync_committee_slots', network: 'mainnet', rows: 3 });
    const nothing = { page: { from: 0, to: 0, size: 512 }, total: 0, data: [], next: null };
    expect(await stored(`/v0/eth/blocks/${kept - 1}/syncCommitteeRewards`)).toEqual(nothing);
    expect((await stored(`/v0/eth/blocks/${kept}/syncCommitteeRewards`)).total).toBe(2);
    expect(await run('select validators from sync_committees')).toEqual([{ validators: [2, 3] }]);
    await expect(load('sync-committee-rewards', [seat(kept - 1, 1)])).rejects.toThrow('before 2025-04-10');
  });
});

it('an index does not begin in dropped time', async () => {
  await run(`insert into kept_from values ('blocks', 'hoodi', '2026-01-01')`);
  const store = openStore(gateway.database.pool, 'hoodi');
  const facts = { epoch: 10 } as Parameters<typeof store.write>[0];
  await expect(store.write(facts, {} as never, {} as never, { partial: true })).rejects.toThrow(
    'Epoch 10 of hoodi is of 2025-03-17, and stakegraph retain has dropped blocks before 2026-01-01: begin there or later with --from.',
  );
});
