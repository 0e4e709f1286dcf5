import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importFile } from '../../src/ingest/import-file.ts';
import { inTheFarFuture } from '../support/clock.ts';
import { exact } from '../support/exact.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';
import { useFiles } from './rows.ts';

const write = useFiles();
let gateway: Gateway;
/** A second database, into which bodies of the first are imported. */
let other: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty' });
  other = await startGateway({ template: 'empty' });
});
afterAll(async () => {
  await gateway.close();
  await other.close();
});
beforeEach(async () => {
  const text = 'truncate attestation_entities, attestation_days, attestation_hours';
  for (const { database } of [gateway, other]) await database.pool.query({ text, values: [] });
});

const load = async (content: unknown, options = {}, into = gateway) =>
  importFile(into.database.pool, 'attestations', await write(content), {
    network: 'mainnet',
    idType: 'pool',
    ...options,
  });
const get = (query = '', { from = gateway, id = 'A', type = 'pool', network = 'mainnet' } = {}) =>
  from.get(`/v1/eth/entities/${id}/attestations?entityType=${type}&${query}`, {
    'x-service-network': network,
  });
const days = async (...args: Parameters<typeof get>) =>
  (await get(...args)).json.results?.map((row: any) => row.day) ?? 'none';

const figures = {
  id: 'A',
  validatorCount: 10,
  totalUniqueAttestations: 2_240,
  sumMissedAttestations: 10,
  sumMissedSyncSignatures: null as number | null,
  sumCorrectHead: 2_200,
  sumCorrectTarget: 2_235,
  sumCorrectSource: 2_240,
  sumWrongHeadVotes: 40,
  sumWrongTargetVotes: 5,
  sumLateTargetVotes: 2,
  sumLateSourceVotes: 1,
  avgAttesterEffectiveness: 97.25,
  sumInclusionDelay: 2_300,
  sumSyncSignatureCount: null as number | null,
  sumEndEpochBalance: 320_123_456_789,
  sumEndEpochEffectiveBalance: 320_000_000_000,
  hour: null as number | null,
};

/** 2024-10-01 in the chain calendar. */
const day = (change: Record<string, unknown> = {}) => ({
  ...figures,
  day: 1_400,
  startEpoch: 315_000,
  endEpoch: 315_224,
  ...change,
});
const nextDay = (change = {}) => day({ day: 1_401, startEpoch: 315_225, endEpoch: 315_449, ...change });
/** The first hour of that day. */
const hour = (change = {}) => day({ hour: 33_600, endEpoch: 315_009, ...change });
/** 2024-10-01 in the UTC calendar. */
const utcDay = (change = {}) => day({ startEpoch: 314_888, endEpoch: 315_112, ...change });

const derived = {
  date: '2024-10-01',
  startTimestamp: '2024-10-01T12:00:23Z',
  endTimestamp: '2024-10-02T12:00:11Z',
  startSlot: 10_080_000,
  endSlot: 10_087_199,
};

/** What a refused row is refused for. */
async function refusals(row: unknown, options = {}) {
  const report = await load([row], options);
  expect(report).toMatchObject({ loaded: false, rows: 1, inserted: 0, updated: 0 });
  expect((await get()).status).toBe(404);
  return report.faults.map(({ field, msg }) => `${field} ${msg}`);
}

describe('a REST body of attestations', () => {
  const sync = { sumMissedSyncSignatures: 3, sumSyncSignatureCount: 797 };
  it.each([
    [
      'chain days',
      'granularity=day',
      {},
      [day(sync), nextDay(), day({ day: 0, startEpoch: 0, endEpoch: 7 })],
    ],
    [
      'chain hours',
      'granularity=hour',
      {},
      [hour(sync), hour({ hour: 33_601, startEpoch: 315_010, endEpoch: 315_018 })],
    ],
    [
      'UTC days',
      'utc=true',
      { utc: true },
      [utcDay(sync), utcDay({ day: 1_401, startEpoch: 315_113, endEpoch: 315_337 })],
    ],
    [
      'UTC hours',
      'utc=true&granularity=hour',
      { utc: true },
      [
        utcDay({ hour: 33_600, startEpoch: 314_888, endEpoch: 314_896 }),
        utcDay({ hour: 33_601, startEpoch: 314_897, endEpoch: 314_905 }),
      ],
    ],
  ])('of %s comes back as it was from another database', async (_name, query, options, rows) => {
    // past 2^53 and up to the largest that is stored
    const text = JSON.stringify(rows).replaceAll('320123456789', '9223372036854775807');
    const balance = '"sumEndEpochBalance":9223372036854775807';
    expect(await load(text, options)).toMatchObject({ faults: [], loaded: true, inserted: rows.length });
    const first = await get(`limit=1000&${query}`);
    expect(first.status).toBe(200);
    expect(first.text.split(balance)).toHaveLength(rows.length + 1);
    expect(await load(first.text, options, other)).toMatchObject({
      faults: [],
      loaded: true,
      inserted: rows.length,
      replaced: false,
    });
    const second = await get(`limit=1000&${query}`, { from: other });
    expect(second.text).toBe(first.text);
    // the digits, however they are written
    const plain = (row: any) => ({ ...row, sumEndEpochBalance: '9223372036854775807' });
    const digits = (row: any) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]),
      );
    const inOrder = rows.map((row) => digits(plain(row))).toSorted((x, y) => Number(x.day) - Number(y.day));
    expect(exact(second.text).results.map(digits)).toMatchObject(inOrder);
  });

  // the interface documents integers: bigCount() lacks `raw`, so that REST writes text
  it('has its counts as JSON numbers', async () => {
    await load([day(sync)]);
    const [row] = (await get()).json.results;
    expect(row).toMatchObject({ totalUniqueAttestations: 2_240, sumCorrectHead: 2_200, ...sync });
  });

  it('loaded twice changes nothing the second time', async () => {
    await load([day(), nextDay(), hour()]);
    for (const query of ['granularity=day', 'granularity=hour']) {
      const before = (await get(query)).text;
      expect(await load(before)).toMatchObject({ inserted: 0, updated: 0, removed: 0 });
      expect((await get(query)).text).toBe(before);
    }
  });

  it('of corrected and of new rows changes the ones and adds the others; what it lacks stays', async () => {
    await load([day(), hour()]);
    const report = await load([day({ endEpoch: 315_100, validatorCount: 9 }), nextDay()]);
    expect(report).toMatchObject({ inserted: 1, updated: 1, removed: 0, replaced: false });
    expect((await get()).json.results).toMatchObject([
      { day: 1_400, validatorCount: 9, endEpoch: 315_100, endSlot: 315_100 * 32 + 31 },
      { day: 1_401, validatorCount: 10 },
    ]);
    expect((await get('granularity=hour')).json.results).toHaveLength(1);
  });

  it.each(['week', 'month', 'quarter', 'year', 'all'])(
    'of %s rows is refused: they have no day',
    async (name) => {
      await load([day(), nextDay()]);
      const report = await load((await get(`granularity=${name}`)).text, {}, other);
      expect(report).toMatchObject({ loaded: false, rows: 1, inserted: 0 });
      expect(report.faults.map((fault) => [fault.place, fault.field])).toEqual([['row 1', 'day']]);
      expect((await get('', { from: other })).status).toBe(404);
    },
  );

  it('takes the calendar from a column utc of CSV', async () => {
    const rows = [
      { ...day(), utc: false },
      { ...utcDay(), utc: true },
    ];
    const lines = [Object.keys(rows[0] as object), ...rows.map(Object.values)].map((cells) =>
      cells.join(','),
    );
    expect(await load(`${lines.join('\n')}\n`, { format: 'csv' })).toMatchObject({ inserted: 2, faults: [] });
    for (const [query, startEpoch] of [
      ['', 315_000],
      ['utc=true', 314_888],
    ] as const)
      expect((await get(query)).json.results).toMatchObject([{ day: 1_400, startEpoch }]);
  });

  it('of UTC days is refused as one of chain days, and the other way round', async () => {
    await load([day()]);
    await load([utcDay()], { utc: true });
    const [chain, utc] = [(await get()).text, (await get('utc=true')).text];
    const fields = async (text: string, options: object) =>
      (await load(text, options, other)).faults.map((fault) => fault.field);
    expect(await fields(utc, {})).toEqual(['startEpoch']);
    expect(await fields(chain, { utc: true })).toEqual(['endEpoch']);
  });
});

describe('what a caller says about rows', () => {
  it('puts them on a network, in a class and in a calendar', async () => {
    const about = { network: 'hoodi', idType: 'nodeOperator', utc: true };
    // UTC day 0 of hoodi
    expect(await load([day({ day: 0, startEpoch: 0, endEpoch: 110 })], about)).toMatchObject({ inserted: 1 });
    const place = { network: 'hoodi', type: 'nodeOperator' };
    expect(await days('utc=true', place)).toEqual([0]);
    expect(await days('utc=false', place)).toEqual([]);
    expect(await days('utc=true', { ...place, type: 'pool' })).toBe('none');
    expect(await days('utc=true', { ...place, network: 'mainnet' })).toBe('none');
  });

  it('gives way to what they say themselves', async () => {
    const own = { network: 'mainnet', entityType: 'pool', utc: false };
    const report = await load([day(own)], { network: 'hoodi', idType: 'depositAddress', utc: true });
    expect(report).toMatchObject({ faults: [], inserted: 1 });
    expect(await days()).toEqual([1_400]);
    expect(await days('utc=true')).toEqual([]);
  });

  it.each([{ utc: true }, { calendar: 'utc' }])('or not: %j puts a row in the UTC calendar', async (own) => {
    expect(await load([utcDay(own)])).toMatchObject({ faults: [], inserted: 1 });
    expect([await days(), await days('utc=true')]).toEqual([[], [1_400]]);
  });

  it('lets one file hold rows of several networks, classes and calendars with the same id and day', async () => {
    inTheFarFuture();
    const rows = [
      day(),
      utcDay({ utc: true }),
      day({ network: 'hoodi' }),
      day({ network: 'holesky' }),
      day({ entityType: 'depositAddress' }),
      day({ id: 'B' }),
      hour(),
    ];
    expect(await load(rows)).toMatchObject({ faults: [], inserted: 7, updated: 0 });
    expect(await load(rows.toReversed())).toMatchObject({ faults: [], inserted: 0, updated: 0 });
    expect(await days('utc=true')).toEqual([1_400]);
    for (const place of [
      {},
      { network: 'hoodi' },
      { network: 'holesky' },
      { type: 'depositAddress' },
      { id: 'B' },
    ])
      expect(await days('', place)).toEqual([1_400]);
  });

  it('must hold a class where they name none, and never a private set', async () => {
    expect(await refusals(day(), { idType: undefined })).toEqual([expect.stringMatching(/^entityType /)]);
    expect(await refusals(day(), { idType: 'privateSet' })).toEqual([expect.stringMatching(/^entityType /)]);
    expect(await refusals(day({ network: 'goerli' }))).toEqual([expect.stringMatching(/^network /)]);
    expect(await refusals(day({ calendar: 'julian' }))).toEqual([expect.stringMatching(/^calendar /)]);
  });
});

describe('a row of attestations is refused', () => {
  const holds = 'the period holds epochs';
  it.each([
    ['one epoch early', day({ startEpoch: 314_999 }), `startEpoch is 314999; ${holds} 315000 to 315224`],
    ['one epoch late', day({ endEpoch: 315_225 }), `endEpoch is 315225; ${holds} 315000 to 315224`],
    [
      'in UTC one epoch early',
      utcDay({ utc: true, startEpoch: 314_887 }),
      `startEpoch is 314887; ${holds} 314888 to 315112`,
    ],
    [
      'in UTC one epoch late',
      utcDay({ utc: true, endEpoch: 315_113 }),
      `endEpoch is 315113; ${holds} 314888 to 315112`,
    ],
    ['beyond its hour', hour({ endEpoch: 315_010 }), `endEpoch is 315010; ${holds} 315000 to 315009`],
    [
      'that ends before it begins',
      day({ startEpoch: 315_002, endEpoch: 315_001 }),
      'startEpoch is 315002, after endEpoch 315001',
    ],
    [
      'of UTC before 2024-10-01',
      utcDay({ utc: true, day: 1_399, startEpoch: 314_663, endEpoch: 314_887 }),
      'day is 1399 (2024-09-30); UTC figures begin on 2024-10-01',
    ],
    ['with an hour of the next day', hour({ day: 1_399 }), 'hour is 33600, not an hour of day 1399'],
  ])('%s, with what would be right', async (_name, row, message) => {
    expect(await refusals(row)).toEqual([message]);
  });

  it.each([
    ['date', '2024-10-02'],
    ['startSlot', 10_080_001],
    ['endSlot', 10_087_200],
    ['startTimestamp', '2024-10-01T12:00:24Z'],
    ['endTimestamp', '2024-10-02T12:00:23Z'],
  ] as const)('with another %s than follows from its epochs', async (name, wrong) => {
    const [message, ...more] = await refusals(day({ ...derived, [name]: wrong }));
    expect(more).toEqual([]);
    expect(message).toMatch(new RegExp(`^${name} is ${wrong};`));
    expect(message).toContain(String(derived[name]));
    expect(await load([day(derived)])).toMatchObject({ faults: [], inserted: 1 });
  });

  it('of another network by its moments, and not where they are left out', async () => {
    inTheFarFuture();
    const faults = await refusals(day({ ...derived, network: 'hoodi' }));
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['date', 'startTimestamp', 'endTimestamp']);
    expect(await load([day({ network: 'hoodi' })])).toMatchObject({ faults: [], inserted: 1 });
  });

  it('of a day that has not begun', async () => {
    const far = day({ day: 90_000, startEpoch: 20_250_000, endEpoch: 20_250_224 });
    expect(await refusals(far)).toEqual([
      'startEpoch is 20250000, which has not begun; an epoch of the past is needed',
    ]);
  });

  it('beyond day 100000, which is taken', async () => {
    inTheFarFuture();
    const far = day({ day: 100_001, startEpoch: 22_500_225, endEpoch: 22_500_225 });
    expect(await refusals(far)).toEqual([expect.stringMatching(/^day /)]);
    const last = day({ day: 100_000, startEpoch: 22_500_000, endEpoch: 22_500_224 });
    expect(await load([last])).toMatchObject({ faults: [], inserted: 1 });
    expect(await days('fromDay=100000')).toEqual([100_000]);
  });

  it.each([
    ['totalUniqueAttestations', '9223372036854775808'],
    ['sumCorrectHead', '-1'],
    ['sumInclusionDelay', '1.5'],
    ['sumSyncSignatureCount', '9223372036854775808'],
    ['sumEndEpochBalance', '9223372036854775808'],
    ['avgAttesterEffectiveness', '-0.5'],
    ['avgAttesterEffectiveness', '100.1'],
    ['avgAttesterEffectiveness', '1e308'],
    ['validatorCount', '-1'],
    ['validatorCount', '2147483648'],
    ['totalUniqueAttestations', 'null'],
    ['day', '-1'],
    ['day', '"1400"'],
    ['hour', '-1'],
    ['startEpoch', 'null'],
    ['id', '""'],
    ['id', '7'],
  ])('with %s %s', async (name, value) => {
    const content = JSON.stringify(day({ [name]: 'HERE' })).replace('"HERE"', value);
    const report = await load(content);
    expect(report.loaded).toBe(false);
    expect(new Set(report.faults.map((fault) => fault.field))).toContain(name);
  });

  // `utc` is read with === true: another kind of value is taken for the chain calendar without a word
  it.each(['"true"', '1', '"yes"'])('with utc %s', async (value) => {
    const content = JSON.stringify(day({ utc: 'HERE' })).replace('"HERE"', value);
    expect((await load(content)).loaded).toBe(false);
  });

  it.each(['id', 'day', 'startEpoch', 'endEpoch', 'validatorCount', 'totalUniqueAttestations'])(
    'without %s',
    async (name) => {
      const faults = await refusals(day({ [name]: undefined }));
      expect(faults.some((fault) => fault.startsWith(`${name} `))).toBe(true);
    },
  );

  it.each([['7'], ['"text"'], ['null'], ['[]']])('when it is %s and not a row', async (content) => {
    expect(await load(`[${content}]`)).toMatchObject({ loaded: false, rows: 1, inserted: 0 });
  });
});

describe('a file of attestations', () => {
  it('tells a row that repeats another, also in other letter case of an address or by default', async () => {
    const address = `0x${'aB'.repeat(20)}`;
    const own = { entityType: 'pool', network: 'mainnet', calendar: 'chain' };
    const report = await load([
      day({ id: address }),
      day(),
      hour(),
      day({ ...own, validatorCount: 1 }),
      day({ id: address.toLowerCase() }),
    ]);
    expect(report).toMatchObject({ loaded: false, inserted: 0 });
    expect(report.faults.map(({ place, field, msg }) => [place, field, msg])).toEqual([
      ['row 4', '(row)', 'repeats row 2'],
      ['row 5', '(row)', 'repeats row 1'],
    ]);
  });

  it('knows an address in any letter case as one entity', async () => {
    const address = `0x${'aB'.repeat(20)}`;
    await load([day({ id: address })]);
    expect(await load([day({ id: address.toLowerCase() })])).toMatchObject({ inserted: 0, updated: 0 });
    expect((await get('', { id: address })).json.results).toMatchObject([{ id: address.toLowerCase() }]);
  });

  it('with skipInvalid is loaded without the rows that do not fit, which are handed back', async () => {
    const [repeated, week] = [day({ validatorCount: 99 }), nextDay({ day: null })];
    const rejected: string[] = [];
    const onRejected = (text: string) => rejected.push(text);
    const report = await load([day(), repeated, week, hour()], { skipInvalid: true, onRejected });
    expect(report).toMatchObject({ loaded: true, rows: 4, inserted: 2, updated: 0, rejected: 2 });
    expect(rejected.toSorted()).toEqual([JSON.stringify(repeated), JSON.stringify(week)].toSorted());
    expect((await get()).json.results).toMatchObject([{ day: 1_400, validatorCount: 10 }]);
    expect(await days('granularity=hour')).toEqual([1_400]);
  });

  slow('takes hours and days together', async () => {
    const rows = Array.from({ length: 1_500 }, (_, n) =>
      day({ day: n, startEpoch: n * 225, endEpoch: n * 225 + 224 }),
    );
    const report = await load([...rows, hour()]);
    expect(report).toMatchObject({ faults: [], inserted: 1_501 });
    expect((await get('limit=1')).json.pages).toBe(1_500);
  });
});
