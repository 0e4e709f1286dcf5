import { beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';

const gateway = useGateway({ template: 'empty' });
beforeEach(() => gateway.database.pool.query({ text: 'truncate chain_daily_rewards', values: [] }));

const load = (content: unknown, options = {}) =>
  importText(
    gateway,
    'chain-daily-rewards',
    typeof content === 'string' ? content : JSON.stringify(content),
    options,
  );
const path = '/v0/eth/network/chainDailyRewards';
const days = async (headers = {}) => (await gateway.get(path, headers)).json.data.map((row: any) => row.day);

/** A day in the words of REST, in documented order. */
const row = (more = {}) => ({
  day: 1_700,
  date: '2025-07-28',
  startEpoch: 382_500,
  endEpoch: 382_724,
  startTimestamp: '2025-07-28T12:00:23Z',
  endTimestamp: '2025-07-29T12:00:11Z',
  sumConsensusRewards: 2_686_850_824_807,
  sumExecutionRewards: 319_749_496_991,
  sumPriorityFees: 186_722_324_052,
  sumBaselineMev: 133_027_172_939,
  sumEffectiveBalance: 35_289_373_000_000_000,
  ...more,
});
const sums = {
  sumConsensusRewards: '1',
  sumExecutionRewards: '2',
  sumPriorityFees: '1.5',
  sumBaselineMev: '0.5',
  sumEffectiveBalance: '32000000000',
};

describe('an import of chain daily rewards', () => {
  it('takes a day whose effective balance nobody told, as null on both APIs', async () => {
    const { sumEffectiveBalance: _, ...untold } = row();
    expect(await load([untold])).toMatchObject({ faults: [], inserted: 1 });
    expect((await gateway.get(`${path}/1700`)).json).toEqual(row({ sumEffectiveBalance: null }));
    const { data } = await gateway.graphql('{ chainDailyReward(day: 1700) { day sumEffectiveBalance } }');
    expect(data.chainDailyReward).toEqual({ day: 1_700, sumEffectiveBalance: null });
    expect(await load([row()])).toMatchObject({ faults: [], updated: 1 });
    expect((await gateway.get(`${path}/1700`)).json).toEqual(row());
    expect(await load([untold])).toMatchObject({ faults: [], updated: 1 });
  });

  it('comes back as it was, key for key, also when it is loaded again', async () => {
    expect(await load([row()])).toMatchObject({ faults: [], inserted: 1, updated: 0 });
    expect((await gateway.get(`${path}/1700`)).text).toBe(JSON.stringify(row()));
    const text = JSON.stringify(row({ sumEffectiveBalance: 'B', sumBaselineMev: 'M' }))
      .replace('"B"', '9223372036854775807')
      .replace('"M"', '133027172939.123456789');
    expect(await load(text)).toMatchObject({ inserted: 0, updated: 1, removed: 0 });
    expect(await load(text)).toMatchObject({ inserted: 0, updated: 0, removed: 0 });
    expect((await gateway.get(`${path}/1700`)).text).toBe(text);
  });

  it('needs only the day or its date, and takes moments without a zone as UTC', async () => {
    const moments = { startTimestamp: '2025-07-28T12:00:23', endTimestamp: '2025-07-29 12:00:11' };
    const report = await load([
      { day: 1_699, ...sums },
      { date: '2025-07-28', ...sums, ...moments },
      { date: '2025-03-18', network: 'hoodi', ...sums },
    ]);
    expect(report).toMatchObject({ faults: [], inserted: 3 });
    expect(await days()).toEqual([1_700, 1_699]);
    expect(await days({ 'x-service-network': 'hoodi' })).toEqual([1]);
  });

  it('takes negative consensus rewards, as of a chain that does not finalise', async () => {
    await load(row({ sumConsensusRewards: -5 }));
    expect((await gateway.get(`${path}/1700`)).json.sumConsensusRewards).toBe(-5);
  });

  it('adds to what is stored, and removes the others of its networks only with --replace', async () => {
    await load([1, 2, 3].map((day) => ({ day, ...sums })));
    await load([{ day: 1, network: 'hoodi', ...sums }]);
    const body = { page: { from: 4, to: 3, size: 15 }, total: 1, data: [{ day: 4, ...sums }], next: null };
    expect(await load(body)).toMatchObject({ inserted: 1, removed: 0 });
    expect(await days()).toEqual([4, 3, 2, 1]);
    expect(await load([{ day: 2, ...sums }], { replace: true })).toMatchObject({ updated: 0, removed: 3 });
    expect(await days()).toEqual([2]);
    expect(await days({ 'x-service-network': 'hoodi' })).toEqual([1]);
  });

  it.each([
    [{ date: '2025-07-29' }, ['date']],
    [{ date: '2025-02-30' }, ['date']],
    [{ day: null, date: null }, ['day']],
    [{ day: null, date: '2020-11-30' }, ['day']],
    [{ day: -1 }, ['day']],
    [{ day: 2_900_001 }, ['day']],
    [{ day: 1.5 }, ['day']],
    [{ startEpoch: 382_501 }, ['startEpoch']],
    [{ endEpoch: 382_725 }, ['endEpoch']],
    [{ startTimestamp: '2025-07-28T12:00:24Z' }, ['startTimestamp']],
    [{ startTimestamp: '' }, ['startTimestamp']],
    [{ startTimestamp: 1753704023 }, ['startTimestamp']],
    [{ endTimestamp: '2025-07-29T12:00:23Z' }, ['endTimestamp']],
    [{ startEpoch: 1, endEpoch: 2 }, ['startEpoch', 'endEpoch']],
    [{ sumConsensusRewards: 1.5 }, ['sumConsensusRewards']],
    [{ sumConsensusRewards: '9223372036854775808' }, ['sumConsensusRewards']],
    [{ sumExecutionRewards: -1 }, ['sumExecutionRewards']],
    [{ sumExecutionRewards: null }, ['sumExecutionRewards']],
    [{ sumPriorityFees: '0.1234567891' }, ['sumPriorityFees']],
    [{ sumBaselineMev: 'much' }, ['sumBaselineMev']],
    [{ sumEffectiveBalance: -1 }, ['sumEffectiveBalance']],
    [{ effectiveBalanceEpochs: 1.5 }, ['effectiveBalanceEpochs']],
    [{ effectiveBalanceEpochs: 1 }, ['effectiveBalanceEpochs']],
    [{ network: 'goerli' }, ['network']],
  ])('finds with %j faults in %j', async (more, expected) => {
    const { faults, loaded } = await load(row(more));
    expect(faults.map((fault) => fault.field)).toEqual(expected);
    expect(loaded).toBe(false);
  });

  it('says what would be right', async () => {
    const { faults } = await load(row(), { network: 'hoodi' });
    expect(faults[0]?.msg).toBe('is 2025-07-28; that of day 1700 of hoodi is 2029-11-11');
    expect(faults.at(-2)?.msg).toBe(
      'is 2025-07-29T12:00:11Z; the last slot of day 1700 of hoodi begins at 2029-11-12T12:09:48Z',
    );
    expect(faults.at(-1)?.msg).toBe('is 1700, which has not begun; a day of the past is needed');
  });

  it('refuses a day that is told twice, by day and by date', async () => {
    const { faults } = await load([
      { day: 1_700, ...sums },
      { date: '2025-07-28', ...sums },
    ]);
    expect(faults.map((fault) => [fault.place, fault.msg])).toEqual([['row 2', 'repeats row 1']]);
  });
});
