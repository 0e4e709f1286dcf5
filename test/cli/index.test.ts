import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { hasRecordings, recordedChain, startBeaconNode } from '../support/beacon-node.ts';
import { eventually, until } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { contentOf } from '../support/indexed.ts';
import { preparedForTest } from '../support/prepared.ts';
import { endRunning, launch, serve, stakegraph } from '../support/process.ts';
import { slow } from '../support/thorough.ts';
import { bodyOf } from '../support/typed.ts';

const FIRST = 2_340;
/** With a UTC midnight before it. */
const LAST = 2_364;
const HEAD = (LAST + 4) * 32;

afterEach(endRunning);

async function databaseForTest(): Promise<TestDatabase> {
  const database = await createDatabase('empty');
  onTestFinished(() => database.drop());
  return database;
}

async function nodeForTest(options: Parameters<typeof startBeaconNode>[1] = {}) {
  const node = await startBeaconNode(recordedChain('days'), { head: HEAD, lateMs: 100, ...options });
  onTestFinished(() => node.close());
  return node;
}

const from = ['--from', `${FIRST}`];
const env = ({ url }: TestDatabase, more: Record<string, string> = {}) => ({
  env: { DATABASE_URL: url, ...more },
});

describe('stakegraph index', () => {
  it.each<[string[], string]>([
    [['index'], 'A beacon node is needed: give --beacon URL, or set BEACON_URL.'],
    [
      ['index', '--beacon', 'http://user:50%off@a.test'],
      '--beacon needs http:// or https:// URLs, with % in a password written as %25.',
    ],
    [
      ['index', '--beacon', 'ftp://user:pass@a.test'],
      '--beacon needs http:// or https:// URLs, with % in a password written as %25.',
    ],
    [
      ['index', '--beacon', 'http://a.test', '--execution', 'x'],
      '--execution needs an http:// or https:// URL, with % in a password written as %25.',
    ],
    [
      ['index', '--beacon', 'http://a.test', '--relays', 'x'],
      '--relays needs http:// or https:// URLs, with % in a password written as %25.',
    ],
    [['index', '--beacon', 'http://a.test', '--from', 'now'], 'An epoch, a date like 2025-10-30, or head is'],
    [['index', '--beacon', 'http://a.test', '--from', '2025-02-30'], 'An epoch, a date like'],
    [['index', '--beacon', 'http://a.test', '--to', 'head'], 'An epoch or a date like 2025-10-30 is needed.'],
    [['index', '--beacon', 'http://a.test', '--network', 'goerli'], 'Allowed choices are mainnet, hoodi'],
    [['index', '--beacon', 'http://a.test', '--rate', '0'], 'A number over 0 and below 10000 is needed'],
    [
      ['serve', '--index', 'x'],
      '--index needs http:// or https:// URLs, with % in a password written as %25.',
    ],
  ])('refuses %j with 2', async (args, told) => {
    const { code, stderr } = await stakegraph(args, {
      env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' },
    });
    expect(stderr).toContain(told);
    expect(code).toBe(2);
    expect(stderr).not.toContain('pass@');
  });

  it('says that the node cannot be reached, and where it looked', async () => {
    const database = await databaseForTest();
    const { child, output, outcome } = launch(['index', '--beacon', 'http://127.0.0.1:1'], env(database));
    await until(() => output.stderr.includes('127.0.0.1:1'), outcome);
    child.kill('SIGTERM');
    expect(await outcome).toMatchObject({ code: 0 });
  });
});

describe.skipIf(!hasRecordings)('stakegraph index of a recorded chain', () => {
  it('stores what is final once, with a line of JSON for each epoch, and then nothing new', async () => {
    const database = await databaseForTest();
    const node = await nodeForTest();
    const args = ['index', '--beacon', node.url, '--once', ...from];
    const { code, stdout, stderr } = await stakegraph([...args, '--json'], env(database));
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ epoch }) => epoch)).toEqual(
      Array.from({ length: LAST - FIRST + 1 }, (_, place) => FIRST + place),
    );
    expect(lines.at(-1)).toMatchObject({ network: 'hoodi', finalizedEpoch: LAST + 2, headEpoch: LAST + 4 });
    expect(await stakegraph(args, env(database))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^nothing new to store in /),
    });
  });

  it('refuses a second index of the network, and a node of another network, with 1', async () => {
    const database = await databaseForTest();
    const node = await nodeForTest();
    const first = launch(['index', '--beacon', node.url, '--json', ...from], env(database));
    await until(() => first.output.stdout !== '', first.outcome);
    const second = await stakegraph(['index', '--beacon', node.url], env(database));
    expect(second).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Another process indexes hoodi into this database'),
    });
    first.child.kill('SIGTERM');
    expect(await first.outcome).toMatchObject({ code: 0 });
    const other = await stakegraph(['index', '--beacon', node.url, '--network', 'mainnet'], env(database));
    expect(other.code).toBe(1);
    expect(other.stderr).toMatch(/hoodi/);
  });

  it('serves its metrics on METRICS_PORT', async () => {
    const database = await databaseForTest();
    const node = await nodeForTest({ faults: 0.05 });
    const port = 20_000 + randomInt(20_000);
    const { child, output, outcome } = launch(
      ['index', '--beacon', node.url, '--json', ...from],
      env(database, { METRICS_PORT: `${port}` }),
    );
    const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const stored = `stakegraph_index_indexed_epoch ${LAST}\n`;
    await eventually(async () => expect((await metrics()).includes(stored)).toBe(true), 120_000);
    const text = await metrics();
    expect(text).toContain(`stakegraph_index_head_epoch ${LAST + 4}\n`);
    expect(text).toContain(`stakegraph_index_finalized_epoch ${LAST + 2}\n`);
    expect(text).toMatch(/^stakegraph_index_behind_seconds \d+$/m);
    expect(text).toMatch(/^stakegraph_index_node_errors_total\{reason="[\w-]+"\} [1-9]/m);
    expect(text).toContain('stakegraph_index_reconcile_failures_total 0\n');
    child.kill('SIGTERM');
    expect(await outcome, output.stderr).toMatchObject({ code: 0 });
  });
});

it('names METRICS_PORT when it is taken, also if the gateway’s PORT is the same', async () => {
  const database = await databaseForTest();
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => void listener.close());
  const port = String((listener.address() as AddressInfo).port);
  expect(
    await stakegraph(
      ['index', '--beacon', 'http://127.0.0.1:1'],
      env(database, { METRICS_PORT: port, PORT: port }),
    ),
  ).toMatchObject({
    code: 1,
    stderr: `stakegraph: Port ${port} on 127.0.0.1 is taken; set METRICS_PORT to another, or 0 for a free one.\n`,
  });
});

describe.skipIf(!hasRecordings)('killed at any moment and started again', () => {
  let calm: Record<string, unknown[]>;
  beforeAll(async () => {
    const database = await createDatabase('empty');
    const node = await startBeaconNode(recordedChain('days'), { head: HEAD });
    const args = ['index', '--beacon', node.url, '--once', ...from];
    expect(await stakegraph(args, env(database))).toMatchObject({ code: 0 });
    calm = await contentOf(database);
    await node.close();
    await database.drop();
  });

  const [kills, slotMs] = inject('thorough') ? [20, 100] : [3, 20];

  it(`has the rows of an undisturbed run after ${kills} kills`, async () => {
    const database = await databaseForTest();
    // One node is pruned and reports a wrong balance; the head moves, and there is one reorg.
    const start = (FIRST + 4) * 32;
    const [liar, honest] = await Promise.all([
      nodeForTest({ head: start, faults: 0.05, seed: 2, prune: 8 }),
      nodeForTest({ head: start, faults: 0.05, seed: 3 }),
    ]);
    liar.lie = { validator: 17, gwei: -3, epoch: FIRST + 6 };
    const args = ['index', '--beacon', `${liar.url},${honest.url}`, ...from];
    const nodes = [liar, honest];
    const moving = async () => {
      for (let slot = start; slot < HEAD; slot += 1) {
        for (const node of nodes) {
          if (slot === start + 200) node.reorganise(3);
          if (slot === start + 204) node.settle();
          node.advance(1);
        }
        await sleep(slotMs);
      }
    };
    const moved = moving();
    let stored = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const { child, output, outcome } = launch([...args, '--json'], env(database));
      // Every other one is killed soon after it has stored an epoch, the rest at any moment.
      if (kill % 2 === 0) await Promise.race([once(child.stdout, 'data'), outcome, sleep(10_000)]);
      await Promise.race([sleep(kill % 2 === 0 ? randomInt(500) : 500 + randomInt(4_000)), outcome]);
      child.kill('SIGKILL');
      await outcome;
      if (output.stdout !== '') stored += 1;
    }
    expect(stored).toBeGreaterThan(0);
    await moved;
    const last = await stakegraph([...args, '--once'], env(database));
    expect(last, last.stderr).toMatchObject({ code: 0 });
    expect(await contentOf(database)).toEqual(calm);
  });
});

describe.skipIf(!hasRecordings)('a gateway that indexes', () => {
  it('serves real figures from an empty database, without sample data', async () => {
    const node = await nodeForTest();
    const began = performance.now();
    const served = await serve({
      args: ['--index', node.url],
      env: {
        ...{
          DATA_DIR: await preparedForTest(),
          INDEX_FROM: `${FIRST}`,
          INDEX_NETWORK: 'hoodi',
          INDEX_RATE: '5000',
        },
        INDEX_ESTIMATE_MISSED: 'on',
      },
    });
    const query = '{ operators(window: ALL, idType: WITHDRAWAL_ADDRESS, first: 1) { totalCount } }';
    const ask = async (asked = query) =>
      bodyOf<{
        data: {
          operators: { totalCount: number };
          blocks: { nodes: { missedConsensusRewards: string }[] };
        };
      }>(
        fetch(`${served.url}/graphql`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${served.token}`,
            'content-type': 'application/json',
            'x-service-network': 'hoodi',
          },
          body: JSON.stringify({ query: asked }),
        }),
      );
    await eventually(async () => expect((await ask()).data.operators.totalCount).toBeGreaterThan(5), 120_000);
    const seconds = (performance.now() - began) / 1000;
    console.info(`figures after ${seconds.toFixed(1)} s`);
    const ready = await (await served.get('/ready')).json();
    expect(ready).toMatchObject({ status: 'ready', index: [{ network: 'hoodi', indexedEpoch: LAST }] });
    const missed = await ask(
      '{ blocks(network: HOODI, where: { outcome: MISSED, finalized: true }) { nodes { missedConsensusRewards } } }',
    );
    const estimates = missed.data.blocks.nodes;
    expect(estimates.length).toBeGreaterThan(0);
    for (const { missedConsensusRewards } of estimates)
      expect(Number(missedConsensusRewards)).toBeGreaterThan(0);
    const mainnet = await (await served.get('/v0/eth/operators?window=7d&idType=pool')).json();
    expect(mainnet).toMatchObject({ total: 0 });
    expect(await served.stop()).toMatchObject({ code: 0 });
  });

  slow('refuses nodes of another network than INDEX_NETWORK, and says so at /ready', async () => {
    const node = await nodeForTest();
    const served = await serve({
      args: ['--index', node.url],
      env: { DATA_DIR: await preparedForTest(), INDEX_NETWORK: 'mainnet' },
    });
    await eventually(async () => expect(served.stderr()).toMatch(/hoodi/), 60_000);
    expect(await served.stop()).toMatchObject({ code: 0 });
  });

  slow('is refused on a database with the sample data', async () => {
    const node = await nodeForTest();
    const env = { DATA_DIR: await preparedForTest() };
    expect(await (await serve({ env })).stop()).toMatchObject({ code: 0 });
    for (const args of [
      ['index', '--beacon', node.url],
      ['serve', '--index', node.url],
    ]) {
      expect(await stakegraph(args, { env: { PORT: '0', ...env } })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(
          'The database has the sample data, and an index would be mixed with it',
        ),
      });
    }
  });

  it('serves on while the node is away, and says so in /ready, logs and metrics', async () => {
    const database = await databaseForTest();
    const node = await nodeForTest();
    const args = ['index', '--beacon', node.url, '--once', ...from];
    expect(await stakegraph(args, env(database))).toMatchObject({ code: 0 });
    node.syncing = true;
    node.break(/./, 503);
    const served = await serve({ args: ['--index', node.url], env: { DATABASE_URL: database.url } });
    await eventually(async () => {
      const ready = await bodyOf<object>(served.get('/ready'));
      expect(ready).toMatchObject({
        status: 'ready',
        index: [{ indexedEpoch: LAST, problem: expect.stringMatching(/^[a-z-]+$/) }],
      });
      expect(await (await served.get('/metrics')).text()).toMatch(/stakegraph_index_node_errors_total\{/);
    }, 60_000);
    expect(served.stderr()).toContain(node.url.replace('http://', ''));
    expect(await served.stop()).toMatchObject({ code: 0 });
  });
});
