import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { dayOfDate } from '../../src/chain/calendar.ts';
import { agesOf } from '../../src/config/ages.ts';
import { transaction } from '../../src/db/pool.ts';
import { openSizes } from '../../src/db/sizes.ts';
import { addFeesOfMonth } from '../../src/indexer/store/restored-fees.ts';
import { sumDueMonth } from '../../src/ingest/importers/validator-months.ts';
import { restoreMonth } from '../../src/maintenance/archive/restore.ts';
import { verifyArchive } from '../../src/maintenance/archive/verify.ts';
import { retain } from '../../src/maintenance/retain/index.ts';
import { completeSets, refreshSetDays, sumOlderDays } from '../../src/resources/private-sets/set-days.ts';
import { validatorDay } from '../maintenance/retain/retained.ts';
import { accountOf } from '../support/account.ts';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';

const gateway = useGateway({ template: 'empty' });
const folder = mkdtempSync(join(tmpdir(), 'stakegraph-test-archive-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const run = (text: string) => gateway.database.pool.query({ text, values: [] }).then(({ rows }) => rows);

const DAYS = [
  '2025-01-30',
  '2025-01-31',
  '2025-02-01',
  '2025-02-28',
  '2025-03-05',
  '2025-04-10',
  '2025-08-01',
];
const FIRST = 'validator_days-mainnet-2025-01.parquet';
const LAST = 'validator_days-mainnet-2025-04.parquet';

/** Validator 1 has all days, 2 only archived ones, 3 only one that stays, 4 none. */
beforeAll(async () => {
  await run(`insert into validators (network, validator_index, validator_pubkey, slashed)
    select 'mainnet', v, '0x' || repeat('0' || v, 48), false from generate_series(1, 4) v`);
  const row = (validatorIndex: number, date: string, n: number) =>
    validatorDay(date, { validatorIndex, proposedCount: n % 2, sumAttestationRewards: 100 * n + 1 });
  const rows = [
    ...DAYS.map((date, n) => row(1, date, n)),
    ...DAYS.slice(0, 3).map((date, n) => row(2, date, n + 20)),
    row(3, DAYS[6] as string, 7),
  ];
  await importText(gateway, 'validator-days', JSON.stringify(rows));
  await run(`insert into validator_days
    select (jsonb_populate_record(d, '{"utc": true}')).* from validator_days d`);
  await run(`insert into validator_day_dates (network, utc, day, date)
    select network, true, day, date from validator_day_dates`);
  await run('update validator_day_dates set attestations_due = false, rewards_due = false');
  while (await transaction(gateway.database.pool, (client) => sumDueMonth(client, 'mainnet')));
});

const archive = async (months = 4) => {
  const ages = agesOf(['validator-days=90d']) as { 'validator-days': number };
  const reports: any[] = [];
  await retain(
    gateway.database.pool,
    { ages, dryRun: false, archive: folder, now: new Date('2025-08-02') },
    (report) => reports.push(report),
  );
  expect(reports.map(({ state, error }) => error ?? state)).toEqual(Array(months).fill('archived'));
};

/** All fields of the nodes of a list. */
async function fieldsOf(list: string): Promise<string> {
  const of3 = 'name kind ofType { name kind ofType { name kind ofType { name kind } } }';
  const type = `fields { name type { ${of3} } }`;
  const { data } = await gateway.graphql(
    `{ __type(name: "Validator") { fields { name type { name ofType { name } } } } }`,
  );
  const of = data.__type.fields.find(({ name }: any) => name === list).type;
  const named = async (name: string) =>
    (await gateway.graphql(`{ __type(name: "${name}") { ${type} } }`)).data.__type.fields;
  const nodes = (await named(of.name ?? of.ofType.name)).find(({ name }: any) => name === 'nodes').type;
  let node = nodes;
  while (!node.name) node = node.ofType;
  const isLeaf = ({ type: { kind, ofType } }: any) =>
    ['SCALAR', 'ENUM'].includes(kind === 'NON_NULL' ? ofType.kind : kind);
  return (await named(node.name))
    .filter(isLeaf)
    .map(({ name }: any) => name)
    .join(' ');
}

/** A few fields, so that some columns of the archive are not read, and all of them. */
const fields: Record<string, string> = {
  attestations: 'day startEpoch endEpoch totalUniqueAttestations avgAttesterEffectiveness sumEndEpochBalance',
  effectiveness: 'day avgUptime avgValidatorEffectiveness validatorCount',
  proposals: 'day proposedCount proposerDutyCount',
  rewards: 'day sumRewards sumAttestationRewards sumEndEpochBalance',
};
const lists = [
  'first: 2',
  'first: 4',
  'first: 100',
  'last: 3',
  'first: 5, utc: true',
  'first: 3, orderBy: { field: PERIOD, direction: ASC }',
  'first: 100, orderBy: { field: PERIOD, direction: ASC }',
  'first: 100, fromDate: "2025-02-01", toDate: "2025-03-31"',
  'first: 100, fromDate: "2025-07-01"',
  'first: 100, toDate: "2025-01-30"',
  'first: 100, granularity: MONTH',
  'first: 100, granularity: YEAR',
  'first: 100, granularity: ALL',
  'first: 100, granularity: HOUR',
];

let setRows: unknown[][];

async function answers() {
  const found: Record<string, unknown> = {};
  for (const [field, selection] of Object.entries(fields))
    for (const args of field === 'rewards' ? lists : lists.slice(0, 2)) {
      const counted = `counted: ${field}(${args}) { totalCount nodes { ${selection} } pageInfo { hasNextPage hasPreviousPage endCursor } }`;
      const bare = `bare: ${field}(${args}) { nodes { ${await fieldsOf(field)} } }`;
      const each = [1, 2, 3, 4].map(
        (index) => `v${index}: validator(by: { index: ${index} }) { ${counted} ${bare} }`,
      );
      const { data, errors } = await gateway.graphql(`{ ${each.join(' ')} }`);
      found[`${field} ${args}`] = errors ?? data;
    }
  for (const query of [
    'limit=2',
    'limit=2&offset=3',
    'limit=1000',
    'granularity=month',
    'sortBy=day&sortOrder=asc&limit=3',
  ])
    for (const index of [1, 2]) {
      const { status, json } = await gateway.get(
        `/v1/eth/entities/${index}/attestations?entityType=validator&${query}`,
      );
      found[`rest ${query} ${index}`] = [status, json];
    }
  return found;
}

describe('days of a validator, once their months are archived', () => {
  it('are the same on all paths, in all orders, pages and periods', async () => {
    setRows = await run(`select day, count(*)::int as n, sum(sum_attestation_rewards)::text as sum
      from validator_days where not utc and validator_index in (1, 2, 3) group by day order by day`).then(
      (rows) => rows.map(({ day, n, sum }) => [day, n, sum]),
    );
    const before = await answers();
    expect(JSON.stringify(before)).not.toContain('errors');
    await archive();
    // PostgreSQL reads no month of these dates, and this process does not know yet that they are archived.
    const first = await gateway.graphql(
      '{ validator(by: { index: 1 }) { rewards(first: 9, toDate: "2025-01-31") { nodes { day } } } }',
    );
    expect(first.data.validator.rewards.nodes).toHaveLength(2);
    expect(await run('select count(*)::int as n from validator_days')).toEqual([{ n: 4 }]);
    const after = await answers();
    for (const [name, answer] of Object.entries(after)) expect([name, answer]).toEqual([name, before[name]]);
  });

  it('take the statements of days that are not archived, and one more if a page needs them', async () => {
    const statements = async (args: string) => {
      gateway.statements.length = 0;
      await gateway.graphql(
        `{ validator(by: { index: 1 }) { rewards(${args}) { nodes { day sumRewards } } } }`,
      );
      return gateway.statements.toSorted();
    };
    expect(await statements('first: 3, fromDate: "2025-05-01"')).toEqual([
      'validatorRewards',
      'validatorsByIndex',
    ]);
    expect(await statements('first: 3')).toEqual([
      'validatorRewards',
      'validatorRewards',
      'validatorsByIndex',
    ]);
  });

  it('are summed for validators that join a private set, as if they were in the database', async () => {
    const account = await accountOf(gateway);
    const created = await account.post('/v1/eth/tags', { name: 'late', validators: [1, 2, 3] });
    expect([created.status, created.json.progress?.completeFrom]).toEqual([201, '2025-05-01']);
    while ((await transaction(gateway.database.pool, sumOlderDays)) === 'summed');
    await transaction(gateway.database.pool, completeSets);
    const { json } = await account.get(`/v1/eth/sets/${created.json.id}/rewards?limit=100`);
    expect(
      json.results.map((row: any) => [row.day, row.validatorCount, String(row.sumAttestationRewards)]),
    ).toEqual(setRows);
    expect((await account.get(`/v1/eth/tags/${created.json.id}`)).json.progress ?? null).toBeNull();
    // A set's days of an archived date are never computed from the database alone.
    await expect(
      transaction(gateway.database.pool, (client) => refreshSetDays(client, 'mainnet', ['2025-01-30'])),
    ).rejects.toThrow('the archived months have changed');
  });

  it('are charged to whoever adds validators to a set, as those in the database are', async () => {
    const sizes = await openSizes(gateway.database.pool, pino({ level: 'silent' }));
    onTestFinished(sizes.stop);
    expect(sizes.current.days('mainnet')).toBe(DAYS.length);
  });

  it('of a file that is missing, truncated or changed are an error that names the month and the file', async () => {
    const path = join(folder, FIRST);
    const whole = readFileSync(path);
    onTestFinished(() => writeFileSync(path, whole));
    const ask = async () => {
      const { errors } = await gateway.graphql(
        `{ validator(by: { index: 1 }) { rewards(first: 100, toDate: "2025-01-3${(asked += 1) % 2}") { nodes { day } } } }`,
      );
      return errors?.map(({ message }: any) => message).join();
    };
    let asked = 0;
    const named = `The days of mainnet in 2025-01 are archived in ${FIRST}, which`;
    renameSync(path, `${path}.away`);
    expect(await ask()).toBe(`${named} is missing.`);
    renameSync(`${path}.away`, path);
    truncateSync(path, 900);
    expect(await ask()).toBe(`${named} was truncated: it has 900 bytes instead of ${whole.length}.`);
    const changed = Buffer.from(whole);
    changed[40] = (changed[40] as number) ^ 1;
    writeFileSync(path, changed);
    expect(await ask()).toBe(`${named} was changed.`);
    const { status, json } = await gateway.get(
      '/v1/eth/entities/1/attestations?entityType=validator&limit=999',
    );
    expect([status, json.detail]).toEqual([503, `${named} was changed.`]);
    // Other months are read as before.
    const { errors } = await gateway.graphql(
      `{ validator(by: { index: 1 }) { rewards(first: 2) { nodes { day } } } }`,
    );
    expect(errors).toBeUndefined();
  });

  it('cannot be imported: the refusal names the month and its file', async () => {
    await expect(
      importText(
        gateway,
        'validator-days',
        JSON.stringify([validatorDay('2025-04-10', { validatorIndex: 1 })]),
      ),
    ).rejects.toThrow(
      `1 of the validator-days of mainnet are in 2025-04, which is archived in ${join(folder, LAST)}`,
    );
  });

  it('move back into the database by "archive restore", are corrected there, and archived again into the same file', async () => {
    const { pool } = gateway.database;
    const restored = await restoreMonth(pool, '2025-04', () => {}, addFeesOfMonth);
    expect(restored).toEqual([
      { network: 'mainnet', month: '2025-04', path: join(folder, LAST), rows: 2, fees: 0 },
    ]);
    const rewards = async () => {
      const { data } = await gateway.graphql(
        '{ validator(by: { index: 1 }) { rewards(first: 100) { nodes { day sumAttestationRewards } } } }',
      );
      return data.validator.rewards.nodes as { day: number; sumAttestationRewards: string }[];
    };
    const before = await rewards();
    expect(before).toHaveLength(DAYS.length);
    await importText(
      gateway,
      'validator-days',
      JSON.stringify([validatorDay('2025-04-10', { validatorIndex: 1, sumAttestationRewards: 77 })]),
    );
    while (await transaction(pool, (client) => sumDueMonth(client, 'mainnet')));
    await run('update validator_day_dates set attestations_due = false, rewards_due = false');
    await archive(1);
    expect(readdirSync(folder)).toHaveLength(8);
    const day = dayOfDate('mainnet', '2025-04-10');
    expect(await rewards()).toEqual(
      before.map((row) => (row.day === day ? { ...row, sumAttestationRewards: '77' } : row)),
    );
    await expect(restoreMonth(pool, '2025-08', () => {}, addFeesOfMonth)).rejects.toThrow(
      'The month 2025-08 is not archived.',
    );
  });

  it('are compared with the catalogue by "archive verify", which notes a folder that has all of them', async () => {
    const { pool } = gateway.database;
    const other = mkdtempSync(join(tmpdir(), 'stakegraph-test-archive-'));
    onTestFinished(() => rmSync(other, { recursive: true, force: true }));
    const verified = async (where?: string) => {
      const errors: (string | undefined)[] = [];
      const isRight = await verifyArchive(pool, where, ({ error }) => errors.push(error));
      return [isRight, errors];
    };
    // Two files for each month: its days and their sums.
    expect(await verified()).toEqual([true, Array(8).fill(undefined)]);
    cpSync(folder, other, { recursive: true });
    rmSync(join(other, FIRST));
    rmSync(join(other, '_validator_sums-mainnet-2025-02.parquet'));
    expect(await verified(other)).toEqual([
      false,
      ['is missing', undefined, undefined, 'is missing', ...Array(4).fill(undefined)],
    ]);
    expect(await run('select distinct folder from archived_months')).toEqual([{ folder }]);
    cpSync(folder, other, { recursive: true });
    expect((await verified(other))[0]).toBe(true);
    expect(await run('select distinct folder from archived_months')).toEqual([{ folder: other }]);
    const path = join(other, FIRST);
    const bytes = readFileSync(path);
    bytes[bytes.length - 20] = (bytes[bytes.length - 20] as number) ^ 1;
    writeFileSync(path, bytes);
    expect((await verified())[1]).toEqual([
      'was changed: its SHA-256 is not that of the catalogue',
      ...Array(7).fill(undefined),
    ]);
  });
});
