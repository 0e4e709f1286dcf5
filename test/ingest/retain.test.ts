import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { dayOfDate } from '../../src/chain/calendar.ts';
import { networks } from '../../src/chain/networks.ts';
import { openStore } from '../../src/indexer/store/index.ts';
import { firstSlotOn } from '../../src/ingest/dropped-time.ts';
import { type Ages, agesOf } from '../../src/ingest/retain/ages.ts';
import { keptDate, type RetainReport, retain } from '../../src/ingest/retain/index.ts';
import { SLOTS_AT_ONCE } from '../../src/ingest/retain/slots.ts';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';

const gateway = useGateway({ template: 'empty' });
const run = (text: string) => gateway.database.pool.query({ text, values: [] }).then(({ rows }) => rows);
const load = (resource: Parameters<typeof importText>[1], rows: object[], options = {}) =>
  importText(gateway, resource, JSON.stringify(rows), options);

/** Whether the sums of a month are stored, which a refresh does. */
const sumsOfMonths = (stored: boolean) =>
  run(`create or replace function validator_sums_cover(asked_network text, asked_month date) returns boolean
    language sql stable as $$ select ${stored} $$`);

beforeEach(async () => {
  await run(`truncate validator_days, validator_day_dates, attestation_hours, attestation_days, blocks,
    sync_committee_slots, sync_committees, chain_heads, kept_from cascade`);
  await sumsOfMonths(true);
});

const NOW = new Date('2025-05-10T00:00:00Z');
async function retained(ages: Ages, options: object = {}): Promise<RetainReport[]> {
  const reports: RetainReport[] = [];
  const given = { ages, dryRun: false, now: NOW, pauseMs: 10, attempts: 3, ...options };
  await retain(gateway.database.pool, given, (report) => reports.push(report));
  return reports;
}
const short = (reports: RetainReport[]) =>
  reports.map(({ table, part, network, state }) => [part ?? table, network, state].filter(Boolean).join(' '));
const keptFrom = () =>
  run('select dataset, network, date::text as date from kept_from order by dataset, network');

const validatorDay = (date: string, change: object = {}) => {
  const day = dayOfDate('mainnet', date);
  return {
    ...{ validatorIndex: 7, day, startEpoch: day * 225, endEpoch: day * 225 + 224 },
    ...{ totalUniqueAttestations: 224, sumMissedAttestations: 1, sumMissedSyncSignatures: null },
    ...{ sumSyncSignatureCount: null, sumCorrectHead: 220, sumCorrectTarget: 223, sumCorrectSource: 224 },
    ...{ sumWrongHeadVotes: 4, sumWrongTargetVotes: 1, sumLateTargetVotes: 0, sumLateSourceVotes: 0 },
    ...{ sumInclusionDelay: 230, proposedCount: 0, missedProposalCount: 0, endEpochBalance: 32014860472 },
    ...{ endEpochEffectiveBalance: 32000000000, sumAttestationRewards: -1200, sumSyncCommitteeRewards: 0 },
    ...{ sumProposerRewards: 0, sumPriorityFees: 0, sumBaselineMev: 0, ...change },
  };
};
const DATES = ['2024-11-20', '2024-12-30', '2025-01-09', '2025-02-08', '2025-04-19'];
const loadDays = () =>
  load(
    'validator-days',
    DATES.map((date) => validatorDay(date)),
  );
const dates = () => run('select date::text as date from validator_days order by date');
const days = { 'validator-days': 90 };

describe('what is kept', () => {
  it.each([
    [90, '2025-05-10', '2025-06-01', '2025-02-10'],
    [90, '2025-05-10', '2025-04-30', '2025-01-31'],
    [1, '2025-05-10', '2025-05-10', '2025-05-10'],
  ])('of %i days on %s with data until %s begins on %s', (age, today, newest, kept) => {
    expect(keptDate(age, new Date(`${today}T13:00:00Z`), newest)).toBe(kept);
  });

  it.each([
    [['validator-days=400d', 'blocks=31d'], { 'validator-days': 400, blocks: 31 }],
    [['validator-days=89d'], 'validator-days needs a number of days from 90d to 36500d, because'],
    [['blocks=400'], 'blocks needs a number of days from 31d'],
    [['slashings=9d'], 'dataset=days by comma is needed'],
    [['blocks=40d', 'blocks=50d'], 'blocks is given twice'],
    [[], 'it names no dataset'],
  ])('%j is read as %j', (items, expected) => {
    const read = agesOf(items);
    if (typeof expected === 'string') expect(read).toContain(expected);
    else expect(read).toEqual(expected);
  });
});

describe('months of days of validators', () => {
  it('older than the given days are dropped, with their dates, and the revision is raised', async () => {
    await loadDays();
    const [before] = await run(`select revision from datasets where name = 'validator-days'`);
    const told = await retained(days);
    expect(short(told)).toEqual(['validator_days_2024_11 dropped', 'validator_days_2024_12 dropped']);
    expect(told[0]).toMatchObject({ from: '2024-11-01', before: '2024-12-01', rows: 1 });
    expect(told[0]?.bytes).toBeGreaterThan(8_000);
    expect((await dates()).map(({ date }) => date)).toEqual(DATES.slice(2));
    expect(await run('select min(date)::text as date from validator_day_dates')).toEqual([
      { date: DATES[2] },
    ]);
    expect(await keptFrom()).toEqual(
      networks.toSorted().map((network) => ({ dataset: 'validator-days', network, date: '2025-01-01' })),
    );
    const [after] = await run(`select revision from datasets where name = 'validator-days'`);
    expect(Number(after?.revision)).toBe(Number(before?.revision) + 2);
    expect(short(await retained(days))).toEqual(['validator_days nothing']);
  });

  it('have the date from which they are kept in the list of datasets, in the same statement', async () => {
    await loadDays();
    await retained(days);
    await run(`insert into kept_from values ('attestation-hours', 'hoodi', '2025-03-01')`);
    await run(`select raise_revision('attestations')`);
    gateway.statements.length = 0;
    const { data } = await gateway.graphql('{ datasets { name keptFrom { network facts date } } }');
    expect(gateway.statements).toEqual(['listDatasets']);
    const of = (name: string) => data.datasets.find((row: any) => row.name === name)?.keptFrom;
    expect(of('validator-days')).toEqual(
      networks.toSorted().map((network) => ({ network, facts: 'validator-days', date: '2025-01-01' })),
    );
    expect(of('attestations')).toEqual([
      { network: 'hoodi', facts: 'attestation-hours', date: '2025-03-01' },
    ]);
    for (const { name, keptFrom } of data.datasets)
      if (!['validator-days', 'attestations'].includes(name)) expect(keptFrom).toEqual([]);
  });

  it('stay in a dry run, which tells the same parts, rows and bytes', async () => {
    await loadDays();
    const planned = await retained(days, { dryRun: true });
    expect(short(planned)).toEqual([
      'validator_days_2024_11 would drop',
      'validator_days_2024_12 would drop',
    ]);
    expect(await dates()).toHaveLength(DATES.length);
    expect(await keptFrom()).toEqual([]);
    const plain = ({ state: _, seconds: __, ...report }: RetainReport) => report;
    expect((await retained(days)).map(plain)).toEqual(planned.map(plain));
  });

  it('stay while a refresh has not added them up for the window all, and the report says what to run', async () => {
    await loadDays();
    await sumsOfMonths(false);
    const told = await retained(days);
    expect(told.map(({ state }) => state)).toEqual(['refused', 'refused']);
    expect(told[0]?.error).toContain('run stakegraph refresh --windows all first');
    expect(await dates()).toHaveLength(DATES.length);
  });

  it('cannot be imported again: the refusal names the date, and nothing of the file is loaded', async () => {
    await loadDays();
    await retained(days);
    const rows = [validatorDay('2024-12-30'), validatorDay('2025-04-20')];
    await expect(load('validator-days', rows)).rejects.toThrow(
      '1 of the validator-days of mainnet are before 2025-01-01, and stakegraph retain has dropped validator-days before that date.',
    );
    expect((await dates()).map(({ date }) => date)).toEqual(DATES.slice(2));
    expect(await load('validator-days', rows.slice(1))).toMatchObject({ inserted: 1 });
  });

  it('in use are left after some attempts; readers that come meanwhile do not wait for long', async () => {
    await loadDays();
    const reader = new pg.Client({ connectionString: gateway.database.url });
    await reader.connect();
    onTestFinished(() => reader.end());
    await reader.query('begin; select count(*) from validator_days');
    const dropping = retained(days, { lockTimeoutMs: 50 });
    await run(`set statement_timeout = '20s'; select count(*) from validator_days`);
    const told = await dropping;
    expect(told.map(({ state }) => state)).toEqual(['failed', 'failed']);
    expect(told[0]?.error).toBe('it was in use at each of 3 attempts: try again later.');
    await reader.query('commit');
    expect((await retained(days)).map(({ state }) => state)).toEqual(['dropped', 'dropped']);
  });

  it('are passed over while another process drops data', async () => {
    await loadDays();
    const other = new pg.Client({ connectionString: gateway.database.url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query(`select pg_advisory_lock(hashtext('stakegraph retain'))`);
    expect((await retained(days)).map(({ state }) => state)).toEqual(['passed', 'passed']);
    expect(await dates()).toHaveLength(DATES.length);
  });
});

describe('attestations', () => {
  const attestation = (date: string, hour?: number) => {
    const day = dayOfDate('mainnet', date);
    return {
      ...{ id: 'Lido', day, validatorCount: 10, startEpoch: day * 225, endEpoch: day * 225 + 9 },
      ...(hour === undefined ? {} : { hour: day * 24 + hour }),
      ...{ totalUniqueAttestations: '100', sumMissedAttestations: '0', sumMissedSyncSignatures: null },
      ...{ sumCorrectHead: '100', sumCorrectTarget: '100', sumCorrectSource: '100', sumWrongHeadVotes: '0' },
      ...{ sumWrongTargetVotes: '0', sumLateTargetVotes: '0', sumLateSourceVotes: '0' },
      ...{ avgAttesterEffectiveness: 99, sumInclusionDelay: '100', sumSyncSignatureCount: null },
      ...{ sumEndEpochBalance: '320', sumEndEpochEffectiveBalance: '320' },
    };
  };
  const options = { idType: 'pool' } as const;

  it('by hour are dropped by month, and those by day stay', async () => {
    const rows = ['2025-02-08', '2025-04-19'].flatMap((date) => [attestation(date), attestation(date, 0)]);
    expect(await load('attestations', rows, options)).toMatchObject({ faults: [], inserted: 4 });
    expect(short(await retained({ 'attestation-hours': 31 }))).toEqual(['attestation_hours_2025_02 dropped']);
    expect(await run('select count(*)::int as n from attestation_days')).toEqual([{ n: 2 }]);
    await expect(load('attestations', rows, options)).rejects.toThrow(
      '1 of the attestations of mainnet are before 2025-03-01, and stakegraph retain has dropped attestation-hours',
    );
    const days = rows.filter((row) => !('hour' in row));
    expect(await load('attestations', days, options)).toMatchObject({ inserted: 0, updated: 0 });
  });
});

describe('slots', () => {
  const kept = firstSlotOn('mainnet', '2025-04-10');
  const block = (consensusSlot: number) => ({
    ...{ consensusSlot, validatorIndex: 7, consensusProposerDuty: 'missed' },
  });
  const seat = (consensusSlot: number, validatorIndex: number) => ({
    ...{ consensusSlot, validatorIndex, syncCommitteeRewards: '5' },
  });
  const SLOTS = [kept - SLOTS_AT_ONCE - 5, kept - 2, kept - 1, kept, firstSlotOn('mainnet', '2025-05-10')];
  const stored = async (path: string) => (await gateway.get(path)).json;

  it('of blocks are deleted before the first slot of the first day that is kept', async () => {
    await load('blocks', SLOTS.map(block));
    const told = await retained({ blocks: 31 });
    expect(short(told)).toEqual(['blocks mainnet dropped']);
    expect(told[0]).toMatchObject({ before: '2025-04-10', rows: 3 });
    const list = await stored('/v0/eth/blocks');
    expect(list.data.map((row: any) => row.consensusSlot)).toEqual(SLOTS.slice(3).reverse());
    expect(list.total).toBe(2);
    expect(await keptFrom()).toEqual([{ dataset: 'blocks', network: 'mainnet', date: '2025-04-10' }]);
    await expect(load('blocks', [block(kept - 1)])).rejects.toThrow('dropped blocks before that date');
    expect(await load('blocks', [block(kept + 1)])).toMatchObject({ inserted: 1 });
    expect(short(await retained({ blocks: 31 }))).toEqual(['blocks mainnet nothing']);
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
  await expect(store.write(facts, {} as never, {} as never)).rejects.toThrow(
    'Epoch 10 of hoodi is of 2025-03-17, and stakegraph retain has dropped blocks before 2026-01-01: begin there or later with --from.',
  );
});
