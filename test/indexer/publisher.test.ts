import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { heartbeat } from '../../src/indexer/beat.ts';
import { type FollowOptions, follow } from '../../src/indexer/follow.ts';
import { openNodes } from '../../src/indexer/node/index.ts';
import { Publisher } from '../../src/indexer/publisher.ts';
import { problemTeller, retrying } from '../../src/indexer/retry.ts';
import { newStatus } from '../../src/indexer/status.ts';
import { type OpenDays, openStore, type Store } from '../../src/indexer/store/index.ts';
import { hasRecordings, recordedChain, startBeaconNode } from '../support/beacon-node.ts';
import { until } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { contentOf, indexed } from '../support/indexed.ts';
import { slow } from '../support/thorough.ts';

/** Runs that wait until the test lets them go on. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), opened };
}

const balances = { balances: new Float64Array(), effectiveBalances: new Float64Array() };
const openDays = (epoch: number, ...calendars: ('chain' | 'utc')[]): OpenDays => ({
  ...{ epoch, at: balances, calendars: new Set(calendars) },
});

it('one publication runs at a time; the newest of those that waited follows, with the days of all of them', async () => {
  const first = gate();
  const said: string[] = [];
  const published: number[] = [];
  const written: OpenDays[] = [];
  const changed: unknown[] = [];
  let [now, running] = [0, 0];
  const publisher = new Publisher({
    store: {
      async publish(_stopped, calendars) {
        changed.push(calendars);
        running += 1;
        expect(running).toBe(1);
        if (published.length === 0) await first.opened;
        running -= 1;
        return [];
      },
      writeOpenDays: async (open) => void written.push(open),
    },
    ...{ once: false, say: (_level, message) => said.push(message), now: () => now },
    ...{ onPublished: (epoch) => published.push(epoch), stop: new AbortController().signal },
  });
  publisher.request({ epoch: 9, open: openDays(9, 'chain') });
  expect(publisher.idleMs).toBe(0);
  publisher.request({ epoch: 14, open: openDays(14, 'utc') });
  expect(said).toEqual([]);
  now = 61 * 60_000;
  publisher.request({ epoch: 19, open: openDays(19, 'chain') });
  publisher.request({ epoch: 24, open: undefined });
  expect(said).toEqual([expect.stringMatching(/^Publishing up to epoch 9 has taken 61 min so far\./)]);
  first.open();
  await publisher.settled();
  expect(published).toEqual([9, 24]);
  expect(written).toEqual([openDays(9, 'chain'), openDays(19, 'utc', 'chain')]);
  expect(changed).toEqual(written.map(({ calendars }) => calendars));
  now += 5_000;
  expect(publisher.idleMs).toBe(5_000);
});

it('a publication that fails is said, and tried again unless the index runs once', async () => {
  const stop = new AbortController();
  const said: string[] = [];
  const fails = (once: boolean) =>
    new Publisher({
      store: { publish: () => Promise.reject(new Error('gone')), writeOpenDays: async () => undefined },
      ...{ once, say: (_level, message) => said.push(message), onPublished: () => undefined },
      stop: stop.signal,
    });
  const once = fails(true);
  once.request({ epoch: 9, open: undefined });
  await expect(once.settled()).rejects.toThrow('gone');
  expect(said).toEqual([]);
  const lasting = fails(false);
  lasting.request({ epoch: 9, open: undefined });
  while (said.length === 0) await sleep(5);
  stop.abort();
  await lasting.settled();
  expect(said).toEqual(['Publishing failed and is retried in a minute: gone']);
});

const FIRST = 2_340;
/** Ends an hour of the chain's calendar, as does 2353. */
const HOUR_END = 2_343;

async function databaseForTest(): Promise<TestDatabase> {
  const database = await createDatabase('empty');
  onTestFinished(() => database.drop());
  return database;
}

it('operators are published with days of the chain calendar, attestations with those of any', async () => {
  const store = openStore((await databaseForTest()).pool, 'hoodi');
  const parts = async (...calendars: ('chain' | 'utc')[]) =>
    new Set((await store.publish(undefined, new Set(calendars))).map(({ part }) => part));
  expect(await parts('utc')).toEqual(new Set(['attestations']));
  expect(await parts('chain')).toEqual(new Set(['operators', 'attestations']));
});

describe.skipIf(!hasRecordings)('an index that follows', () => {
  slow('a large registry is published at the end of each hour, and epochs are stored meanwhile', async () => {
    const head = (epoch: number) => (epoch + 4) * 32;
    const node = await startBeaconNode(recordedChain('days'), { head: head(HOUR_END - 1) });
    onTestFinished(() => node.close());
    const database = await databaseForTest();
    const stop = new AbortController();
    const status = newStatus();
    const say = () => undefined;
    const nodes = await openNodes({ urls: [node.url], onError: () => undefined, signal: stop.signal });
    const own = openStore(database.pool, 'hoodi');
    let wait = Promise.resolve();
    const store: Store = { ...own, publish: (...args) => wait.then(() => own.publish(...args)) };
    const published: number[] = [];
    const failures: string[] = [];
    const options: FollowOptions = {
      ...{ network: 'hoodi', nodes, store, once: false, width: 2, status, say, stop: stop.signal },
      range: () => ({ from: { epoch: FIRST }, firstFrom: undefined, to: undefined }),
      retry: retrying({ status, tell: problemTeller(say), say, once: false, stop: stop.signal }),
      beat: heartbeat(nodes.events, 50, stop.signal, (error) => failures.push(error.message)),
      ...{ onStored: () => undefined, afterEpoch: undefined, largeRegistry: 1 },
      onPublished: (epoch, failed) => {
        published.push(epoch);
        failures.push(...failed);
      },
    };
    const running = follow(options);
    const ends = async () =>
      (
        await database.pool.query({
          text: `select utc, max(end_epoch) as epoch from validator_days group by utc order by utc`,
          values: [],
        })
      ).rows.map(({ epoch }) => epoch);
    await until(() => published.length === 1, running);
    expect(await ends()).toEqual([HOUR_END - 1, HOUR_END - 1]);

    const first = gate();
    wait = first.opened;
    for (const epoch of [HOUR_END, HOUR_END + 1, HOUR_END + 2]) {
      node.setHead(head(epoch));
      await until(() => status.indexedEpoch === epoch, running);
    }
    expect(published).toEqual([HOUR_END - 1]);
    first.open();
    await until(() => published.length === 2, running);
    expect(await ends()).toEqual([HOUR_END, HOUR_END - 1]);

    for (let epoch = HOUR_END + 3; epoch <= 2_353; epoch += 1) {
      node.setHead(head(epoch));
      await until(() => status.indexedEpoch === epoch, running);
    }
    await until(() => published.at(-1) === 2_353, running);
    stop.abort();
    await running;
    expect(failures).toEqual([]);
    const calm = await databaseForTest();
    await indexed(calm, [node.url], { from: FIRST, to: 2_353 });
    const [found, expected] = [await contentOf(database), await contentOf(calm)];
    const ofChain = (rows: any[] = []) => rows.filter(({ row }) => row.utc === false);
    expect(ofChain(found.validator_days)).toEqual(ofChain(expected.validator_days));
    expect(ofChain(found.attestation_days)).toEqual(ofChain(expected.attestation_days));
    expect(found.operators).toEqual(expected.operators);
  });
});

it('an error of the events is reported, and the index polls', async () => {
  const [said, stop]: [string[], AbortController] = [[], new AbortController()];
  const events = async function* () {
    yield {};
    throw new Error('no more events');
  };
  const beat = heartbeat(events, 5, stop.signal, ({ message }) => said.push(message));
  await beat.wait();
  await beat.wait();
  expect(said).toEqual(['no more events']);
});

it('a stop of the events is no error', async () => {
  const [said, stop]: [string[], AbortController] = [[], new AbortController()];
  const events = async function* (signal: AbortSignal) {
    yield {};
    signal.throwIfAborted();
  };
  stop.abort();
  await heartbeat(events, 5, stop.signal, ({ message }) => said.push(message)).wait();
  await sleep(5);
  expect(said).toEqual([]);
});
