import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createToken } from '../../src/accounts/tokens.ts';
import { importFile } from '../../src/ingest/import-file.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { BLOCKS, slotsOf } from '../support/live-rows.ts';
import { dataDirForTest, endRunning, launch, type Served, serve, stakegraph } from '../support/process.ts';
import { subscribe } from '../support/subscribe.ts';
import { slow } from '../support/thorough.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());
afterEach(endRunning);

const MINUTE = 60_000;
const env = () => ({ DATABASE_URL: database.url, MAX_STREAMS: '600' });
/** Start these after the creation of tokens: gateways hear of a new token a moment later. */
const replicas = () => Promise.all([serve({ env: env() }), serve({ env: env() })]);
const tokenNamed = async (name: string) => (await createToken(database.pool, name)).token;

let last = 1_000;
/** A file of blocks of slots that no other file has. */
async function fileOf(count: number): Promise<{ file: string; slots: number[] }> {
  const slots = Array.from({ length: count }, () => last++);
  const file = join(dataDirForTest(), `${slots[0]}.json`);
  const rows = slots.map((consensusSlot) => ({
    consensusSlot,
    validatorIndex: 7,
    consensusProposerDuty: 'proposed',
    consensusBlockRoot: `0x${'a'.repeat(64)}`,
  }));
  await writeFile(file, JSON.stringify(rows));
  return { file, slots };
}

/** Imports in this process, which runs none of the gateways. */
async function importBlocks(count: number): Promise<number[]> {
  const { file, slots } = await fileOf(count);
  expect(await importFile(database.pool, 'blocks', file, { network: 'mainnet' })).toMatchObject({
    ...{ rows: count, faults: [], loaded: true },
  });
  return slots;
}

/** When the next commit of blocks is announced. */
async function nextCommit(): Promise<{ at: Promise<number> }> {
  const client = new pg.Client(database.url);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('listen stakegraph_data');
  const at = new Promise<number>((resolve) => {
    client.on('notification', ({ payload }) => payload === 'blocks' && resolve(performance.now()));
  });
  return { at };
}

/** A client that, whenever its stream ends, continues on the other replica after the last revision. */
function follow(servers: readonly Served[], token: string, first: number) {
  const seen = new Set<number>();
  const completed: boolean[] = [];
  const errors: unknown[] = [];
  let after: number | undefined;
  let stopped = false;
  let away: Promise<unknown> = sleep(0);

  async function read(at: number) {
    const { url } = servers[at % servers.length] as Served;
    const stream = await subscribe({ url, token }, BLOCKS, { after });
    try {
      if (stream.status !== 200) throw new Error(`status ${stream.status}`);
      for (;;) {
        const result = await stream.next();
        if (result.errors) errors.push(result.errors);
        else {
          for (const slot of slotsOf(result)) seen.add(slot);
          after = result.data.blockAdded.revision;
        }
      }
    } finally {
      if (stream.status === 200 && !stopped) completed.push(stream.completed());
      stream.close();
    }
  }
  async function run() {
    for (let at = first; !stopped; at++) {
      await read(at).catch(() => undefined);
      await sleep(20);
      await away;
    }
  }
  void run();
  onTestFinished(() => {
    stopped = true;
  });
  return {
    seen,
    completed,
    errors,
    isReady: () => after !== undefined,
    /** A stream that ends is not continued before this. */
    stayAway(until: Promise<unknown>) {
      away = until;
    },
  };
}
type Client = ReturnType<typeof follow>;

const lacking = (clients: readonly Client[], slots: readonly number[]) =>
  clients.flatMap(({ seen }) => slots.filter((slot) => !seen.has(slot))).length;
const allSaw = (clients: readonly Client[], slots: readonly number[], within = MINUTE) =>
  eventually(() => expect(lacking(clients, slots)).toBe(0), within);

/** Clients spread evenly over the replicas, each of which has its first event. */
async function clientsOf(servers: readonly Served[], tokens: readonly string[], count: number) {
  const clients = Array.from({ length: count }, (_, index) =>
    follow(servers, tokens[index % tokens.length] as string, index),
  );
  await eventually(() => expect(clients.filter((client) => !client.isReady())).toHaveLength(0), MINUTE);
  return clients;
}

describe('two gateways on one database', () => {
  it('of which one is stopped: its streams end, and its clients miss nothing on the other', async () => {
    const token = await tokenNamed('stopped');
    const servers = await replicas();
    const clients = await clientsOf(servers, [token], 6);
    const slots = await importBlocks(3);
    await allSaw(clients, slots);
    const stoppedAt = performance.now();
    const stopping = servers[0]
      .stop()
      .finally(() => expect(performance.now() - stoppedAt).toBeLessThan(30_000));
    const importing = stopping.then(() => importBlocks(70));
    for (const client of clients) client.stayAway(importing);
    slots.push(...(await importing));
    expect(await stopping).toMatchObject({ code: 0, stderr: '' });
    await allSaw(clients, slots);
    slots.push(...(await importBlocks(3)));
    await allSaw(clients, slots);
    const own = (first: number) => clients.filter((_, index) => index % 2 === first);
    expect(own(0).map(({ completed }) => completed)).toEqual([[false], [false], [false]]);
    expect(own(1).map(({ completed }) => completed)).toEqual([[], [], []]);
    expect(clients.flatMap(({ errors }) => errors)).toEqual([]);
  });

  slow(
    'tell 500 streams of an import at once; one is killed during imports, and its clients miss nothing on the other',
    async () => {
      const tokens = await Promise.all(
        Array.from({ length: 30 }, (_, index) => tokenNamed(`of 500, ${index}`)),
      );
      const servers = await replicas();
      const clients = await clientsOf(servers, tokens, 500);
      const announced = await nextCommit();
      const importing = importBlocks(1);
      const committed = await announced.at;
      await allSaw(clients, [last - 1]);
      const took = performance.now() - committed;
      const slots = await importing;
      process.stdout.write(
        `500 streams on two processes had the event ${Math.round(took)} ms after its commit\n`,
      );
      expect(took).toBeLessThan(10_000);

      const files = await Promise.all(Array.from({ length: 240 }, () => fileOf(8)));
      const { output, outcome } = launch(['import', 'blocks', ...files.map(({ file }) => file)], {
        env: env(),
      });
      const imported = () => output.stdout.split('\n').length - 1;
      await eventually(() => expect(imported()).toBeGreaterThan(5), MINUTE);
      const before = imported();
      expect(before).toBeLessThan(files.length);
      servers[0].child.kill('SIGKILL');
      const killedAt = performance.now();
      expect(await outcome).toMatchObject({ code: 0, stderr: '' });
      slots.push(...files.flatMap((file) => file.slots));
      await allSaw(clients, slots);
      process.stdout.write(
        `killed after ${before} of ${files.length} commits; all 500 had every block ${Math.round(performance.now() - killedAt)} ms later\n`,
      );
      const cut = () => clients.filter(({ completed }) => completed.length > 0);
      await eventually(() => expect(cut()).toHaveLength(250), MINUTE);
      expect(cut().flatMap(({ completed }) => completed)).not.toContain(true);
      expect(clients.flatMap(({ errors }) => errors)).toEqual([]);
    },
  );

  slow('both end the streams of a token that "token revoke" revokes, within seconds', async () => {
    const [token, other] = [await tokenNamed('revoked'), await tokenNamed('kept')];
    const servers = await replicas();
    const open = (url: string, token: string) => subscribe({ url, token }, BLOCKS, {});
    const streams = await Promise.all(servers.map(({ url }) => open(url, token)));
    const kept = await Promise.all(servers.map(({ url }) => open(url, other)));
    for (const stream of [...streams, ...kept]) expect(slotsOf(await stream.next())).toEqual([]);
    const { stdout } = await stakegraph(['token', 'list', '--json'], { env: env() });
    const { tokenId } = JSON.parse(stdout).find(({ name }: { name: string }) => name === 'revoked');
    expect(await stakegraph(['token', 'revoke', tokenId], { env: env() })).toMatchObject({ code: 0 });
    const revokedAt = performance.now();
    for (const stream of streams) {
      expect((await stream.next()).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
      await stream.ended;
      expect(stream.completed()).toBe(true);
    }
    const took = performance.now() - revokedAt;
    process.stdout.write(`streams of a revoked token ended ${Math.round(took)} ms after the command\n`);
    expect(took).toBeLessThan(10_000);
    const slots = await importBlocks(1);
    for (const stream of kept) expect(slotsOf(await stream.next())).toEqual(slots);
  });
});
