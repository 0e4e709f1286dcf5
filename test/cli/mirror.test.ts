import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operator } from '../ingest/rows.ts';
import { until } from '../support/eventually.ts';
import { createDatabase, type Gateway, startGateway, type TestDatabase } from '../support/gateway.ts';
import { pageV0, reply, serviceForTest } from '../support/mirror.ts';
import { launch, stakegraph } from '../support/process.ts';
import { slow } from '../support/thorough.ts';

const TOKEN = 'sg_a-secret-of-the-upstream';
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());

const environment = (more: Record<string, string> = {}) => ({
  env: { DATABASE_URL: database.url, UPSTREAM_TOKEN: TOKEN, ...more },
});
const flags = (url: string, ...more: string[]) => [
  ...['mirror', '--from', url, '--token-env', 'UPSTREAM_TOKEN', '--rate', '1000'],
  ...more,
];
const onlyPools = ['--resources', 'operators', '--classes', 'pool', '--windows', '7d'];
const operators = () =>
  serviceForTest((request, response) =>
    reply(response, pageV0([operator('A'), operator('B')], request), 200, { 'x-service-compute-units': '7' }),
  );

describe('stakegraph mirror', () => {
  it('tells what it did for a person and, with --json, for a program', async () => {
    const { url } = await operators();
    const { code, stdout, stderr } = await stakegraph(flags(url, ...onlyPools), environment());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      `operators: 1 done; 2 rows (2 new, 0 updated, 0 removed); 2 requests, 14 compute units\n${url}: every list is mirrored; 2 requests, 14 compute units\n`,
    );
    const told = await stakegraph(flags(url, ...onlyPools, '--json'), environment());
    expect(JSON.parse(told.stdout)).toMatchObject({
      ...{ source: url, complete: true, ended: null, failures: [], resumed: false },
      resources: [
        { resource: 'operators', lists: 1, done: 1, rows: 2, inserted: 0, requests: 2, computeUnits: 14 },
      ],
    });
  });

  it('ends with 1 when a list failed, says which, and never tells the token', async () => {
    const { url } = await serviceForTest((_request, response) => reply(response, { detail: TOKEN }, 400));
    const { code, stdout, stderr } = await stakegraph(flags(url, ...onlyPools), environment());
    expect(code).toBe(1);
    expect(stderr).toContain(
      'operators mainnet 7d pool: /v0/eth/operators?window=7d&idType=pool&size=200: refuses',
    );
    expect(stderr).toContain('stakegraph: not every list was loaded.');
    expect(stdout).toContain('operators: 1 failed;');
    expect(stdout + stderr).not.toContain(TOKEN);
  });

  it('warns where the token could be read on the way', async () => {
    const { code, stderr } = await stakegraph(
      flags('http://stakegraph.invalid', ...onlyPools, '--attempts', '1'),
      environment(),
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/^--from is http:\/\/, so others can read the token on the network; use https/);
    expect(stderr).not.toContain(TOKEN);
  });

  it.each<[string[], string]>([
    [['mirror'], "required option '--from <url>' not specified"],
    [['mirror', '--from', 'http://a.test'], "required option '--token-env <name>' not specified"],
    [flags('ftp://a.test'), 'An http:// or https:// URL is needed.'],
    [flags('https://user:pass@a.test'), '--from needs a URL without user and password'],
    [flags('https://a.test/?token=x'), 'A URL without query or fragment is needed.'],
    [
      flags('http://a.test', '--resources', 'operators,nothing'),
      '"nothing" is not one of operators, slashings',
    ],
    [
      flags('http://a.test', '--networks', 'goerli'),
      '"goerli" is not one of mainnet, hoodi, holesky, sepolia.',
    ],
    [flags('http://a.test', '--classes', 'privateSet'), '"privateSet" is not one of depositAddress'],
    [flags('http://a.test', '--every', '1'), 'A time from 1s to 7d is needed'],
    [flags('http://a.test', '--rate', '0'), 'A number over 0 and below 10000 is needed'],
    [flags('http://a.test', '--page-size', '0'), 'An integer from 1 to 1000 is needed.'],
    [flags('http://a.test', '--validators', 'bitcoin=1'), 'NETWORK=ID,… is needed'],
    [flags('http://a.test', '--network-header', 'a b'), 'The name of a header is needed'],
  ])('refuses %j with 2', async (args, told) => {
    const { code, stderr } = await stakegraph(args, environment());
    expect(code).toBe(2);
    expect(stderr).toContain(told);
    expect(stderr).not.toContain('pass@');
  });

  it.each([TOKEN, TOKEN.replaceAll('-', '')])(
    'does not repeat a token that was given in place of a name: %s',
    async (token) => {
      const args = ['mirror', '--from', 'http://a.test', '--token-env', token];
      const { code, stdout, stderr } = await stakegraph(args, environment());
      expect(code).toBe(2);
      expect(stderr).toMatch(/environment variable/);
      expect(stdout + stderr).not.toContain(token);
    },
  );

  it.each([
    [{ UPSTREAM_TOKEN: '' }, 'The environment variable UPSTREAM_TOKEN is not set'],
    [{ UPSTREAM_TOKEN: `${TOKEN}\n` }, 'The environment variable UPSTREAM_TOKEN contains blanks'],
  ])('refuses a token that is none with 2, without telling it', async (env, told) => {
    const { code, stderr } = await stakegraph(flags('http://a.test'), environment(env));
    expect(code).toBe(2);
    expect(stderr).toContain(told);
    expect(stderr).not.toContain(TOKEN);
  });

  it('--every goes on round after round until SIGTERM, and ends with 0', async () => {
    const service = await operators();
    const { child, output, outcome } = launch(
      flags(service.url, ...onlyPools, '--every', '1s', '--json'),
      environment(),
    );
    await until(() => output.stdout.split('\n').length >= 4, outcome);
    child.kill('SIGTERM');
    expect(await outcome).toMatchObject({ code: 0, stderr: '' });
    const rounds = output.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(new Set(rounds.map(({ round }) => round)).size).toBe(rounds.length);
  });

  it('SIGTERM ends it after the list that is being read; the next run goes on', async () => {
    const service = await serviceForTest((request, response) => {
      const timeWindow = request.url.searchParams.get('window');
      setTimeout(() => reply(response, pageV0([operator('S', { timeWindow })], request)), 400);
    });
    const args = flags(service.url, '--resources', 'operators', '--classes', 'pool', '--json');
    const { child, outcome } = launch(args, environment());
    await until(() => service.asked.length >= 3, outcome);
    child.kill('SIGTERM');
    const { code, stdout } = await outcome;
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ended: 'stopped', failures: [], resources: [{ done: 2 }] });
    const next = await stakegraph(args, environment());
    expect(JSON.parse(next.stdout)).toMatchObject({
      resumed: true,
      complete: true,
      resources: [{ done: 2, passed: 2 }],
    });
    expect(service.asked).toHaveLength(8); // each list of pools, and that of liquid staking
  });
});

describe('killed at any moment and started again', () => {
  let original: Gateway;
  beforeAll(async () => {
    original = await startGateway();
  });
  afterAll(() => original.close());

  /** Everything that a mirror has loaded, without the numbers that a database counts for itself. */
  const content = async (target: TestDatabase) => {
    const found: Record<string, unknown[]> = {};
    const queries = {
      operators: `select r.rank, l.pool_type, l.parent_type, l.parent_id, to_jsonb(s) - 'summary_id' as row
        from operator_lists l join operator_ranks r using (list_id) join operator_summaries s using (summary_id)
        where l.superseded_at is null order by s.network, s.time_window, s.id_type, 2, 3, 4, 1`,
      slashings: 'select * from slashings order by network, validator_index',
      days: 'select * from chain_daily_rewards order by network, day',
      blocks: 'select * from blocks order by network, slot',
      consolidations: 'select * from consolidations order by network, source_index',
      seats: 'select * from sync_committee_rewards order by network, slot, rank',
      attestations: `select e.entity_id, to_jsonb(d) - 'entity_key' as row from attestation_days d
        join attestation_entities e using (entity_key) order by e.entity_id, d.utc, d.day`,
      // Without the number of rows read last: after a round that ends before the kill, another one reads only what is new.
      state: 'select source, resource, network, list, position from mirror_state order by 1, 2, 3, 4',
    };
    for (const [name, text] of Object.entries(queries))
      found[name] = (await target.pool.query({ text, values: [] })).rows;
    return found;
  };

  slow('leaves what an undisturbed run does, row for row', async () => {
    const [disturbed, calm] = await Promise.all([createDatabase('empty'), createDatabase('empty')]);
    const args = flags(
      original.url,
      ...['--windows', '7d', '--classes', 'pool,nodeOperator,poolShare', '--attestations-of', 'pool'],
      ...['--block-slots', '6000', '--committee-slots', '8', '--json', '--rate', '200'],
      ...[
        '--resources',
        'operators,slashings,chain-daily-rewards,consolidations,blocks,sync-committee-rewards,attestations',
      ],
    );
    const env = (target: TestDatabase) => ({
      env: { DATABASE_URL: target.url, UPSTREAM_TOKEN: original.token },
    });
    for (let kills = 0; kills < 6; kills += 1) {
      const before = await runsIn(disturbed);
      const { child, outcome } = launch(args, env(disturbed));
      const end = outcome.then(() => true);
      // Every second one is killed while it works, however long it takes to start.
      while (kills % 2 && (await runsIn(disturbed)) === before && !(await Promise.race([end, sleep(50)])));
      await Promise.race([sleep((kills % 2 ? 0 : 700) + randomInt(1_500)), end]);
      child.kill('SIGKILL');
      await outcome;
      await vacant(disturbed);
    }
    const last = await stakegraph(args, env(disturbed));
    expect(last).toMatchObject({ code: 0 });
    const text = 'select count(*)::int as resumed from mirror_runs where run_id <> round_id';
    expect((await disturbed.pool.query({ text, values: [] })).rows[0]?.resumed).toBeGreaterThan(0);
    expect(await stakegraph(args, env(calm))).toMatchObject({ code: 0 });
    const wanted = await content(calm);
    for (const rows of Object.values(wanted)) expect(rows.length).toBeGreaterThan(0);
    expect(await content(disturbed)).toEqual(wanted);
    await Promise.all([disturbed.drop(), calm.drop()]);
  });

  const runsIn = async (target: TestDatabase): Promise<number> => {
    const text = 'select count(*)::int as runs from mirror_runs';
    return (await target.pool.query({ text, values: [] })).rows[0]?.runs as number;
  };

  /** Waits until the server has noticed that the process is gone: its lock is free then. */
  const vacant = async (target: TestDatabase) => {
    const text = `select count(*)::int as held from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`;
    while ((await target.pool.query({ text, values: [] })).rows[0]?.held !== 0) await sleep(50);
  };
});
