import { beforeAll, describe, expect, it } from 'vitest';
import { epochStart } from '../../src/chain/calendar.ts';
import { newestPositions } from '../../src/db/changes/newest.ts';
import { lastRuns, recordRun } from '../../src/db/job-runs.ts';
import { makeAccount } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway({ template: 'empty' });
const run = (text: string, values: unknown[] = []) => gateway.database.pool.query({ text, values });
const throwIt = (error: Error) => {
  throw error;
};
const sampleOf = (text: string, metric: string) => {
  const line = text.split('\n').find((one) => one.startsWith(`stakegraph_${metric} `));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
};

describe('the metrics of tiers', () => {
  slow('count requests, units and refusals by rate and by units, and name no account', async () => {
    const own = await gatewayForTest({ template: 'sample' });
    const build = await makeAccount(own, { tier: 'build', rateLimit: 1 });
    const growth = await makeAccount(own, { tier: 'growth', unitAllowance: 20 });
    const ask = (account: { authorization: string }, size: number) =>
      own.fetch(`/v0/eth/operators?window=7d&idType=pool&size=${size}`, { headers: account });
    const statuses: number[] = [];
    for (let time = 0; time < 60 && !statuses.includes(429); time += 1)
      statuses.push(...(await Promise.all([1, 2, 3].map(() => ask(build, 1)))).map(({ status }) => status));
    const admitted = statuses.filter((status) => status === 200).length;
    const [first, second] = [await ask(growth, 20), await ask(growth, 1)];
    expect([first.status, second.status]).toEqual([200, 402]);
    const units = Number(first.headers.get('x-service-compute-units'));
    const query = '{ operators(window: SEVEN_DAYS, idType: POOL, first: 100) { nodes { operatorId } } }';
    const starter = await makeAccount(own, { tier: 'starter', unitAllowance: 20, rateLimit: 100 });
    for (const _ of [1, 2, 3]) expect((await own.graphql(query, {}, starter)).errors).toHaveLength(1);
    await eventually(async () => {
      const { text } = await own.fetch('/metrics');
      expect(sampleOf(text, 'account_requests_total{tier="build"}')).toBe(admitted);
      expect(sampleOf(text, 'account_refused_total{tier="build",reason="rate"}')).toBe(
        statuses.length - admitted,
      );
      expect(sampleOf(text, 'account_units_total{tier="growth"}')).toBe(units);
      expect(sampleOf(text, 'account_refused_total{tier="growth",reason="units"}')).toBe(1);
      expect(sampleOf(text, 'account_refused_total{tier="starter",reason="units"}')).toBe(3);
      expect(sampleOf(text, 'account_refused_total{tier="free",reason="units"}')).toBe(0);
      expect(text).not.toMatch(/account \d|tokenId/);
    });
  });
});

describe('the metrics of stored data', () => {
  beforeAll(async () => {
    await run(
      `insert into chain_balances values ('mainnet', 1000, 1), ('mainnet', 1200, 1), ('hoodi', 7, 1)`,
    );
    await run(`insert into chain_daily_rewards values ('mainnet', 5, 1, 1, 1, 1, 1)`);
    await run(`insert into operator_history_days values
      ('mainnet', 'pool', '7d', '2026-01-02'), ('mainnet', 'nodeOperator', '1d', '2026-01-04')`);
    await run(`insert into kept_from values ('attestation-hours', 'hoodi', '2026-02-01')`);
  });

  it('name the date from which each dataset and network is kept, where rows were dropped', async () => {
    const { text } = await gateway.fetch('/metrics');
    const of = (dataset: string, network: string) =>
      sampleOf(text, `dataset_kept_from_timestamp_seconds{dataset="${dataset}",network="${network}"}`);
    expect(of('attestation-hours', 'hoodi')).toBe(Date.parse('2026-02-01') / 1000);
    expect(of('attestation-hours', 'mainnet')).toBeUndefined();
    expect(of('blocks', 'hoodi')).toBeUndefined();
  });

  it('name the newest epoch of each dataset and network, and when it ended', async () => {
    const { text } = await gateway.fetch('/metrics');
    const of = (name: string, dataset: string, network: string) =>
      sampleOf(text, `dataset_newest_${name}{dataset="${dataset}",network="${network}"}`);
    expect(of('epoch', 'chain-balances', 'mainnet')).toBe(1200);
    expect(of('timestamp_seconds', 'chain-balances', 'mainnet')).toBe(epochStart('mainnet', 1201));
    expect(of('epoch', 'chain-balances', 'hoodi')).toBe(7);
    expect(of('epoch', 'chain-balances', 'holesky')).toBeUndefined();
    expect(of('epoch', 'chain-daily-rewards', 'mainnet')).toBe(6 * 225 - 1);
    expect(of('timestamp_seconds', 'operators', 'mainnet')).toBe(Date.parse('2026-01-05') / 1000);
    expect(of('epoch', 'operators', 'mainnet')).toBeUndefined();
  });

  it('are read from the end of an index for every dataset that has days, slots or epochs', async () => {
    const own = await gatewayForTest({ template: 'sample' });
    const found = await newestPositions(own.database.pool, ['mainnet', 'hoodi']);
    expect(found.map(({ dataset }) => dataset)).toEqual(
      expect.arrayContaining([
        ...['attestations', 'blocks', 'chain-daily-rewards', 'consolidations', 'operators', 'slashings'],
        ...['sync-committee-rewards', 'cardano-rewards', 'stake-authorities', 'solana-overview'],
      ]),
    );
    const newest = await own.database.pool.query({
      text: `select max(slot) as slot, (select max(end_epoch) from attestation_days
        join attestation_entities using (entity_key) where network = 'mainnet' and not utc) as epoch
        from blocks where network = 'mainnet'`,
      values: [],
    });
    const of = (name: string) =>
      found.find(({ dataset, network }) => dataset === name && network === 'mainnet')?.position;
    expect(of('blocks')).toBe(newest.rows[0]?.slot);
    expect(of('attestations')).toBe(newest.rows[0]?.epoch);
  });
});

describe('the metrics of jobs', () => {
  const record = (job: 'refresh' | 'mirror', outcome: 'success' | 'failure', network?: string, rows = 0) =>
    recordRun(
      gateway.database.pool,
      { job, network, startedAt: new Date(Date.now() - 5_000), outcome, rows },
      throwIt,
    );

  it('tell when each last succeeded and failed, how long it took and what it wrote', async () => {
    const own = await gatewayForTest({ database: gateway.database });
    const before = Date.now() / 1000;
    await record('refresh', 'failure', 'mainnet');
    await record('refresh', 'success', 'mainnet', 3);
    await record('refresh', 'success', 'mainnet', 12);
    await record('refresh', 'success', 'hoodi');
    await record('mirror', 'failure');
    const { text } = await own.fetch('/metrics');
    const of = (name: string, labels = 'task="refresh",network="mainnet"') =>
      sampleOf(text, `job_last_${name}{${labels}}`);
    const previous = (labels: string) =>
      sampleOf(text, `job_previous_success_timestamp_seconds{${labels}}`) as number;
    expect(of('success_timestamp_seconds')).toBeGreaterThan(before - 60);
    expect(previous('task="refresh",network="mainnet"')).toBeLessThan(
      of('success_timestamp_seconds') as number,
    );
    expect(previous('task="refresh",network="hoodi"')).toBeUndefined();
    expect(of('failure_timestamp_seconds')).toBeLessThanOrEqual(of('success_timestamp_seconds') as number);
    expect(of('duration_seconds')).toBeGreaterThan(4);
    expect(of('rows')).toBe(12);
    expect(of('failure_timestamp_seconds', 'task="mirror"')).toBeGreaterThan(before - 60);
    expect(of('success_timestamp_seconds', 'task="mirror"')).toBeUndefined();
  });

  it('keep the newest run of each outcome when older ones are forgotten after 90 days', async () => {
    await run(`update job_runs set finished_at = now() - interval '91 days', started_at = now() - interval '92 days'
      where network = 'mainnet'`);
    await record('refresh', 'success', 'mainnet', 1);
    const { rows } = await run(
      `select outcome, count(*)::int as runs from job_runs where network = 'mainnet' group by 1 order by 1`,
    );
    expect(rows).toEqual([
      { outcome: 'failure', runs: 1 },
      { outcome: 'success', runs: 1 },
    ]);
    const last = await lastRuns(gateway.database.pool);
    expect(last.map(({ job, network, outcome }) => [job, network, outcome])).toEqual([
      ['mirror', '', 'failure'],
      ['refresh', 'hoodi', 'success'],
      ['refresh', 'mainnet', 'failure'],
      ['refresh', 'mainnet', 'success'],
    ]);
  });

  it('do not stop a job whose run cannot be recorded', async () => {
    const told: string[] = [];
    const broken = { query: () => Promise.reject(new Error('no room')) };
    const lost = { job: 'refresh', startedAt: new Date(), outcome: 'success', rows: 0 } as const;
    await recordRun(broken, lost, ({ message }) => told.push(message));
    expect(told).toEqual(['no room']);
  });
});
