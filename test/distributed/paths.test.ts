import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLayout, useLayout } from '../../src/db/distributed/layout.ts';
import { partsOf } from '../../src/maintenance/retain/parts.ts';
import { slashing } from '../ingest/rows.ts';
import { load, published, randomDay, refreshed, syncDay, validator, validatorDay } from '../refresh/facts.ts';
import { accountOf } from '../support/account.ts';
import { callsOf, createDistributed, isRealCitus } from '../support/citus.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { recordQueries } from '../support/sent.ts';
import { brokenOnDays } from './rules.ts';

/** Statements on distributed days, by their names; Citus 13.0.3 answered those forms as PostgreSQL does. */
const onDistributedDays = {
  'select with conditions on columns': ['localDays', 'windowDays'],
  'sums by validator into a local table': ['sumMonth'],
  'sums of members, which are local, into a local table': ['addSetDays', 'refreshSetDays'],
  'merge from a table that is distributed alike': [
    ...['insertStaged', 'makeColocated', 'startFromStored', 'startOfNextDays', 'updateStaged'],
  ],
};

const DAY = 1_500;
const indices = [0, 1, 2, 3, 4, 5, 6, 7];
const days = [0, 1, 2, 29, 30, 31].map((more) => DAY + more);
const facts = fc.sample(fc.tuple(...days.flatMap((day) => indices.map((index) => randomDay(index, day)))), {
  seed: 7,
  numRuns: 1,
})[0] as ReturnType<typeof validatorDay>[];
const owners = (index: number) => ({ nodeOperator: `N${index % 3}`, withdrawalAddress: null });
const set = (index: number) => validator(index, { ...owners(index), slashed: index === 7 });

const sets = (id: string) => [
  ...['effectiveness', 'rewards'].map((figure) => `/v1/eth/sets/${id}/${figure}?granularity=day&limit=100`),
  `/v0/eth/operators/${id}/summary?window=all&idType=privateSet`,
];
const paths = [
  '/v0/eth/slashings',
  ...['1d', '30d', 'all'].map((window) => `/v0/eth/operators?window=${window}&size=100`),
  '/v1/eth/entities/N1/attestations?entityType=nodeOperator&limit=50',
  '/v0/eth/network/chainDailyRewards',
];
const figures = `validator(by: { index: 3 }) {
  attestations(first: 3) { totalCount nodes { day totalUniqueAttestations avgAttesterEffectiveness } pageInfo { endCursor } }
  utc: attestations(utc: true) { totalCount nodes { day } }
  hours: attestations(granularity: HOUR) { totalCount }
  rewards(granularity: MONTH) { nodes { startDay sumRewards } }
  worst: effectiveness(orderBy: { field: AVG_UPTIME }, first: 2) { nodes { day avgUptime } }
  effectiveness(fromDay: ${DAY + 1}, toDay: ${DAY + 30}, last: 2) { nodes { day avgUptime avgCorrectness } } }
  operator(operatorId: "N1", idType: NODE_OPERATOR) {
    validators(first: 10) { nodes { validatorIndex rewards(first: 2) { totalCount nodes { day sumRewards } } } } }`;

/** Imports, corrections, refreshes and a private set, and all that is then published and answered. */
async function story(gateway: Gateway) {
  const reports: unknown[] = [];
  const told = async () => {
    for (const { seconds: _, ...report } of await refreshed(gateway)) reports.push(report);
  };
  await load(gateway, 'validators', indices.map(set));
  await load(gateway, 'validator-clients', [{ validatorIndex: 1, client: 'lodestar' }]);
  await load(gateway, 'slashings', [
    slashing(7, { slashingEpoch: DAY * 225 + 10, withdrawableEpoch: DAY * 225 + 20_000 }),
  ]);
  await load(gateway, 'validator-days', facts);
  await load(
    gateway,
    'validator-days',
    facts.slice(0, 8).map((row) => ({ ...row, utc: true, startEpoch: 337_388, endEpoch: 337_612 })),
  );
  await told();
  const account = await accountOf(gateway);
  const made = await account.post('/v1/eth/tags', { name: 'mine', validators: [1, 2, 3] });
  await account.post(`/v1/eth/tags/${made.json.id}/validators`, { pubkeys: [5] });
  await load(gateway, 'validator-days', [
    { ...(facts[9] as object), sumAttestationRewards: 7 },
    validatorDay(1, DAY + 32),
    syncDay(2, DAY + 32),
    validatorDay(7, DAY + 32, { endEpochBalance: 31_000_000_000 }),
  ]);
  await load(gateway, 'validator-days', facts.slice(16));
  await told();
  await told();
  const bodies: string[] = [];
  for (const [path, answer] of [
    ...paths.map((path) => [path, gateway.get(path)] as const),
    ...sets(made.json.id).map((path) => [path, account.get(path)] as const),
  ]) {
    const { status, text } = await answer;
    expect([path, status]).toEqual([path, 200]);
    bodies.push(text.replaceAll(made.json.id, 'ID'));
  }
  gateway.statements.length = 0;
  const { text, errors } = await gateway.graphql(`{ ${figures} }`);
  expect(errors).toBeUndefined();
  return {
    reports,
    published: await published(gateway),
    bodies,
    figures: text,
    read: [...gateway.statements],
  };
}

type Told = Awaited<ReturnType<typeof story>>;
let onPlain: Told;
let onCitus: Told;
let gateway: Gateway;
const sent: Record<'plain' | 'citus', string[]> = { plain: [], citus: [] };

async function recorded(into: string[], work: () => Promise<Told>): Promise<Told> {
  const stop = recordQueries((text) => into.push(text));
  try {
    return await work();
  } finally {
    stop();
  }
}

const nameOf = (text: string) => /\/\* (\w+) \*\//.exec(text)?.[1] ?? text;
const inOrder = (names: Iterable<string>) => [...new Set(names)].sort();

beforeAll(async () => {
  const plain = await startGateway({ template: 'empty' });
  onPlain = await recorded(sent.plain, () => story(plain)).finally(plain.close);
  const database = await createDistributed();
  await openLayout(database.pool);
  gateway = await startGateway({ database });
  onCitus = await recorded(sent.citus, () => story(gateway));
}, 120_000);
afterAll(async () => {
  useLayout('plain');
  await gateway?.close();
  await gateway?.database.drop();
});

describe('a database with distributed days of validators', () => {
  it('gets the same rows, revisions and counts from imports and refreshes', () => {
    expect(onCitus.reports).toEqual(onPlain.reports);
    expect(onCitus.published).toEqual(onPlain.published);
  });

  it('gives the same bodies, in the same number of statements', () => {
    expect(onCitus.bodies).toEqual(onPlain.bodies);
    expect(onCitus.figures).toBe(onPlain.figures);
    expect(onCitus.read.toSorted()).toEqual(onPlain.read.toSorted()); // they run at the same time
  });

  it.skipIf(isRealCitus)('has its rows staged in a table that is distributed alike', async () => {
    const calls = await callsOf(gateway.database.url);
    expect(inOrder(calls.filter((call) => call.includes('staged')))).toEqual([
      'create_distributed_table(staged_validator_days, validator_index, validator_days, default)',
    ]);
  });

  it('tells months that can be dropped with the size on all nodes', async () => {
    const parts = await partsOf(gateway.database.pool, 'validator_days');
    expect(parts.length).toBeGreaterThan(1);
    for (const { rows, bytes } of parts) expect([rows > 0, bytes > 0]).toEqual([true, true]);
  });

  it('gets no other statements on distributed days than those that Citus answers as PostgreSQL does', () => {
    const found = sent.citus.filter((text) => /\bvalidator_days\b/.test(text));
    expect(inOrder(found.map(nameOf))).toEqual(Object.values(onDistributedDays).flat().sort());
    for (const text of found) expect([nameOf(text), brokenOnDays(text)]).toEqual([nameOf(text), []]);
    expect(onCitus.read).toEqual(expect.arrayContaining(['validatorRewards', 'validatorAttestationPages']));
  });

  it('gets statements that copy, of which a plain database gets none', () => {
    const copying = [
      ...['analyzeColocated', 'analyzeLocalDays', 'distributeColocated', 'dropColocated'],
      ...['fillColocated', 'indexColocated', 'localDays', 'makeColocated', 'newestDate'],
    ];
    expect(inOrder(sent.citus.map(nameOf))).toEqual(expect.arrayContaining(copying));
    expect(sent.plain.map(nameOf).filter((name) => copying.includes(name))).toEqual([]);
  });
});

/** The modules that name the table, each with the reason why Citus misreads none of its statements. */
const naming: Record<string, string> = {
  'commands/distribute.ts': 'help',
  'commands/repack.ts': 'a message',
  'db/changes/datasets.ts': 'names',
  'db/distributed/layout.ts': 'catalogue',
  'maintenance/transfer/detached.ts': 'names of months',
  'maintenance/transfer/target.ts': 'a refusal',
  'indexer/store/day-fees.ts': 'a select by validators and dates, and an update from arrays',
  'indexer/store/day-rows.ts': 'a deletion of a day, COPY, and updates from arrays',
  'indexer/store/hour-rows.ts': 'a local table with its columns',
  'indexer/store/record.ts': 'a comment',
  'maintenance/distribute/checks.ts': 'catalogue',
  'maintenance/distribute/index.ts': 'calls of Citus, and sums over all rows',
  'refresh/local-days.ts': 'copies to local tables',
  'refresh/sums.ts': 'sums by validator into local tables',
  'refresh/validators.ts': 'select with conditions on columns',
  'maintenance/repack/order.ts': 'the command is refused',
  'maintenance/retain/parts.ts': 'months by the catalogue',
  'maintenance/retain/archiving.ts': 'the command is refused',
  'maintenance/archive/restore.ts': 'no month of distributed days is archived',
  'archive/read.ts': 'columns; no month of distributed days is archived',
  'archive/table-rows.ts': 'a refused command; no month of distributed days is archived',
  'archive/write.ts': 'names of files, and a refused command',
  'ingest/importers/start-balances.ts': 'joins by validator with a table that is distributed alike',
  'ingest/importers/validator-days.ts': 'the merge from a table that is distributed alike',
  'ingest/importers/validator-months.ts': 'sums by validator into a local table',
  'periods/sources.ts': 'days_of_validator instead, if days are distributed',
  'resources/private-sets/set-days.ts': 'sums of members into a local table',
  'resources/validator-ranking/queries.ts': 'rankings are refused',
  'sample/load-private-set.ts': 'an empty database gets the sample',
};

describe('the sources', () => {
  it('name validator_days only in modules that were checked for Citus', () => {
    const root = fileURLToPath(new URL('../../src', import.meta.url));
    const found = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && /\bvalidator_days\b/.test(readFileSync(join(root, name), 'utf8')),
    );
    expect(found.map((name) => name.replaceAll('\\', '/')).sort()).toEqual(Object.keys(naming).sort());
  });
});

describe('the rules for statements on distributed days', () => {
  it.each([
    [
      'a lateral subquery with a limit or count',
      'select from k cross join lateral (select count(*) from validator_days) t',
    ],
    [
      'a lateral subquery with a limit or count',
      'select from s join lateral (select 1 from validator_days order by 1 limit 1) d on true',
    ],
    ['a WITH query', 'with h as (select max(date) from validator_days) select from h'],
    [
      'a cast to text in an update',
      'update validator_days t set day = 1 from s where row(t.day)::text <> s.x::text',
    ],
    [
      'an update or deletion by a join with a local table',
      'update validator_days d set day = 1 from index_late_penalties p where p.validator_index = d.validator_index',
    ],
    [
      'an update or deletion by a join with a local table',
      'delete from validator_days d using blocks b where b.validator_index = d.validator_index',
    ],
    [
      'a function in RETURNING that may change',
      'update validator_days d set day = g.day from unnest($1::int[]) g (day) returning d.date::text',
    ],
  ])('find %s', (rule, text) => expect(brokenOnDays(text)).toContain(rule));
});
