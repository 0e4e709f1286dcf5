import { describe, expect, it } from 'vitest';
import { granularities } from '../../src/periods/record.ts';
import { attestationDays, chainDay, ends, pick } from '../support/attestation-days.ts';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway({ template: 'empty' });
const { load, rows, spans } = attestationDays(gateway);

describe('an entity', () => {
  it.each([0, 1, 100_000])('of %i validators may have an effectiveness that is all but 0', async (count) => {
    const id = `all but 0 of ${count}`;
    await load(chainDay(id, 10, { validatorCount: count, avgAttesterEffectiveness: 5e-324 }));
    const [all] = await rows(id, 'granularity=all');
    expect(all.avgAttesterEffectiveness).toBeCloseTo(0, 100);
  });

  it('with gaps has a row for each period with data, and none between', async () => {
    await load(
      ...[
        { day: 10, validatorCount: 10, avgAttesterEffectiveness: 90, sumEndEpochBalance: '100' },
        { day: 11, validatorCount: 30, avgAttesterEffectiveness: 80, sumEndEpochBalance: '300' },
        { day: 40, validatorCount: 60, avgAttesterEffectiveness: 70, sumEndEpochBalance: '50' },
      ].map(({ day, ...more }) =>
        chainDay('gaps', day, {
          ...more,
          totalUniqueAttestations: String(day),
          sumEndEpochEffectiveBalance: '7',
        }),
      ),
    );
    const first = {
      startDay: 10,
      endDay: 11,
      startDate: '2020-12-11',
      endDate: '2020-12-12',
      startEpoch: 2_250,
      endEpoch: 2_699,
      startSlot: 72_000,
      endSlot: 86_399,
      startTimestamp: '2020-12-11T12:00:23Z',
      endTimestamp: '2020-12-13T12:00:11Z',
      validatorCount: 30,
      avgAttesterEffectiveness: 82.5,
    };
    const second = {
      startDay: 40,
      endDay: 40,
      startDate: '2021-01-10',
      endDate: '2021-01-10',
      startEpoch: 9_000,
      endEpoch: 9_224,
      startSlot: 288_000,
      endSlot: 295_199,
      startTimestamp: '2021-01-10T12:00:23Z',
      endTimestamp: '2021-01-11T12:00:11Z',
      validatorCount: 60,
      avgAttesterEffectiveness: 70,
    };
    const figures = (row: any) => [row.totalUniqueAttestations, row.sumEndEpochBalance].map(Number);
    for (const granularity of ['week', 'month', 'quarter', 'year']) {
      const found = await rows('gaps', `granularity=${granularity}`);
      expect(found).toHaveLength(2);
      expect(found).toMatchObject([first, second]);
      expect(found.map(figures)).toEqual([
        [21, 300],
        [40, 50],
      ]);
    }
    const all = await rows('gaps', 'granularity=all');
    const { startDay, startDate, startEpoch, startSlot, startTimestamp } = first;
    const start = { startDay, startDate, startEpoch, startSlot, startTimestamp };
    expect(all).toMatchObject([{ ...second, ...start, avgAttesterEffectiveness: 75 }]);
    expect(all.map(figures)).toEqual([[61, 50]]);
    expect((await rows('gaps', '')).map((row) => row.day)).toEqual([10, 11, 40]);
    expect(await rows('gaps', 'granularity=hour')).toEqual([]);
    expect(await spans('gaps', 'granularity=all&fromDay=11&toDay=39')).toEqual([[11, 11, 11]]);
    expect(await rows('gaps', 'granularity=all&fromDay=12&toDay=39')).toEqual([]);
    expect(await rows('gaps', 'granularity=month&fromDay=12&toDay=39')).toEqual([]);
  });

  it.each([
    [false, 33_600],
    [true, 33_612],
  ])('with one epoch in all has one row by every granularity, utc %s', async (utc, hour) => {
    const id = `one epoch ${utc}`;
    const row = { id, utc, day: 1_400, startEpoch: 315_003, endEpoch: 315_003 };
    await load(row, { ...row, hour });
    for (const granularity of granularities) {
      const found = await rows(id, `granularity=${granularity}&utc=${utc}`);
      const fine = granularity === 'hour' || granularity === 'day';
      const places = {
        hour: granularity === 'hour' ? hour : null,
        day: fine ? 1_400 : null,
        date: fine ? '2024-10-01' : null,
        startDay: fine ? null : 1_400,
        endDay: fine ? null : 1_400,
        startDate: fine ? null : '2024-10-01',
        endDate: fine ? null : '2024-10-01',
      };
      expect(found).toMatchObject([places]);
      expect(pick(found[0], ...ends)).toEqual([
        ...[315_003, 315_003, 10_080_096, 10_080_127],
        ...['2024-10-01T12:19:35Z', '2024-10-01T12:25:47Z'],
      ]);
      expect(await rows(id, `granularity=${granularity}&utc=${!utc}`)).toEqual([]);
    }
  });

  it('without sync duty has null sums, and those of its other days where it has some', async () => {
    await load(
      chainDay('sync', 1_398),
      chainDay('sync', 1_399),
      chainDay('sync', 1_400),
      chainDay('sync', 1_401, { sumMissedSyncSignatures: '5', sumSyncSignatureCount: '20' }),
      chainDay('sync', 1_402, { sumMissedSyncSignatures: '0', sumSyncSignatureCount: '3' }),
    );
    const sums = async (query: string) =>
      (await rows('sync', query)).map((row) =>
        pick(row, 'sumMissedSyncSignatures', 'sumSyncSignatureCount').map((sum) => sum && Number(sum)),
      );
    expect((await sums('')).slice(0, 4)).toEqual([
      [null, null],
      [null, null],
      [null, null],
      [5, 20],
    ]);
    expect((await rows('sync', 'fromDay=1402')).map((row) => row.sumMissedSyncSignatures)).not.toEqual([
      null,
    ]);
    expect(await sums('granularity=month')).toEqual([
      [null, null],
      [5, 23],
    ]); // September, October
    expect(await sums('granularity=all&toDay=1400')).toEqual([[null, null]]);
    expect(await sums('granularity=all')).toEqual([[5, 23]]);
    const days = async (query: string) => (await rows('sync', query)).map((row) => row.day);
    const sort = 'sortBy=sumMissedSyncSignatures';
    expect(await days(sort)).toEqual([1_402, 1_401, 1_398, 1_399, 1_400]);
    expect(await days(`${sort}&sortOrder=desc`)).toEqual([1_401, 1_402, 1_398, 1_399, 1_400]);
  });

  it('without validators weighs nothing, and has the plain mean where none of its days has any', async () => {
    await load(
      chainDay('zero', 1_398, { validatorCount: 0, avgAttesterEffectiveness: 80 }),
      chainDay('zero', 1_399, { validatorCount: 0, avgAttesterEffectiveness: 90 }),
      chainDay('zero', 1_400, { validatorCount: 4, avgAttesterEffectiveness: 60 }),
      chainDay('zero', 1_401, { validatorCount: 0, avgAttesterEffectiveness: 0 }),
    );
    const found = async (query: string) =>
      (await rows('zero', query)).map((row) => pick(row, 'validatorCount', 'avgAttesterEffectiveness'));
    expect(await found('')).toEqual([
      [0, 80],
      [0, 90],
      [4, 60],
      [0, 0],
    ]);
    expect(await found('granularity=month')).toEqual([
      [0, 85],
      [0, 60],
    ]);
    expect(await found('granularity=all&toDay=1400')).toEqual([[4, 60]]);
    expect(await found('granularity=all')).toEqual([[0, 60]]);
  });
});
