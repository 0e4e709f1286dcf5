import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dateOfDay } from '../../src/chain/calendar.ts';
import type { Pool } from '../../src/db/pool.ts';
import { importFile } from '../../src/ingest/import-file.ts';
import type { ImportResource } from '../../src/ingest/importers/index.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';
import { operator, share, useFiles } from './rows.ts';

const write = useFiles();
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());
const run = (text: string) => database.pool.query({ text, values: [] });

type Plan = { 'Node Type': string; 'Relation Name'?: string; Plans?: Plan[] };
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** Calls back for each statement of a client, before it runs. */
function watch(client: pg.PoolClient, before: (text: string, values?: unknown[]) => Promise<void>) {
  const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
  const watched = async (statement: string, values?: unknown[]) => {
    await before(statement, values);
    return query(statement, values);
  };
  return new Proxy(client, {
    get: (target, name) =>
      name === 'query'
        ? (statement: unknown, values?: unknown[]) =>
            typeof statement === 'string' ? watched(statement, values) : query(statement)
        : Reflect.get(target, name, target),
  });
}

/** The pool of the database, whose clients call back for each statement before they run it. */
const watchedPool = (
  before: (client: pg.PoolClient, text: string, values?: unknown[]) => Promise<void>,
): Pool => ({
  ...database.pool,
  withClient: (work) =>
    database.pool.withClient((client) => work(watch(client, (text, values) => before(client, text, values)))),
});

/** The plan that PostgreSQL chooses if it expects one row of a million. It depends on the version and on the statistics. */
const NESTED = 'set local enable_hashjoin = off; set local enable_mergejoin = off';

/** Imports rows; gives how PostgreSQL ran what the import asked of stored rows, by the names of the statements. */
const planned = (...given: Given) => plannedWith(NESTED, given);

type Given = Parameters<typeof importFile> extends [Pool, ...infer Rest] ? Rest : never;
async function plannedWith(settings: string, given: Given) {
  const plans: Record<string, Plan> = {};
  const pool = watchedPool(async (client, text, values) => {
    const name = /^\/\* (\w+) \*\/\s*(?:update|insert|delete|with)\b/.exec(text)?.[1];
    if (!name) return;
    await client.query(settings);
    const { rows } = await client.query(`explain (format json) ${text}`, values);
    plans[name] = rows[0]['QUERY PLAN'][0].Plan;
  });
  const report = await importFile(pool, ...given);
  expect(report).toMatchObject({ loaded: true, rejected: 0 });
  return plans;
}

const counts = {
  ...{ totalUniqueAttestations: 1, sumMissedAttestations: 0, sumMissedSyncSignatures: null },
  ...{ sumSyncSignatureCount: null, sumCorrectHead: 1, sumCorrectTarget: 1, sumCorrectSource: 1 },
  ...{ sumWrongHeadVotes: 0, sumWrongTargetVotes: 0, sumLateTargetVotes: 0, sumLateSourceVotes: 0 },
  sumInclusionDelay: 1,
};
const epochs = (day: number) => ({ day, startEpoch: day * 225, endEpoch: day * 225 });
const validatorDay = (validatorIndex: number, day: number) => ({
  ...{ validatorIndex, ...epochs(day), ...counts, proposedCount: 0, missedProposalCount: 0 },
  ...{ endEpochBalance: 32, endEpochEffectiveBalance: 32, sumAttestationRewards: 1 },
  ...{ sumSyncCommitteeRewards: 0, sumProposerRewards: 0, sumPriorityFees: 0, sumBaselineMev: 0 },
});
const entityDay = (day: number) => ({
  ...{ id: 'x', entityType: 'pool', ...epochs(day), ...counts, validatorCount: 1 },
  ...{ avgAttesterEffectiveness: 99, sumEndEpochBalance: 32, sumEndEpochEffectiveBalance: 32 },
});

describe('an import of days', () => {
  it.each<{ resource: ImportResource; row: (day: number) => object; days: number[]; table: string }>([
    {
      resource: 'validator-days',
      row: (day) => validatorDay(7, day),
      days: [1_461, 1_492, 1_551],
      table: 'validator_days',
    },
    { resource: 'attestations', row: entityDay, days: [800, 1_200, 1_551], table: 'attestation_days' },
  ])('looks into the parts of their months alone: $resource', async ({ resource, row, days, table }) => {
    await planned(resource, await write(days.map(row)), { network: 'mainnet' });
    await run('analyze');
    for (const some of [days.slice(2), days.filter((_, at) => at !== 1)]) {
      const plans = await planned(resource, await write(some.map(row)), { network: 'mainnet' });
      const merges = Object.entries(plans).filter(([name]) =>
        /^(update|insert)(Staged|Attestations)$/.test(name),
      );
      expect(merges).toHaveLength(2);
      const parts = some.map((day) => dateOfDay('mainnet', day).slice(0, 7).replace('-', '_'));
      for (const [, plan] of merges) {
        const scans = nodesOf(plan).filter((node) => node['Node Type'].includes('Scan'));
        const tables = scans.map((node) => node['Relation Name']).filter((name) => /_days/.test(name ?? ''));
        expect(tables.toSorted()).toEqual(parts.map((month) => `${table}_${month}`));
      }
    }
  });
});

describe('an import that replaces its list', () => {
  /** Whether a join reads every staged row again for each row of its other side. */
  const rereads = (plan: Plan) =>
    nodesOf(plan).some(
      (node) =>
        node['Node Type'] === 'Nested Loop' &&
        nodesOf(node.Plans?.[1] as Plan).some(
          (inner) => inner['Node Type'] === 'Seq Scan' && inner['Relation Name'] === 'staged',
        ),
    );
  const many = Array.from({ length: 1_000 }, (_, index) => index);
  const validator = (validatorIndex: number) => ({
    validatorIndex,
    validatorPubkey: `0x${validatorIndex.toString(16).padStart(96, '0')}`,
    depositAddress: `0x${'1'.repeat(40)}`,
    slashed: false,
  });

  slow.each<[ImportResource, (index: number) => object]>([
    ['operators', (index) => operator(`o${index}`)],
    ['validators', validator],
  ])('reads no staged row again for each stored one, also in a nested loop: %s', async (resource, row) => {
    const [first, second] = [many.map(row), many.map((index) => row(index + 10))];
    for (const rows of [first, second]) {
      const plans = await planned(resource, await write(rows), { network: 'mainnet', replace: true });
      expect(Object.keys(plans)).toContain(
        resource === 'operators' ? 'removeAbsentSummaries' : 'removeAbsent',
      );
      for (const [name, plan] of Object.entries(plans)) expect([name, rereads(plan)]).toEqual([name, false]);
    }
  });
});

describe('a first import', () => {
  slow(
    'of a list reads no stored row again for each staged one, though the table was vacuumed while it was empty',
    async () => {
      await run('truncate operator_summaries, operator_lists cascade');
      await run('vacuum analyze operator_summaries');
      const rows = Array.from({ length: 3_000 }, (_, index) => operator(`o${index}`));
      const given: Given = ['operators', await write(rows), { network: 'mainnet', replace: true }];
      const { insertSummaries } = await plannedWith('select', given);
      expect(nodesOf(insertSummaries as Plan).map((node) => node['Node Type'])).not.toContain('Nested Loop');
    },
  );

  it('of attestations does not either, if their month was vacuumed while it was empty', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => ({ ...entityDay(1_300), id: `o${index}` }));
    const given: Given = ['attestations', await write(rows), { network: 'mainnet' }];
    await plannedWith('select', given);
    await run('truncate attestation_days');
    await run('vacuum analyze attestation_days');
    const { insertAttestations, updateAttestations } = await plannedWith('select', given);
    for (const plan of [insertAttestations, updateAttestations])
      expect(nodesOf(plan as Plan).map((node) => node['Node Type'])).not.toContain('Nested Loop');
  });
});

it('an import of pool shares, whose pools and node operators have a list each, does not compare each member with each list', async () => {
  const rows = Array.from({ length: 50 }, (_, index) =>
    share(`s${index}`, { poolId: `p${index}`, nodeOperatorId: `n${index}`, timeWindow: '30d' }),
  );
  const { rankOperators } = await planned('operators', await write(rows), { network: 'hoodi' });
  const reads = (plan: Plan, type: string) => nodesOf(plan).some((node) => node['Node Type'] === type);
  const joined = nodesOf(rankOperators as Plan).filter(
    ({ Plans: [outer, inner] = [] }) =>
      outer && inner && reads(outer, 'CTE Scan') && reads(inner, 'CTE Scan'),
  );
  expect(joined).toEqual([]);
  const lists = await run(`select count(*)::int as n from operator_lists where network = 'hoodi'
    and superseded_at is null and id_type = 'poolShare'`);
  expect(lists.rows).toEqual([{ n: 201 }]); // one of all, and two of each pool and node operator
});

describe('merges of very many rows', () => {
  /** Gives a pool, and whether statements of this name may use nested loops and merge joins. */
  function joinsOf(name: string) {
    const seen: string[] = [];
    const pool = watchedPool(async (client, text) => {
      if (!text.startsWith(`/* ${name} */`)) return;
      const { rows } = await client.query(
        `select concat_ws(' ', current_setting('enable_nestloop'), current_setting('enable_mergejoin')) as is`,
      );
      seen.push(rows[0].is);
    });
    return { pool, seen };
  }

  slow('store names for searches by hashing, unless search_names was analyzed since it grew', async () => {
    const { pool, seen } = joinsOf('storeNames');
    const load = async (timeWindow: string) => {
      const rows = Array.from({ length: 1_000 }, (_, index) => operator(`o${index}`, { timeWindow }));
      await importFile(pool, 'operators', await write(rows), { network: 'hoodi' });
    };
    await run('delete from search_names');
    await run('vacuum analyze search_names');
    await load('1d');
    await run('analyze search_names');
    await load('7d');
    expect(seen).toEqual(['off off', 'on on']);
  });

  slow('hash attestations, unless they are few of the stored ones of their months', async () => {
    const { pool, seen } = joinsOf('updateAttestations');
    const rows = Array.from({ length: 20_000 }, (_, index) => ({ ...entityDay(1_300), id: `o${index}` }));
    const load = async (count: number) =>
      importFile(pool, 'attestations', await write(rows.slice(0, count)), { network: 'mainnet' });
    await load(20_000);
    await run('analyze attestation_days');
    await load(20_000);
    await load(1_500);
    expect(seen).toEqual(['off off', 'off off', 'on on']);
  });
});

describe('--skip-invalid', () => {
  slow(
    'asks for repeated rows as often however many there are, and hands all of them back in their order',
    async () => {
      /** A file with so many rows twice; what is handed back, and the statements that are asked of all rows. */
      async function load(repeated: number) {
        const rows = [
          ...Array.from({ length: repeated }, (_, index) => validatorDay(index, 1_400)),
          validatorDay(9_999, 1_400),
        ];
        let statements = 0;
        const watched = watchedPool(async (_client, text) => {
          if (!/\bfetch\b/.test(text)) statements += 1;
        });
        const rejected: number[] = [];
        const report = await importFile(
          watched,
          'validator-days',
          await write([...rows, ...rows.slice(0, repeated)]),
          {
            ...{ network: 'mainnet', skipInvalid: true },
            onRejected: (text) => rejected.push(JSON.parse(text).validatorIndex),
          },
        );
        expect(report).toMatchObject({ loaded: true, rejected: repeated, faultCount: repeated });
        expect(report.faults[0]).toMatchObject({ place: `row ${repeated + 2}`, msg: 'repeats row 1' });
        return { rejected, statements };
      }
      const [few, most] = [await load(3), await load(2_500)];
      expect(most.rejected).toEqual(Array.from({ length: 2_500 }, (_, index) => index));
      expect(most.statements).toBe(few.statements);
    },
  );
});
