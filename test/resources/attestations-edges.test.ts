import { beforeAll, describe, expect, it } from 'vitest';
import type { Network } from '../../src/chain/networks.ts';
import { attestationDays, chainDay, checked, ends, type Given, pick } from '../support/attestation-days.ts';
import { inTheFarFuture } from '../support/clock.ts';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway({ template: 'empty' });
const { load, rows, spans } = attestationDays(gateway);

describe('the epoch that starts at 23:57 on the last day of 2024', () => {
  // 335587 starts on 2024-12-31 at 23:57:11 and ends in 2025; 335588 starts on 2025-01-01 at 00:03:35
  const before = ['2024-12-31T23:57:11Z', '2025-01-01T00:03:23Z'];
  const after = ['2025-01-01T00:03:35Z', '2025-01-01T00:09:47Z'];
  const one = (epoch: number, total: string) => ({
    id: 'midnight',
    startEpoch: epoch,
    endEpoch: epoch,
    totalUniqueAttestations: total,
  });
  beforeAll(() =>
    load(
      { ...one(335_587, '2'), utc: true, day: 1_491 },
      { ...one(335_587, '2'), utc: true, day: 1_491, hour: 35_807 },
      { ...one(335_588, '4'), utc: true, day: 1_492 },
      { ...one(335_588, '4'), utc: true, day: 1_492, hour: 35_808 },
      { ...one(335_587, '6'), day: 1_491, endEpoch: 335_588 },
      { ...one(335_587, '2'), day: 1_491, hour: 35_795 },
      { ...one(335_588, '4'), day: 1_491, hour: 35_796 },
    ),
  );

  it('counts for its UTC day, the next epoch for the next', async () => {
    const found = await rows('midnight', 'utc=true');
    const names = ['day', 'date', 'hour', ...ends, 'totalUniqueAttestations'];
    expect(found.map((row) => pick(row, ...names).map(String))).toEqual([
      ['1491', '2024-12-31', 'null', '335587', '335587', '10738784', '10738815', ...before, '2'],
      ['1492', '2025-01-01', 'null', '335588', '335588', '10738816', '10738847', ...after, '4'],
    ]);
  });

  it('counts for the last UTC hour of its day, the next epoch for the first of the next', async () => {
    const found = await rows('midnight', 'utc=true&granularity=hour');
    const names = ['hour', 'day', 'date', 'startTimestamp', 'endTimestamp'];
    expect(found.map((row) => pick(row, ...names))).toEqual([
      [35_807, 1_491, '2024-12-31', ...before],
      [35_808, 1_492, '2025-01-01', ...after],
    ]);
  });

  it('counts for its UTC month, quarter and year; both are of one week', async () => {
    for (const granularity of ['month', 'quarter', 'year']) {
      expect(await spans('midnight', `utc=true&granularity=${granularity}`)).toEqual([
        [1_491, 1_491, 2],
        [1_492, 1_492, 4],
      ]);
    }
    for (const granularity of ['week', 'all'])
      expect(await spans('midnight', `utc=true&granularity=${granularity}`)).toEqual([[1_491, 1_492, 6]]);
  });

  it('is of one chain day with the next, which starts in 2024', async () => {
    expect(await rows('midnight', '')).toMatchObject([
      { day: 1_491, date: '2024-12-31', startTimestamp: before[0], endTimestamp: after[1] },
    ]);
    expect(await rows('midnight', 'granularity=hour')).toMatchObject([
      { hour: 35_795, day: 1_491, date: '2024-12-31' },
      { hour: 35_796, day: 1_491, date: '2024-12-31' },
    ]);
    expect(await spans('midnight', 'granularity=year')).toEqual([[1_491, 1_491, 6]]);
  });

  it('is found by the date of its day', async () => {
    const found = async (query: string) => (await rows('midnight', query)).map((row) => row.day);
    expect(await found('utc=true&toDate=2024-12-31')).toEqual([1_491]);
    expect(await found('utc=true&fromDate=2025-01-01')).toEqual([1_492]);
    expect(await found('fromDate=2025-01-01')).toEqual([]);
    expect(await found('utc=true&granularity=hour&toDay=1491')).toEqual([1_491]);
    expect(await found('utc=true&granularity=hour&fromDay=1492')).toEqual([1_492]);
  });
});

describe('days around 2024-10-01 and around the new year', () => {
  // Sun 09-29, Mon 09-30, Tue 10-01, Sun 10-06, Mon 10-07, Tue 12-31, Wed 2025-01-01: each total tells its day
  const days = [1_398, 1_399, 1_400, 1_405, 1_406, 1_491, 1_492];
  const total = (index: number) => ({ totalUniqueAttestations: String(2 ** index) });
  // UTC days hold the 225 epochs that begin 112 before those of the chain day
  const utcDay = (day: number): Given => ({
    id: 'boundary',
    utc: true,
    day,
    startEpoch: day * 225 - 112,
    endEpoch: day * 225 + 112,
  });
  beforeAll(() =>
    load(
      ...days.map((day, index) => chainDay('boundary', day, total(index))),
      ...days.slice(2).map((day, index) => ({ ...utcDay(day), ...total(index + 2) })),
    ),
  );

  it.each([
    [
      'week',
      [
        [1_398, 1_398, 1],
        [1_399, 1_405, 14],
        [1_406, 1_406, 16],
        [1_491, 1_492, 96],
      ],
    ],
    [
      'month',
      [
        [1_398, 1_399, 3],
        [1_400, 1_406, 28],
        [1_491, 1_491, 32],
        [1_492, 1_492, 64],
      ],
    ],
    [
      'quarter',
      [
        [1_398, 1_399, 3],
        [1_400, 1_491, 60],
        [1_492, 1_492, 64],
      ],
    ],
    [
      'year',
      [
        [1_398, 1_491, 63],
        [1_492, 1_492, 64],
      ],
    ],
    ['all', [[1_398, 1_492, 127]]],
  ])('gather by %s in the chain calendar', async (granularity, expected) => {
    expect(await spans('boundary', `granularity=${granularity}`)).toEqual(expected);
  });

  it.each([
    [
      'week',
      [
        [1_400, 1_405, 12],
        [1_406, 1_406, 16],
        [1_491, 1_492, 96],
      ],
    ],
    [
      'month',
      [
        [1_400, 1_406, 28],
        [1_491, 1_491, 32],
        [1_492, 1_492, 64],
      ],
    ],
    [
      'quarter',
      [
        [1_400, 1_491, 60],
        [1_492, 1_492, 64],
      ],
    ],
    [
      'year',
      [
        [1_400, 1_491, 60],
        [1_492, 1_492, 64],
      ],
    ],
    ['all', [[1_400, 1_492, 124]]],
  ])('gather by %s in the UTC calendar', async (granularity, expected) => {
    expect(await spans('boundary', `utc=true&granularity=${granularity}`)).toEqual(expected);
  });

  it('have the dates on which they start in both calendars', async () => {
    const dates = ['2024-09-29', '2024-09-30', '2024-10-01', '2024-10-06', '2024-10-07', '2024-12-31'];
    dates.push('2025-01-01');
    const found = async (query: string) => (await rows('boundary', query)).map((row) => [row.day, row.date]);
    expect(await found('')).toEqual(days.map((day, index) => [day, dates[index]]));
    expect(await found('utc=true')).toEqual(days.map((day, index) => [day, dates[index]]).slice(2));
  });

  it('have their first and last moments', async () => {
    const [chain] = await rows('boundary', 'fromDay=1399');
    expect(pick(chain, ...ends)).toEqual([
      ...[314_775, 314_999, 10_072_800, 10_079_999],
      ...['2024-09-30T12:00:23Z', '2024-10-01T12:00:11Z'],
    ]);
    const [utc] = await rows('boundary', 'utc=true');
    expect(pick(utc, ...ends)).toEqual([
      ...[314_888, 315_112, 10_076_416, 10_083_615],
      ...['2024-10-01T00:03:35Z', '2024-10-02T00:03:23Z'],
    ]);
    const [week] = await rows('boundary', 'utc=true&granularity=week');
    expect(pick(week, 'startDate', 'endDate', ...ends)).toEqual([
      ...['2024-10-01', '2024-10-06', 314_888, 316_237, 10_076_416, 10_119_615],
      ...['2024-10-01T00:03:35Z', '2024-10-07T00:03:23Z'],
    ]);
  });

  it('are cut by a range before they are gathered', async () => {
    expect(await spans('boundary', 'granularity=week&fromDate=2024-10-01&toDate=2024-12-31')).toEqual([
      [1_400, 1_405, 12],
      [1_406, 1_406, 16],
      [1_491, 1_491, 32],
    ]);
    expect(await spans('boundary', 'granularity=year&toDate=2024-09-30')).toEqual([[1_398, 1_399, 3]]);
    expect(await rows('boundary', 'utc=true&granularity=all&toDate=2024-09-30')).toEqual([]);
    expect(await rows('boundary', 'utc=true&granularity=month&toDay=1399')).toEqual([]);
  });

  it('cannot be stored in the UTC calendar before 2024-10-01', () => {
    expect(checked(utcDay(1_399)).error?.issues.map((issue) => issue.path)).toEqual([['day']]);
  });
});

describe('the first and the last day of a network', () => {
  const firsts = {
    mainnet: ['2020-12-01', '2020-12-01T12:00:23Z', '2020-12-02T12:00:11Z', '2020-12-01T13:04:11Z'],
    holesky: ['2023-09-28', '2023-09-28T12:00:00Z', '2023-09-29T11:59:48Z', '2023-09-28T13:03:48Z'],
    hoodi: ['2025-03-17', '2025-03-17T12:10:00Z', '2025-03-18T12:09:48Z', '2025-03-17T13:13:48Z'],
    sepolia: ['2022-06-20', '2022-06-20T14:00:00Z', '2022-06-21T13:59:48Z', '2022-06-20T15:03:48Z'],
  } as const;
  const lasts = {
    mainnet: ['2294-09-16', '2294-09-16T12:00:23Z', '2294-09-17T12:00:11Z'],
    holesky: ['2297-07-13', '2297-07-13T12:00:00Z', '2297-07-14T11:59:48Z'],
    hoodi: ['2298-12-31', '2298-12-31T12:10:00Z', '2299-01-01T12:09:48Z'],
    sepolia: ['2296-04-04', '2296-04-04T14:00:00Z', '2296-04-05T13:59:48Z'],
  } as const;

  it.each(Object.keys(firsts) as Network[])('%s: day 0 and day 100000', async (network) => {
    inTheFarFuture();
    await load(
      chainDay('ends', 0, { network }),
      { id: 'ends', network, day: 0, hour: 0, startEpoch: 0, endEpoch: 9 },
      chainDay('ends', 100_000, { network }),
    );
    const [date, start, end, hourEnd] = firsts[network];
    const [lastDate, lastStart, lastEnd] = lasts[network];
    const found = async (query: string, ...names: string[]) =>
      (await rows('ends', query, network)).map((row) => pick(row, ...names, ...ends));
    const first = [0, 224, 0, 7_199, start, end];
    const last = [22_500_000, 22_500_224, 720_000_000, 720_007_199, lastStart, lastEnd];
    expect(await found('', 'day', 'date')).toEqual([
      [0, date, ...first],
      [100_000, lastDate, ...last],
    ]);
    expect(await found('granularity=hour', 'hour', 'day', 'date')).toEqual([
      [0, 0, date, 0, 9, 0, 319, start, hourEnd],
    ]);
    for (const granularity of ['week', 'month', 'quarter', 'year']) {
      const names = ['startDay', 'endDay', 'startDate', 'endDate'];
      expect(await found(`granularity=${granularity}`, ...names)).toEqual([
        [0, 0, date, date, ...first],
        [100_000, 100_000, lastDate, lastDate, ...last],
      ]);
    }
    expect(await found('granularity=all', 'startDay', 'endDay', 'startDate', 'endDate')).toEqual([
      [0, 100_000, date, lastDate, 0, 22_500_224, 0, 720_007_199, start, lastEnd],
    ]);
    const days = async (query: string) => (await rows('ends', query, network)).map((row) => row.day);
    expect(await days('toDay=0')).toEqual([0]);
    expect(await days('fromDay=0&toDay=0')).toEqual([0]);
    expect(await days('fromDay=1&toDay=99999')).toEqual([]);
    expect(await days('fromDay=100000')).toEqual([100_000]);
    expect(await days('fromDay=100001')).toEqual([]);
    expect(await days('toDay=2147483647')).toEqual([0, 100_000]);
    expect(await days(`toDate=${date}`)).toEqual([0]);
    expect(await days(`fromDate=${lastDate}&toDate=9999-12-31`)).toEqual([100_000]);
    expect(await days('fromDate=0001-01-01')).toEqual([0, 100_000]);
  });

  it('hoodi: UTC day 0 begins with genesis and ends with the epoch that starts before midnight', async () => {
    const row = { id: 'utc day 0', network: 'hoodi', utc: true, day: 0, startEpoch: 0, endEpoch: 110 };
    await load(row);
    expect(checked({ ...row, endEpoch: 111 }).success).toBe(false);
    const [found] = await rows('utc day 0', 'utc=true', 'hoodi');
    expect(pick(found, 'day', 'date', ...ends)).toEqual([
      ...[0, '2025-03-17', 0, 110, 0, 3_551],
      ...['2025-03-17T12:10:00Z', '2025-03-18T00:00:12Z'],
    ]);
  });
});

describe('weeks and months', () => {
  it('2020-12-28 to 2021-01-03 are one week, the 53rd, and January 4 begins the next', async () => {
    await load(...Array.from({ length: 9 }, (_, index) => chainDay('week 53', 26 + index)));
    const names = ['startDay', 'endDay', 'startDate', 'endDate', 'startEpoch', 'endEpoch'];
    const found = async (granularity: string) =>
      (await rows('week 53', `granularity=${granularity}`)).map((row) => [
        ...pick(row, ...names),
        Number(row.totalUniqueAttestations),
      ]);
    expect(await found('week')).toEqual([
      [26, 26, '2020-12-27', '2020-12-27', 5_850, 6_074, 1],
      [27, 33, '2020-12-28', '2021-01-03', 6_075, 7_649, 7],
      [34, 34, '2021-01-04', '2021-01-04', 7_650, 7_874, 1],
    ]);
    const halves = [
      [26, 30, '2020-12-27', '2020-12-31', 5_850, 6_974, 5],
      [31, 34, '2021-01-01', '2021-01-04', 6_975, 7_874, 4],
    ];
    for (const granularity of ['month', 'quarter', 'year']) expect(await found(granularity)).toEqual(halves);
  });

  it.each([
    ['chain', {}, [595_125, 595_350, 595_575], 224],
    ['UTC', { utc: true }, [595_013, 595_238, 595_463], 224],
  ])('29 February 2028 is of its month in the %s calendar', async (name, more, starts, length) => {
    inTheFarFuture();
    const id = `leap ${name}`;
    const given = starts.map((startEpoch, index) => ({
      ...{ id, day: 2_645 + index, startEpoch, endEpoch: startEpoch + length },
      ...more,
    }));
    await load(...given);
    const utc = `utc=${'utc' in more}`;
    const names = ['startDay', 'endDay', 'startDate', 'endDate'];
    const found = async (query: string) =>
      (await rows(id, `${utc}&${query}`)).map((row) => pick(row, ...names));
    expect(await found('granularity=month')).toEqual([
      [2_645, 2_646, '2028-02-28', '2028-02-29'],
      [2_647, 2_647, '2028-03-01', '2028-03-01'],
    ]);
    for (const granularity of ['week', 'quarter', 'year', 'all'])
      expect(await found(`granularity=${granularity}`)).toEqual([[2_645, 2_647, '2028-02-28', '2028-03-01']]);
    const days = (await rows(id, `${utc}&fromDate=2028-02-29&toDate=2028-02-29`)).map((row) => row.date);
    expect(days).toEqual(['2028-02-29']);
  });
});
