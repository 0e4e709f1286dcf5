import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isRunning, waitForEnd } from '../../src/db/embedded/process.ts';
import { prepare, preparedForTest } from '../support/prepared.ts';
import {
  dataDirForTest,
  embeddedUrl,
  endRunning,
  launch,
  makeDataDir,
  type Outcome,
  postgresOf,
  type Served,
  serve,
} from '../support/process.ts';
import { every, slow } from '../support/thorough.ts';

const dataDir = makeDataDir();
const env = { DATA_DIR: dataDir.path, SAMPLE_DATA: 'off', DRAIN_DELAY_MS: '400' };
beforeAll(() => prepare(dataDir.path));
afterAll(dataDir.remove);
afterEach(endRunning);

const list = '/v0/eth/operators?window=7d&idType=pool';
const status = (served: Served, path: string) =>
  served.get(path).then(
    (response) => response.status,
    () => 'refused' as const,
  );

async function until(what: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await what())) {
    if (Date.now() > deadline) throw new Error(`never came true: ${what}`);
    await sleep(20);
  }
}

/** A request that waits on a lock until `release`, answered only then. */
async function slowRequest(served: Served) {
  const client = new pg.Client(await embeddedUrl(dataDir.path));
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin; lock table operator_summaries in access exclusive mode');
  const answer = status(served, list);
  await until(async () => (await client.query('select from pg_locks where not granted')).rowCount === 1);
  return { answer, release: () => client.end() };
}

describe.each(every(2, ['SIGTERM', 'SIGINT'] as const))('%s', (signal) => {
  let seen: { before: unknown; during: unknown; health: unknown; inFlight: unknown };
  let outcome: Outcome;
  let postgres: number;
  beforeAll(async () => {
    const served = await serve({ env });
    postgres = (await postgresOf(dataDir.path)) as number;
    const slow = await slowRequest(served);
    const before = await status(served, '/ready');
    served.child.kill(signal);
    await until(async () => (await status(served, '/ready')) !== 200);
    const during = await status(served, '/ready');
    const health = await status(served, '/health');
    await until(async () => (await status(served, '/health')) === 'refused');
    await slow.release();
    seen = { before, during, health, inFlight: await slow.answer };
    outcome = await served.outcome;
  });

  it('is followed by 503 of /ready for DRAIN_DELAY_MS, while requests are still answered', () => {
    expect(seen).toMatchObject({ before: 200, during: 503, health: 200 });
  });

  it('lets a request in flight have its answer after the port is closed', () => {
    expect(seen.inFlight).toBe(200);
  });

  it('ends in exit code 0 with nothing to warn of', () => {
    expect({ code: outcome.code, stderr: outcome.stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('stops PostgreSQL', () => {
    expect(isRunning(postgres)).toBe(false);
  });
});

describe('SIGTERM while the sample data is loaded', () => {
  slow('ends with nothing loaded, and the next start loads it', async () => {
    const env = { DATA_DIR: dataDirForTest(), PORT: '0', LOG_LEVEL: 'info' };
    const { child, output, outcome } = launch(['serve'], { env });
    await until(async () => output.stderr.includes('loading sample data'));
    child.kill('SIGTERM');
    const { code, stderr } = await outcome;
    expect({ code, loaded: stderr.includes('sample data loaded') }).toEqual({ code: 0, loaded: false });
    expect(await postgresOf(env.DATA_DIR)).toBeUndefined();
    const next = await serve({ env });
    const { data } = (await (await next.get(list)).json()) as { data: unknown[] };
    expect(data.length).toBeGreaterThan(0);
  });
});

describe('kill -9', () => {
  it.each([
    ['of node alone', { shell: false }, (served: Served) => served.child.kill('SIGKILL')],
    [
      'of the process group of npm start',
      { shell: true },
      (served: Served) => process.kill(-(served.child.pid as number), 'SIGKILL'),
    ],
  ])('%s does not keep the next start from serving', async (_name, options, kill) => {
    const first = await serve({ env, ...options });
    kill(first);
    await first.outcome;
    const second = await serve({ env });
    expect(second.token).toBe(first.token);
    expect(await status(second, list)).toBe(200);
    await second.stop();
    expect(await postgresOf(dataDir.path)).toBeUndefined();
  });

  slow('of node and PostgreSQL does not keep the next start from serving', async () => {
    const first = await serve({ env });
    const postgres = (await postgresOf(dataDir.path)) as number;
    first.child.kill('SIGKILL');
    process.kill(postgres, 'SIGKILL');
    await first.outcome;
    await waitForEnd(postgres, 5_000);
    const second = await serve({ env });
    expect(await status(second, list)).toBe(200);
    await second.stop();
  });
});

describe('An embedded PostgreSQL that ends by itself', () => {
  it('ends serve with exit code 1, which says where its log is', async () => {
    const dataDir = await preparedForTest();
    const env = { DATA_DIR: dataDir, SAMPLE_DATA: 'off' };
    const served = await serve({ env });
    process.kill((await postgresOf(dataDir)) as number, 'SIGKILL');
    const { code, stderr } = await served.outcome;
    expect(code).toBe(1);
    expect(stderr).toContain(
      `The embedded PostgreSQL has ended; ${join(dataDir, 'postgres', 'server.log')} has its log.`,
    );
    const again = await serve({ env });
    expect(await status(again, '/ready')).toBe(200);
  });
});

describe('SIGINT twice at once, as npm passes on a Ctrl-C', () => {
  it('drains like one', async () => {
    const served = await serve({ env });
    served.child.kill('SIGINT');
    served.child.kill('SIGINT');
    await sleep(100);
    served.child.kill('SIGINT');
    expect(await served.outcome).toMatchObject({ code: 0, stderr: '' });
    expect(await postgresOf(dataDir.path)).toBeUndefined();
  });
});

describe('SIGTERM before the banner', () => {
  it('ends serve and PostgreSQL', async () => {
    const { child, outcome } = launch(['serve'], { env: { ...env, PORT: '0' } });
    await until(async () => (await postgresOf(dataDir.path)) !== undefined);
    child.kill();
    expect(await outcome).toMatchObject({ code: 0, stdout: '' });
    expect(await postgresOf(dataDir.path)).toBeUndefined();
  });
});

describe('SIGTERM to a command that waits for its input', () => {
  it('ends it with exit code 1, and PostgreSQL', async () => {
    const { child, outcome } = launch(['import', 'slashings', '-', '--create'], { env });
    await until(async () => (await postgresOf(dataDir.path)) !== undefined);
    await sleep(1_500); // when it reads
    child.kill();
    const { code, stdout, stderr } = await outcome;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('-: nothing loaded; the import was stopped\n');
    await until(async () => (await postgresOf(dataDir.path)) === undefined);
  });
});
