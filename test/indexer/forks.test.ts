import fastify from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { epochStart, SECONDS_PER_EPOCH } from '../../src/chain/calendar.ts';
import { readinessOf } from '../../src/gateway/readiness.ts';
import { serveHealth } from '../../src/http/metrics/health.ts';
import { SpecError } from '../../src/indexer/chain/spec.ts';
import { tellForks, watchForks } from '../../src/indexer/forks.ts';
import { registerIndexMetrics } from '../../src/indexer/metrics.ts';
import { openNodes } from '../../src/indexer/node/index.ts';
import { problemTeller } from '../../src/indexer/retry.ts';
import { newStatus } from '../../src/indexer/status.ts';
import { openStore } from '../../src/indexer/store/index.ts';
import { hasRecordings, recordedChain, startBeaconNode } from '../support/beacon-node.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { contentOf, indexed } from '../support/indexed.ts';
import { slow } from '../support/thorough.ts';

const FIRST = 2_340;
/** The epoch of a fork that no version knows. */
const FORK = 2_352;
const TIME = '2025-03-27T23:02:48Z';
const spec = { HEZE_FORK_EPOCH: `${FORK}` };
const slots = (epoch: number) => epoch * 32;

async function databaseForTest(): Promise<TestDatabase> {
  const database = await createDatabase('empty');
  onTestFinished(() => database.drop());
  return database;
}

async function nodeForTest(head = slots(FORK), constants: Record<string, string> = {}) {
  const node = await startBeaconNode(recordedChain('days'), { head });
  node.spec = constants;
  onTestFinished(() => node.close());
  return node;
}

const storedForks = async ({ pool }: TestDatabase) =>
  (await pool.query({ text: 'select name, epoch from network_forks order by epoch, name', values: [] })).rows;

describe.skipIf(!hasRecordings)(
  'an index whose node schedules a fork that this version does not know',
  () => {
    slow(
      'warns at the start, waits before the fork, says so once, and goes on with a version that knows it',
      async () => {
        const database = await databaseForTest();
        const node = await nodeForTest(slots(FORK - 5), spec);
        const status = newStatus();
        const said: string[] = [];
        const stop = new AbortController();
        const running = indexed(database, [node.url], {
          ...{ from: FIRST, once: false, status, stop: stop.signal },
          say: (_level, message) => said.push(message),
        });
        await eventually(() => expect(status.indexedEpoch).toBe(FORK - 9), 60_000);
        expect(said).toEqual([
          `Update stakegraph soon: this version does not know the fork heze of hoodi (epoch ${FORK}, ${TIME}). It stores epochs up to ${FORK - 3} and then waits. What is stored is kept, and an updated version goes on from there.`,
        ]);
        expect(status.unknownFork).toEqual({ name: 'heze', epoch: FORK });
        for (let slot = node.head; slot < slots(FORK + 8); slot += 8) {
          node.advance(8);
          await new Promise((resolve) => setTimeout(resolve, 25));
        }
        await eventually(() => expect(status.finalizedEpoch).toBeGreaterThan(FORK + 2), 60_000);
        await eventually(() => expect(said).toHaveLength(2), 60_000);
        node.advance(8);
        await eventually(() => expect(status.headEpoch).toBe(FORK + 8), 60_000);
        stop.abort();
        expect(await running).toMatchObject({ from: FIRST, to: FORK - 3 });
        expect(said.slice(1)).toEqual([
          `Epoch ${FORK - 3} is the last one before the fork heze of hoodi (epoch ${FORK}, ${TIME}), which this version does not know. What is stored is kept. Update stakegraph; the index then goes on.`,
        ]);
        expect(status.nodeErrors).toEqual(new Map());
        const text = 'select max(slot) as slot from blocks';
        expect((await database.pool.query({ text, values: [] })).rows[0]?.slot).toBeLessThan(slots(FORK));

        const known = await nodeForTest(slots(FORK + 8));
        expect(await indexed(database, [known.url])).toMatchObject({ from: FORK - 2, done: true, said: [] });
        const calm = await databaseForTest();
        await indexed(calm, [known.url], { from: FIRST });
        expect(await contentOf(database)).toEqual(await contentOf(calm));
      },
    );

    slow('ends with an error with --once, after the last epoch before the fork', async () => {
      const database = await databaseForTest();
      const node = await nodeForTest(slots(FORK + 4), spec);
      await expect(indexed(database, [node.url], { from: FORK - 5 })).rejects.toThrow(SpecError);
      const { rows } = await database.pool.query({ text: 'select epoch from index_state', values: [] });
      expect(rows).toEqual([{ epoch: FORK - 3 }]);
      const before = await indexed(database, [node.url], { to: FORK - 3 });
      expect(before.done).toBe(true);
    });

    it('warns again each day, also of a fork that only an updated node schedules', async () => {
      const database = await databaseForTest();
      const [node, other] = [await nodeForTest(), await nodeForTest()];
      const stop = new AbortController();
      const nodes = await openNodes({ urls: [other.url, node.url], signal: stop.signal });
      const said: string[] = [];
      const say = (_level: string, message: string) => said.push(message);
      const status = newStatus();
      const store = openStore(database.pool, 'hoodi');
      const options = { nodes, store, status, say, tell: problemTeller(say) };
      await tellForks(options);
      expect([said, status.unknownFork]).toEqual([[], undefined]);
      node.spec = { ...spec, BEYOND_FORK_EPOCH: '99999' };
      const watching = watchForks(options, stop.signal, 50);
      await eventually(() => expect(said.length).toBeGreaterThan(1));
      stop.abort();
      await watching;
      expect(new Set(said).size).toBe(1);
      expect(said[0]).toContain(`(epoch ${FORK}, ${TIME})`);
      expect(await storedForks(database)).toEqual([
        ...['altair', 'bellatrix', 'capella', 'deneb', 'electra', 'phase0'].map((name) => ({
          name,
          epoch: 0,
        })),
        { name: 'heze', epoch: FORK },
        { name: 'fulu', epoch: 2_526 },
        { name: 'beyond', epoch: 99_999 },
      ]);
    });
  },
);

it('the gauge has the epoch of the fork', async () => {
  const registry = new Registry();
  const status = newStatus();
  registerIndexMetrics(registry, status);
  expect(await registry.metrics()).not.toMatch(/^stakegraph_index_unknown_fork_epoch \d/m);
  status.unknownFork = { name: 'heze', epoch: FORK };
  expect(await registry.metrics()).toContain(`stakegraph_index_unknown_fork_epoch ${FORK}\n`);
});

describe('/ready', () => {
  const now = Math.floor((Date.now() / 1000 - epochStart('hoodi', 0)) / SECONDS_PER_EPOCH);
  const ready = async (epoch: number, name = 'heze') => {
    const { pool } = await databaseForTest();
    const app = fastify();
    onTestFinished(() => app.close());
    serveHealth(app, readinessOf({ read: pool, primary: pool }, pino({ level: 'silent' })));
    await openStore(pool, 'hoodi').writeForks([{ name, epoch }]);
    await pool.query({
      text: `insert into index_state (network, first_epoch, epoch, state, version, written_at)
        values ('hoodi', 0, 9, '', 1, now())`,
      values: [],
    });
    const response = await fetch(`${await app.listen({ port: 0 })}/ready`);
    return { code: response.status, ...((await response.json()) as object) };
  };

  it('tells of the fork from the day on which a node schedules it', async () => {
    const epoch = now + 225 * 30;
    const time = new Date(epochStart('hoodi', epoch) * 1000).toISOString().replace('.000', '');
    expect(await ready(epoch)).toEqual({
      ...{ code: 200, status: 'ready' },
      index: [
        {
          ...{ network: 'hoodi', indexedEpoch: 9, behindSeconds: expect.any(Number) },
          unknownFork: { name: 'heze', epoch, time, lastEpoch: epoch - 3 },
        },
      ],
    });
  });

  it.each([now + 225 * 6, now - 225])(
    'is degraded in the week before the fork, and after it',
    async (epoch) => {
      expect(await ready(epoch)).toMatchObject({
        ...{ code: 200, status: 'degraded', reads: true, writes: true },
        reason: expect.stringMatching(
          new RegExp(
            `^figures end with epoch ${epoch - 3}, because .* fork heze of hoodi .*; update stakegraph$`,
          ),
        ),
        index: [{ problem: 'unknown-fork', unknownFork: { epoch } }],
      });
    },
  );

  it('says nothing of forks that this version knows', async () => {
    const { index, ...rest } = (await ready(now - 225, 'fulu')) as { index?: object[] };
    expect(rest).toEqual({ code: 200, status: 'ready' });
    expect(index?.[0]).not.toHaveProperty('unknownFork');
  });
});
