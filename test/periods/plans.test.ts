import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { epochsOfDay, epochsOfHour } from '../../src/chain/calendar.ts';
import { createPool, type Pool, transaction } from '../../src/db/pool.ts';
import { attestationImporter, type ImportedAttestation } from '../../src/ingest/importers/attestations.ts';
import { loadRows } from '../../src/ingest/merge/load-rows.ts';
import type { Range } from '../../src/kernel/page.ts';
import {
  type AttestationQuery,
  attestationPages,
  setAttestationPages,
} from '../../src/resources/attestations/queries.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';

let database: TestDatabase;
let served: Pool; // plans statements as the gateway does
let set: string;

const sums = {
  ...{ totalUniqueAttestations: '1', sumMissedAttestations: '0', sumMissedSyncSignatures: null },
  ...{ sumCorrectHead: '1', sumCorrectTarget: '1', sumCorrectSource: '1', sumWrongHeadVotes: '0' },
  ...{ sumWrongTargetVotes: '0', sumLateTargetVotes: '0', sumLateSourceVotes: '0', sumInclusionDelay: '1' },
  ...{ sumSyncSignatureCount: null, sumEndEpochBalance: '32', sumEndEpochEffectiveBalance: '32' },
};
const rowOf = (day: number, hour: number | null) => {
  const { first, last } =
    hour === null ? epochsOfDay('mainnet', 'chain', day) : epochsOfHour('mainnet', 'chain', hour);
  return {
    ...{ id: 'years', entityType: 'pool', network: 'mainnet', calendar: 'chain', hour, day },
    ...{ validatorCount: 1, avgAttesterEffectiveness: 99, startEpoch: first, endEpoch: last },
    ...sums,
  } as unknown as ImportedAttestation;
};

const years = [200, 565, 930, 1295, 1661]; // a day of each year from 2021 on
const months = [1500, 1530, 1560, 1590]; // a day of each month from January to April of 2025

beforeAll(async () => {
  database = await createDatabase('empty');
  served = createPool({ url: database.url, readOnly: true, max: 1, prepared: true });
  const rows = [...years.map((day) => rowOf(day, null)), ...months.map((day) => rowOf(day, 24 * day + 5))];
  await transaction(database.pool, (client) => loadRows(client, attestationImporter, rows));
  set = await storeSets();
});
afterAll(async () => {
  await served.end();
  await database.drop();
});

/** Twenty sets of 500 days each; gives the id of one. */
async function storeSets(): Promise<string> {
  const run = async (text: string) => (await database.pool.query({ text, values: [] })).rows;
  await run(`with account as (insert into accounts (name, tier) values ('sets', 'growth') returning account_id)
    insert into private_sets (account_id, network, name, created_by, created_at, updated_at)
    select account_id, 'mainnet', 'set ' || i, 'test', now(), now() from account, generate_series(1, 20) i`);
  const columns = await run(`select column_name as name from information_schema.columns
    where table_name = 'private_set_days' and is_generated = 'NEVER' and ordinal_position > 4`);
  await run(`insert into private_set_days (set_id, utc, day, date, ${columns.map(({ name }) => name).join()})
    select set_id, false, day, date '2020-12-01' + day, ${columns.map(() => 1).join()}
    from private_sets, generate_series(1, 500) day`);
  await run('analyze private_sets, private_set_days');
  return (await run('select set_id from private_sets limit 1'))[0]?.set_id as string;
}

const open = { fromDay: null, toDay: null, fromDate: null, toDate: null };
const days = { granularity: 'day', calendar: 'chain', sortBy: 'day', sortOrder: 'asc', ...open } as const;

/** How PostgreSQL runs what a page asks for. */
async function planOf(ask: (db: Pick<Pool, 'query'>) => Promise<unknown>): Promise<string> {
  let plan = '';
  await ask({
    async query({ text, values }) {
      const { rows } = await served.query({ text: `explain (analyze, costs off) ${text}`, values });
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return { rows: [] };
    },
  });
  return plan;
}

describe('a page of an entity', () => {
  /** The parts that are looked into. */
  async function partsOf(query: AttestationQuery, range: Range<number>) {
    const entity = { network: 'mainnet', idType: 'pool', id: 'years' } as const;
    const plan = await planOf((db) => attestationPages(db, [entity], query, range, ['day']));
    const scans = [...plan.matchAll(/on attestation_(?:days|hours)_(\w+) .*\((.*)\)/g)];
    return scans
      .filter(([, , done]) => done !== 'never executed')
      .map(([, part]) => part)
      .sort();
  }

  it.each([
    ['asc', {}, ['2021_06', '2022_06']], // one row more than the page tells whether there are more
    ['desc', {}, ['2024_06', '2025_06']],
    ['asc', { after: 565 }, ['2022_06', '2023_06', '2024_06']], // the cursor's own month may have more
    ['desc', { after: 930 }, ['2021_06', '2022_06', '2023_06']],
  ] as const)('looks into the months of its days alone: %s %j', async (sortOrder, from, wanted) => {
    expect(await partsOf({ ...days, sortOrder }, { ...from, limit: 1 })).toEqual(wanted);
  });

  it.each([
    ['asc', {}, ['2025_01', '2025_02']],
    ['desc', {}, ['2025_03', '2025_04']],
    ['asc', { after: 24 * 1530 + 5 }, ['2025_02', '2025_03', '2025_04']],
    ['desc', { after: 24 * 1560 + 5 }, ['2025_01', '2025_02', '2025_03']],
    ['asc', { before: 24 * 1530 + 5, after: 24 * 1530 }, ['2025_02']],
  ] as const)('looks into the months of its hours alone: %s %j', async (sortOrder, from, wanted) => {
    expect(await partsOf({ ...days, granularity: 'hour', sortOrder }, { ...from, limit: 1 })).toEqual(wanted);
  });
});

describe('a page of a private set', () => {
  it.each([
    ['asc', {}, {}],
    ['desc', {}, { fromDay: 100 }],
    ['desc', { after: 400 }, { fromDay: 100 }],
    ['asc', { after: 100, before: 400 }, { fromDay: 10, toDay: 450 }],
  ] as const)('reads its own rows alone: %s %j %j', async (sortOrder, from, bounds) => {
    const query = { ...days, sortOrder, ...bounds };
    const plan = await planOf((db) =>
      setAttestationPages(db, [{ network: 'mainnet', id: set }], query, { ...from, limit: 10 }, ['day']),
    );
    expect(plan).toMatch(/using private_set_days_pkey on private_set_days a .*\(actual .*rows=11\b/);
    expect(plan).not.toContain('Sort');
  });
});
