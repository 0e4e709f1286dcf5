import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { recordRun } from '../../src/db/job-runs.ts';
import { newStatus } from '../../src/indexer/status.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { project } from '../support/process.ts';
import { freePort } from '../support/redis.ts';
import { thorough } from '../support/thorough.ts';
import { alertCases, type Case } from './alert-cases.ts';
import { alerts, expressions, namesIn, rulesFile } from './expressions.ts';

const isInstalled = (program: string) => spawnSync(program, ['--version']).status === 0;

let gateway: Gateway;
beforeAll(async () => {
  const index = { ...newStatus(), network: 'mainnet' as const, headEpoch: 9, finalizedEpoch: 7 };
  index.indexedEpoch = 7;
  index.nodeErrors.set('timeout', 1);
  gateway = await startGateway({
    settings: { CACHE: true, REDIS_URL: `redis://127.0.0.1:${await freePort()}` },
    replicas: () => [{ name: 'replica:5432/stakegraph', up: false, lagSeconds: 0, statements: 0 }],
    index,
    dataDir: tmpdir(),
  });
  const startedAt = new Date(Date.now() - 5_000);
  for (const [job, network, outcome] of [
    ['refresh', 'mainnet', 'success'],
    ['refresh', 'mainnet', 'success'],
    ['refresh', 'mainnet', 'failure'],
    ['mirror', '', 'success'],
  ] as const)
    await recordRun(gateway.database.pool, { job, network, startedAt, outcome, rows: 3 }, (error) => {
      throw error;
    });
  await gateway.get('/v0/eth/operators?window=7d&idType=pool&size=3');
  await gateway.get('/v0/eth/operators?window=7d&idType=pool&size=3&utc=x');
  await gateway.graphql('{ __typename }');
});
afterAll(() => gateway.close());

/** Labels of each metric of /metrics, as Prometheus stores them. */
async function liveMetrics(): Promise<Map<string, Set<string>>> {
  const { text } = await gateway.fetch('/metrics');
  const found = new Map<string, Set<string>>([['up', new Set(['job', 'instance'])]]);
  for (const line of text.split('\n')) {
    const [, type] = /^# TYPE (\S+)/.exec(line) ?? [];
    if (type && !found.has(type)) found.set(type, new Set(['job', 'instance']));
    const [, name, labels = ''] = /^([a-z_]\w*)(?:\{(.*)\})? /i.exec(line) ?? [];
    if (!name) continue;
    const known = found.get(name) ?? new Set(['job', 'instance']);
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label as string);
    found.set(name, known);
  }
  return found;
}

describe('the queries of the dashboard and the alert rules', () => {
  it('name only metrics of /metrics and labels that these have', async () => {
    await eventually(async () => {
      const live = await liveMetrics();
      const faults = expressions.flatMap(([where, expr]) => {
        const { metrics, labels } = namesIn(expr);
        expect(metrics, where).not.toEqual([]);
        const unknown = metrics.filter((name) => !live.has(name));
        const has = (label: string) => metrics.some((name) => live.get(name)?.has(label));
        return [...unknown, ...labels.filter((label) => !has(label))].map((name) => `${where}: ${name}`);
      });
      expect(faults).toEqual([]);
    });
  });

  it('would be faulty with another metric or label', () => {
    expect(namesIn('sum by (a, b) (rate(m_total{c=~"x|y",d!="z"}[5m])) / on (e) n > 1 or absent(o)')).toEqual(
      {
        metrics: ['m_total', 'n', 'o'],
        labels: ['c', 'd', 'a', 'b', 'e'],
      },
    );
  });
});

const withPrometheus = it.runIf(thorough && isInstalled('prometheus') && isInstalled('promtool'));

function folderForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stakegraph-prometheus-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('Prometheus', () => {
  withPrometheus('finds no fault in the rules and the example of its configuration', () => {
    for (const args of [
      ['check', 'rules', '--lint-fatal', rulesFile],
      ['check', 'config', join(project, 'deploy/prometheus/prometheus.yml')],
    ])
      expect(execFileSync('promtool', args, { encoding: 'utf8' })).toContain('SUCCESS');
  });

  withPrometheus('fires each alert for the series that it is about, and for no others', () => {
    expect(Object.keys(alertCases).toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
    const folder = folderForTest();
    // A file for each alert: promtool evaluates all rules of a file every minute.
    const files = alerts.map((rule) => {
      const rules = join(folder, `${rule.alert}.rules.json`);
      writeFileSync(rules, JSON.stringify({ groups: [{ name: rule.alert, rules: [rule] }] }));
      const { fires, quiet, at = '9h' } = alertCases[rule.alert] as Case;
      const tests = [fires, quiet].flat().map((given) => ({
        interval: '1m',
        input_series: Object.entries(given).map(([series, values]) => ({ series, values: values.trim() })),
        promql_expr_test: [
          {
            expr: `count(ALERTS{alertname="${rule.alert}",alertstate="firing"})`,
            eval_time: at,
            exp_samples: given === fires ? [{ labels: '{}', value: 1 }] : [],
          },
        ],
      }));
      const file = join(folder, `${rule.alert}.json`);
      writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests }));
      return file;
    });
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', ...files], {
      encoding: 'utf8',
    });
    expect([status, stderr], stdout).toEqual([0, '']);
  });

  withPrometheus(
    'that scrapes a gateway evaluates each rule and each query of the dashboard',
    { timeout: 180_000 },
    async () => {
      const folder = folderForTest();
      const port = await freePort();
      const base = `http://127.0.0.1:${port}`;
      const config = join(folder, 'prometheus.yml');
      const scraped = { job_name: 'stakegraph', static_configs: [{ targets: [new URL(gateway.url).host] }] };
      const global = { scrape_interval: '1s', evaluation_interval: '1s' };
      writeFileSync(config, JSON.stringify({ global, rule_files: [rulesFile], scrape_configs: [scraped] }));
      const prometheus = spawn(
        'prometheus',
        [
          `--config.file=${config}`,
          `--storage.tsdb.path=${join(folder, 'data')}`,
          `--web.listen-address=127.0.0.1:${port}`,
        ],
        { stdio: 'ignore' },
      );
      onTestFinished(async () => {
        prometheus.kill('SIGKILL');
        if (prometheus.exitCode === null && prometheus.signalCode === null) await once(prometheus, 'exit');
      });
      const ask = async (path: string) => {
        const { status, data, error } = await (await fetch(`${base}/api/v1/${path}`)).json();
        expect(status, error).toBe('success');
        return data;
      };
      const query = async (expr: string) =>
        (await ask(`query?${new URLSearchParams({ query: expr })}`)).result as { value: [number, string] }[];
      await eventually(async () => {
        expect(
          Number((await query('count_over_time(up{job="stakegraph"}[1m])'))[0]?.value[1]),
        ).toBeGreaterThan(3);
        const [group] = (await ask('rules')).groups;
        const faults = group.rules.filter((rule: { health: string }) => rule.health !== 'ok');
        expect([group.rules.length, faults]).toEqual([alerts.length, []]);
      }, 60_000);
      for (const name of ['StakegraphReplicaDown', 'StakegraphRedisDown', 'StakegraphIndexLate'])
        await eventually(
          async () => expect(await query(`ALERTS{alertname="${name}"}`), name).toHaveLength(1),
          60_000,
        );
      const script = join(project, 'scripts/dashboard.mjs');
      const { stdout: answers } = await promisify(execFile)(process.execPath, [script, base]);
      if (process.env.SHOW_ANSWERS) console.log(answers);
      expect(answers).not.toContain('  fault: ');
      const empty = answers
        .split('\n')
        .flatMap((line, at, all) => (line === '  no series' ? [all[at - 1]] : []));
      expect(empty).toEqual([]);
      expect(answers.split('\n').filter((line) => line.startsWith('  ')).length).toBeGreaterThan(60);
    },
  );
});
