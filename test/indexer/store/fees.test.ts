import { expect, it, onTestFinished } from 'vitest';
import { epochsOfDay } from '../../../src/chain/calendar.ts';
import { transaction } from '../../../src/db/pool.ts';
import { writeChainDailyReward } from '../../../src/indexer/store/chain-rows.ts';
import { openStore } from '../../../src/indexer/store/index.ts';
import { encodeRecord, epochRecord } from '../../../src/indexer/store/record.ts';
import { finishValidatorDays } from '../../../src/ingest/importers/validator-days.ts';
import { createDatabase, startGateway } from '../../support/gateway.ts';
import { slow } from '../../support/thorough.ts';
import { madeFacts, madeRegistry, savedAs } from './made-facts.ts';
import { NETWORK, query } from './rows.ts';

it('a chain day has its consensus rewards when it ends, and its execution rewards once its blocks have them', async () => {
  const gateway = await startGateway({ template: 'empty' });
  onTestFinished(() => gateway.close());
  const { pool } = gateway.database;
  const day = epochsOfDay(NETWORK, 'chain', 10);
  const made = { size: 8 };
  const store = openStore(pool, NETWORK);
  // All epochs but the last one, as they would be stored.
  await store.write(madeFacts(made, day.first), savedAs('x'), madeRegistry(made));
  const facts = Array.from({ length: 225 }, (_, at) => madeFacts(made, day.first + at, day.first));
  for (const one of facts.slice(1, -1)) {
    const record = await encodeRecord(epochRecord(one, []));
    await query(pool, 'insert into index_epochs values ($1, $2, $3)', [NETWORK, one.epoch, record]);
  }
  await query(pool, 'update index_state set epoch = $1', [day.last - 1]);
  await query(pool, 'update index_ranges set last_epoch = $1', [day.last - 1]);
  await store.resume();
  await store.write(facts.at(-1) as never, savedAs('y'), madeRegistry(made));
  const total = facts.reduce(
    (sum, one) =>
      sum +
      one.rewards.reduce((all, reward) => all + reward, 0) +
      one.blocks.reduce((all, block) => all + block.consensusRewards, 0) +
      one.seats.reduce((all, { rewards }) => all + rewards.reduce((own, reward) => own + reward, 0), 0),
    0,
  );
  const row = async () =>
    (await gateway.get('/v0/eth/network/chainDailyRewards/10', { 'X-Service-Network': NETWORK })).json;
  expect(await row()).toMatchObject({
    ...{ startEpoch: day.first, endEpoch: day.last, sumConsensusRewards: total },
    ...{ sumExecutionRewards: 0, sumEffectiveBalance: 8 * 32_000_000_000 },
  });
  await query(
    pool,
    `update blocks set execution_rewards = 3, total_priority_fees_validator = 2, baseline_mev = 1
    where consensus_proposer_duty = 'proposed'`,
  );
  await query(pool, 'update validator_day_dates set rewards_due = true');
  await store.publish();
  const { rows } = await query(
    pool,
    `select (3 * count(*))::int as n from blocks where consensus_proposer_duty = 'proposed'`,
  );
  expect(await row()).toMatchObject({ sumExecutionRewards: rows[0]?.n, sumConsensusRewards: total });
  expect((await query(pool, 'select 1 from validator_day_dates where rewards_due and not utc')).rows).toEqual(
    [],
  );
});

slow(
  'a chain day between two ranges has its execution rewards once the epoch that joins them is stored',
  async () => {
    const database = await createDatabase('empty');
    onTestFinished(() => database.drop());
    const { pool } = database;
    const day = epochsOfDay(NETWORK, 'chain', 10);
    const [made, middle] = [{ size: 8 }, day.first + 100];
    const store = openStore(pool, NETWORK);
    await store.write(madeFacts(made, day.first), savedAs('x'), madeRegistry(made));
    await query(pool, 'update index_state set epoch = $1', [middle - 1]);
    await query(pool, 'update index_ranges set last_epoch = $1', [middle - 1]);
    await query(pool, 'insert into index_ranges values ($1, $2, $3)', [NETWORK, middle + 1, day.last]);
    await transaction(pool, async (client) => {
      await writeChainDailyReward(client, NETWORK, 10, {
        ...{ consensusRewards: 7, effectiveBalance: 32, effectiveBalanceEpochs: 7_200n },
      });
      await finishValidatorDays(client, [{ network: NETWORK, utc: false, day: 10 }]);
    });
    const filled = () =>
      query(
        pool,
        'update blocks set execution_rewards = 3, total_priority_fees_validator = 2, baseline_mev = 1',
      );
    const published = async () => {
      await store.publish();
      const { rows } = await query(
        pool,
        `select sum_execution_rewards::int as sum, (select count(*)::int from blocks where consensus_proposer_duty = 'proposed') as blocks,
        (select count(*)::int from index_ranges) as ranges from chain_daily_rewards`,
      );
      return rows[0];
    };
    await filled();
    expect(await published()).toMatchObject({ sum: 0, ranges: 2 });
    await store.resume();
    await store.write(madeFacts(made, middle, day.first), savedAs('y'), madeRegistry(made));
    await filled();
    const after = await published();
    expect(after).toEqual({ sum: 3 * (after?.blocks as number), blocks: expect.any(Number), ranges: 1 });
  },
);

slow('a chain day keeps its execution rewards when some of its blocks were dropped', async () => {
  const database = await createDatabase('empty');
  onTestFinished(() => database.drop());
  const { pool } = database;
  const day = epochsOfDay(NETWORK, 'chain', 10);
  const [made, store] = [{ size: 8 }, openStore(pool, NETWORK)];
  await store.write(madeFacts(made, day.last), savedAs('x'), madeRegistry(made));
  await query(pool, 'update index_ranges set first_epoch = $1', [day.first]);
  await transaction(pool, (client) =>
    writeChainDailyReward(client, NETWORK, 10, {
      ...{ consensusRewards: 7, effectiveBalance: 32, effectiveBalanceEpochs: 7_200n },
    }),
  );
  await query(pool, 'update chain_daily_rewards set sum_execution_rewards = 5000');
  await query(
    pool,
    'update blocks set execution_rewards = 3, total_priority_fees_validator = 2, baseline_mev = 1',
  );
  await query(pool, `insert into kept_from values ('blocks', $1, '2025-03-28')`, [NETWORK]);
  await store.publish();
  const { rows } = await query(
    pool,
    `select sum_execution_rewards::int as sum, (select bool_or(rewards_due and not utc) from validator_day_dates) as due
    from chain_daily_rewards`,
  );
  expect(rows).toEqual([{ sum: 5_000, due: false }]);
});
