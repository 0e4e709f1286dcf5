import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SettingsError } from '../../src/config/index.ts';
import { SavedStateError } from '../../src/indexer/chain/saved-state-error.ts';
import { SpecError } from '../../src/indexer/chain/spec.ts';
import { LockedError } from '../../src/indexer/lock.ts';
import { registerIndexMetrics } from '../../src/indexer/metrics.ts';
import { RangeFault } from '../../src/indexer/range.ts';
import { newStatus } from '../../src/indexer/status.ts';
import { indexedNetworks } from '../../src/indexer/store/index.ts';
import { hasRecordings, recordedChain, startBeaconNode } from '../support/beacon-node.ts';
import { until } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { contentOf, indexed } from '../support/indexed.ts';

const FIRST = 2_340;
/** The last epoch of the facts: the newest closed one, since the head of the nodes is three epochs later. */
const LAST = 2_364;
const HEAD = (LAST + 4) * 32;

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

const revisions = async ({ pool }: TestDatabase) =>
  (await pool.query({ text: 'select name, revision from datasets order by 1', values: [] })).rows;

describe.skipIf(!hasRecordings)('an index of a recorded chain', () => {
  let calm: Record<string, unknown[]>;
  beforeAll(async () => {
    const database = await createDatabase('empty');
    const node = await startBeaconNode(recordedChain('days'), { head: HEAD });
    const report = await indexed(database, [node.url], { from: FIRST });
    expect(report).toMatchObject({ from: FIRST, to: LAST, epochs: LAST - FIRST + 1, done: true, said: [] });
    calm = await contentOf(database);
    const before = await revisions(database);
    const again = await indexed(database, [node.url], { from: FIRST });
    expect(again).toMatchObject({ from: undefined, epochs: 0, done: true });
    expect(await contentOf(database)).toEqual(calm);
    expect(await revisions(database)).toEqual(before);
    await node.close();
    await database.drop();
  });

  it('fills every table', () => {
    const empty = Object.entries(calm).filter(([, rows]) => rows.length === 0);
    expect(empty.map(([name]) => name)).toEqual(['slashings', 'chain_daily_rewards', 'index_deposits']);
  });

  it('goes on where it left off, from the middle of a day, with the same rows', async () => {
    const database = await databaseForTest();
    const node = await nodeForTest();
    const first = await indexed(database, [node.url], { from: FIRST, to: 2_350 });
    expect(first).toMatchObject({ to: 2_350, done: true });
    expect(await indexed(database, [node.url])).toMatchObject({ from: 2_351, to: LAST });
    expect(await contentOf(database)).toEqual(calm);
  });

  it('has the same rows with 5 % faults', async () => {
    const database = await databaseForTest();
    const node = await nodeForTest({ faults: 0.05 });
    expect(await indexed(database, [node.url], { from: FIRST })).toMatchObject({ done: true });
    expect(await contentOf(database)).toEqual(calm);
  });

  it('has the same rows where one of two nodes lies about a balance, and names the difference', async () => {
    const database = await databaseForTest();
    const [liar, honest] = [await nodeForTest(), await nodeForTest()];
    liar.lie = { validator: 17, gwei: 1, epoch: 2_352 };
    const status = newStatus();
    const report = await indexed(database, [liar.url, honest.url], { from: FIRST, status });
    expect(report.done).toBe(true);
    expect(status.reconcileFailures).toBeGreaterThan(0);
    expect(report.said.join('\n')).toMatch(/Epoch 2351 of \S+ is not stored: -?1 Gwei of validator 17 are/);
    expect(await contentOf(database)).toEqual(calm);
  });

  it.each<[string, RegExp, (body: string) => string]>([
    [
      'a block of another proposer, in an epoch with a missed slot',
      /\/blocks\/72238$/,
      (body) =>
        body.replace(/"proposer_index":"(\d+)"/, (_, index) => `"proposer_index":"${Number(index) + 1}"`),
    ],
    [
      'a sync committee with another member',
      /\/sync_committees/,
      (body) =>
        body.replace(/"validators":\["(\d+)"/, (_, index) => `"validators":["${(Number(index) + 1) % 64}"`),
    ],
  ])('asks a node again that once answers with %s', async (_what, path, wrong) => {
    const range = { from: 2_250, to: 2_260 };
    const [expected, database] = [await databaseForTest(), await databaseForTest()];
    await indexed(expected, [(await nodeForTest()).url], range);
    const node = await nodeForTest();
    let told = 0;
    const once = (body: string) => {
      told += 1;
      return wrong(body);
    };
    node.break(path, once, 1);
    expect(await indexed(database, [node.url], range)).toMatchObject({ done: true });
    expect(told).toBe(1);
    expect(await contentOf(database)).toEqual(await contentOf(expected));
  });

  it('stores nothing of an epoch that a lying node tells alone, and says what to do', async () => {
    const database = await databaseForTest();
    const liar = await nodeForTest();
    liar.lie = { validator: 17, gwei: 1, epoch: 2_352 };
    const stop = new AbortController();
    const said: string[] = [];
    const status = newStatus();
    const running = indexed(database, [liar.url], {
      ...{ from: FIRST, once: false, stop: stop.signal, status },
      say: (_level, message) => {
        said.push(message);
        if (status.reconcileFailures >= 2) stop.abort();
      },
    });
    expect(await running).toMatchObject({ to: 2_349, done: false });
    expect(said.join('\n')).toContain('add a second node to --beacon');
    expect(status).toMatchObject({ indexedEpoch: 2_349 });
    expect(status.problem).toBe('unexplained');
  });

  it('begins anew from another node where the first state that it read was wrong', async () => {
    const database = await databaseForTest();
    const [liar, honest] = [await nodeForTest(), await nodeForTest()];
    liar.lie = { validator: 17, gwei: 1, epoch: FIRST };
    expect(await indexed(database, [liar.url, honest.url], { from: FIRST })).toMatchObject({ done: true });
    expect(await contentOf(database)).toEqual(calm);
  });

  it.each([
    ['first', 0],
    ['second', 1],
  ])(
    'stores nothing while the %s of two nodes adds a Gwei to every balance of a validator',
    async (_, at) => {
      const database = await databaseForTest();
      const both = [await nodeForTest(), await nodeForTest()];
      (both[at] as (typeof both)[0]).lie = { validator: 17, gwei: 1, epoch: undefined };
      const [stop, status, said] = [new AbortController(), newStatus(), [] as string[]];
      const report = await indexed(
        database,
        both.map(({ url }) => url),
        {
          ...{ from: FIRST, to: FIRST + 2, once: false, stop: stop.signal, status },
          say(_level, message) {
            said.push(message);
            if (/has another (balance|block)/.test(message)) stop.abort();
          },
        },
      );
      expect(report).toMatchObject({ epochs: 0, done: false });
      expect(status.problem).toBe('disagree');
      expect(said.join('\n')).toMatch(
        /has another balance of validator 17 \(by -?1 Gwei\) than .* in epoch 2341/,
      );
    },
  );

  it('has nothing of the first block from a node whose other blocks are refused', async () => {
    const range = { from: FIRST, to: FIRST + 2 };
    const [expected, database] = [await databaseForTest(), await databaseForTest()];
    const [liar, honest] = [await nodeForTest(), await nodeForTest()];
    await indexed(expected, [honest.url], range);
    liar.break(/\/v2\/beacon\/blocks\/\d+$/, (body) =>
      body.replace(/"sync_committee_bits":"0x[0-9a-f]/, (bits) => `${bits.slice(0, -1)}0`),
    );
    expect(await indexed(database, [liar.url, honest.url], range)).toMatchObject({ done: true });
    expect(await contentOf(database)).toEqual(await contentOf(expected));
  });

  it('stores nothing while two nodes tell another first block', async () => {
    const database = await databaseForTest();
    const [liar, honest] = [await nodeForTest(), await nodeForTest()];
    const slot = FIRST * 32;
    liar.break(new RegExp(`/v2/beacon/blocks/(${slot}|${liar.chain.root(slot)})$`), (body) =>
      body.replace(/"fee_recipient":"0x.{4}/, '"fee_recipient":"0xabcd'),
    );
    const [stop, status, said] = [new AbortController(), newStatus(), [] as string[]];
    const report = await indexed(database, [liar.url, honest.url], {
      ...{ from: FIRST, to: FIRST + 2, once: false, stop: stop.signal, status },
      say(_level, message) {
        said.push(message);
        if (/has another (balance|block)/.test(message)) stop.abort();
      },
    });
    expect(report).toMatchObject({ epochs: 0 });
    expect(said.join('\n')).toContain(`has another block of slot ${slot} than`);
  });

  it('names a node whose first answers contradict each other, and begins with another', async () => {
    const database = await databaseForTest();
    const [liar, honest] = [await nodeForTest(), await nodeForTest()];
    const exited = (body: string) =>
      body.replaceAll('"exit_epoch":"18446744073709551615"', '"exit_epoch":"2300"');
    liar.break(/\/states\/\d+\/validators$/, exited);
    const status = newStatus();
    const report = await indexed(database, [liar.url, honest.url], { from: FIRST, to: FIRST + 1, status });
    expect(report).toMatchObject({ to: FIRST + 1, done: true });
    expect(status.nodeErrors.get('nonsense')).toBeGreaterThan(0);
    expect(report.said.join('\n')).toContain(new URL(liar.url).host);
  });

  it('ends where what was saved cannot be read, and begins anew with --from', async () => {
    const database = await databaseForTest();
    const node = await nodeForTest();
    await indexed(database, [node.url], { from: FIRST, to: FIRST + 2 });
    const before = await contentOf(database);
    await database.pool.query({ text: `update index_state set state = '\\x00'`, values: [] });
    await expect(indexed(database, [node.url])).rejects.toThrow(SavedStateError);
    expect(await indexed(database, [node.url], { from: FIRST, to: FIRST + 2 })).toMatchObject({ done: true });
    expect(await contentOf(database)).toEqual(before);
  });

  it('refuses nodes of a chain with another genesis than the one that is stored, also with --from', async () => {
    const database = await databaseForTest();
    const node = await nodeForTest();
    await indexed(database, [node.url], { from: FIRST, to: FIRST });
    const before = await contentOf(database);
    node.genesis = { genesis_validators_root: `0x${'77'.repeat(32)}` };
    for (const from of [FIRST, FIRST + 10]) {
      const refused = expect(indexed(database, [node.url], { from, to: FIRST + 11 })).rejects;
      await refused.toThrow(SpecError);
      await refused.toThrow(/genesis_validators_root 0x\w+, but that of the nodes is 0x7777/);
    }
    expect(await contentOf(database)).toEqual(before);
  });

  it('goes on where it was if the database fails as it begins, also with --from', async () => {
    const database = await databaseForTest();
    const node = await nodeForTest();
    await indexed(database, [node.url], { from: FIRST, to: FIRST + 2 });
    let failures = 0;
    const query: TestDatabase['pool']['query'] = (statement) => {
      if (!statement.text.includes('resumeIndex') || failures > 0) return database.pool.query(statement);
      failures += 1;
      return Promise.reject(Object.assign(new Error('The connection was lost.'), { code: 'ECONNRESET' }));
    };
    const failing = { ...database, pool: { ...database.pool, query } };
    const report = await indexed(failing, [node.url], { from: FIRST + 2, to: FIRST + 4 });
    expect(failures).toBe(1);
    expect(report).toMatchObject({ from: FIRST + 3, epochs: 2, done: true });
  });

  it('has every epoch from its beginning at the head on, whatever fails later', async () => {
    const database = await databaseForTest();
    const node = await nodeForTest({ head: HEAD - 10 * 32 });
    let isDown = false;
    const withClient: TestDatabase['pool']['withClient'] = (work) =>
      isDown
        ? Promise.reject(Object.assign(new Error('The connection was lost.'), { code: 'ECONNRESET' }))
        : database.pool.withClient(work);
    const [stop, status] = [new AbortController(), newStatus()];
    const running = indexed({ ...database, pool: { ...database.pool, withClient } }, [node.url], {
      ...{ from: 'head', once: false, stop: stop.signal, status },
    });
    await until(() => status.finalizedEpoch === LAST - 8, running);
    await until(() => node.asked.includes(`/eth/v1/beacon/states/${(LAST - 8) * 32}/validators`), running);
    node.setHead(HEAD - 8 * 32);
    await until(() => status.indexedEpoch === LAST - 8, running);
    isDown = true;
    node.setHead(HEAD);
    await until(() => status.problem === 'database', running);
    isDown = false;
    await until(() => status.indexedEpoch === LAST, running);
    stop.abort();
    expect(await running).toMatchObject({ from: LAST - 8, epochs: 9 });
  });

  describe('with a node that keeps no state older than the finalized one', () => {
    const first = LAST - 10;
    /** The node keeps one more, so that a request of the index does not come too late. */
    const prunedNode = () => nodeForTest({ head: (first + 2) * 32, prune: 3 });
    type Node = Awaited<ReturnType<typeof prunedNode>>;
    const moveOn = async (node: Node, status: ReturnType<typeof newStatus>, running: Promise<unknown>) => {
      const { finalizedEpoch = 0 } = status;
      await until(
        () => node.asked.some((path) => path.includes(`/states/${finalizedEpoch * 32}/validator_balances`)),
        running,
      );
      node.setHead(node.head + 32);
      await until(() => status.finalizedEpoch === finalizedEpoch + 1, running);
    };

    it('begins at the finalized epoch, and goes on', async () => {
      const [database, node] = [await databaseForTest(), await prunedNode()];
      const [stop, status] = [new AbortController(), newStatus()];
      const running = indexed(database, [node.url], {
        ...{ from: 'head', to: first + 2, once: false, stop: stop.signal, status },
      });
      await until(() => status.finalizedEpoch === first, running);
      for (let i = 0; i < 4; i += 1) await moveOn(node, status, running);
      expect(await running).toMatchObject({ from: first, to: first + 2, done: true, said: [] });
    });

    it('begins anew at the head, and says so, once it was away for too many epochs', async () => {
      const [database, node] = [await databaseForTest(), await prunedNode()];
      const [stop, status] = [new AbortController(), newStatus()];
      const running = indexed(database, [node.url], {
        ...{ from: 'head', once: false, stop: stop.signal, status },
      });
      await until(() => status.finalizedEpoch === first, running);
      for (let i = 0; i < 2; i += 1) await moveOn(node, status, running);
      await until(() => status.indexedEpoch === first, running);
      node.setHead(node.head + 6 * 32);
      await until(() => status.finalizedEpoch === first + 8, running);
      for (let i = 0; i < 2; i += 1) await moveOn(node, status, running);
      await until(() => status.indexedEpoch === first + 8, running);
      stop.abort();
      expect((await running).said.join('\n')).toContain(
        `The index cannot go on after epoch ${first}, and begins anew at epoch ${first + 8}; the epochs between are left out.`,
      );
    });

    it('goes on at the head unless an epoch was asked for; what it leaves out is told, and an archive node adds it', async () => {
      const [database, archive, node] = [await databaseForTest(), await nodeForTest(), await prunedNode()];
      await indexed(database, [archive.url], { from: FIRST, to: FIRST + 1 });
      const run = async (firstFrom: number | undefined, end: string) => {
        const [stop, said, status] = [new AbortController(), [] as string[], newStatus()];
        await indexed(database, [node.url], {
          ...{ firstFrom, once: false, stop: stop.signal, status },
          say(_level, message) {
            said.push(message);
            if (message.includes(end)) stop.abort();
          },
        });
        return said;
      };
      await run(FIRST, 'INDEX_FROM=head goes on at the head whenever states are gone');
      expect((await run(undefined, 'begins anew')).at(-1)).toContain(
        `The index cannot go on after epoch ${FIRST + 1}, and begins anew at epoch ${first}; the epochs between are left out. What came before is kept. With a node that has their states, "stakegraph index --once --from 2136" adds them`,
      );
      const status = newStatus();
      await indexed(database, [archive.url], { from: first, to: first + 1, status });
      expect(status.missingEpochs).toBe(first - FIRST - 2);
      expect(await indexedNetworks(database.pool)).toMatchObject([
        { network: 'hoodi', epoch: first + 1, missing: [{ firstEpoch: FIRST + 2, lastEpoch: first - 1 }] },
      ]);
      const registry = new Registry();
      registerIndexMetrics(registry, status);
      expect(await registry.metrics()).toContain(`stakegraph_index_missing_epochs ${first - FIRST - 2}\n`);
      const { said } = await indexed(database, [archive.url], { from: FIRST, status });
      expect([said, status.missingEpochs]).toEqual([[], 0]);
      expect(await indexedNetworks(database.pool)).toMatchObject([{ epoch: LAST, missing: [] }]);
      expect(await contentOf(database)).toEqual(calm);
    });

    it('begins at the head if the chain day began before its states', async () => {
      const [database, node] = [await databaseForTest(), await prunedNode()];
      const [stop, said] = [new AbortController(), [] as string[]];
      await indexed(database, [node.url], {
        ...{ once: false, stop: stop.signal },
        say(_level, message) {
          said.push(message);
          if (message.startsWith('The index begins at')) stop.abort();
        },
      });
      expect(said.at(-1)).toContain(
        `The index begins at epoch ${first}, because no node has earlier states.`,
      );
    });
  });

  it.each([
    [{ from: FIRST, to: FIRST - 1 }, RangeFault, '--to is epoch 2339, before epoch 2340'],
    [{ from: FIRST + 100 }, RangeFault, '--from is epoch 2440, and the beacon node has finalized'],
    [{ relays: ['a=http://one.test', 'a=http://two.test'] }, SettingsError, '--relays has a twice'],
    [{ labels: '/nowhere/labels.csv' }, SettingsError, '/nowhere/labels.csv'],
  ])('refuses %j at once', async (options, kind, message) => {
    const database = await databaseForTest();
    const node = await nodeForTest();
    const refused = expect(indexed(database, [node.url], options)).rejects;
    await refused.toThrow(kind);
    await refused.toThrow(message);
  });

  it('says where a pruned node lacks states, and goes on with one that has them', async () => {
    const database = await databaseForTest();
    const pruned = await nodeForTest({ prune: 8 });
    const archive = await nodeForTest();
    const report = await indexed(database, [pruned.url, archive.url], { from: FIRST });
    expect(report.said.join('\n')).toMatch(/archive|older states|pruned/);
    expect(await contentOf(database)).toEqual(calm);
  });

  it('keeps a second index of the network out of the database, and notices when it lost its lock', async () => {
    const database = await databaseForTest();
    const node = await nodeForTest({ head: HEAD - 64 });
    const stop = new AbortController();
    const status = newStatus();
    const said: string[] = [];
    const running = indexed(database, [node.url], {
      ...{ from: FIRST, once: false, stop: stop.signal, status },
      say: (_level, message) => said.push(message),
    });
    await until(() => status.indexedEpoch === LAST - 2, running);
    await expect(indexed(database, [node.url])).rejects.toThrow(LockedError);
    const text = `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'stakegraph index' and datname = current_database()`;
    await database.pool.query({ text, values: [] });
    await until(() => /connection that holds the index lock was lost/.test(said.join('\n')), running);
    node.setHead(HEAD);
    await until(() => status.indexedEpoch === LAST, running);
    stop.abort();
    expect(await running).toMatchObject({ to: LAST, done: false });
    expect((await contentOf(database)).blocks).toEqual(calm.blocks);
  });

  it('names pools and node operators by the rules of a file, and publishes them', async () => {
    const database = await databaseForTest();
    const node = await nodeForTest();
    const folder = mkdtempSync(join(tmpdir(), 'stakegraph-labels-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const labels = join(folder, 'labels.csv');
    writeFileSync(labels, 'firstIndex,lastIndex,pool,nodeOperator\n10,29,Test Pool,Test Operator\n');
    await indexed(database, [node.url], { from: FIRST, to: FIRST + 2, labels });
    const text = `select id_type, operator_id, validator_count from operator_summaries
      where time_window = 'all' and id_type in ('pool', 'nodeOperator') order by 1`;
    const { rows } = await database.pool.query({ text, values: [] });
    expect(rows).toMatchObject([{ operator_id: 'Test Operator' }, { operator_id: 'Test Pool' }]);
  });

  it.each([['hoodi', 'mainnet', /hoodi/]] as const)(
    'refuses a node of %s where %s was asked for',
    async (_of, network, message) => {
      const database = await databaseForTest();
      const node = await nodeForTest();
      await expect(indexed(database, [node.url], { network })).rejects.toThrow(message);
    },
  );
});

describe.skipIf(!hasRecordings)('near the head', () => {
  let database: TestDatabase;
  beforeAll(async () => void (database = await createDatabase('empty')));
  afterAll(() => database.drop());

  const stored = async () =>
    (
      await database.pool.query({
        text: 'select slot, consensus_block_root as root, finalized from blocks order by slot',
        values: [],
      })
    ).rows as { slot: number; root: string | null; finalized: boolean }[];

  it('has blocks within two slots of the head, replaced by a reorganisation, and final in the end', async () => {
    const start = (FIRST + 6) * 32;
    const node = await nodeForTest({ head: start });
    const stop = new AbortController();
    const status = newStatus();
    const running = indexed(database, [node.url], { from: FIRST, once: false, stop: stop.signal, status });
    const newest = async () => (await stored()).at(-1)?.slot ?? 0;
    await until(async () => (await newest()) >= start - 2, running);
    node.advance(5);
    await until(async () => (await newest()) >= start + 3, running);
    const before = new Map((await stored()).map((row) => [row.slot, row]));
    expect(before.get(start + 3)).toMatchObject({ finalized: false });

    node.setHead(start + 2);
    node.advance(0);
    await until(async () => (await newest()) <= start + 2, running);
    node.setHead(start + 5);
    node.advance(0);
    await until(async () => (await newest()) >= start + 3, running);

    node.reorganise(3);
    const changed = (slot: number, rows: { slot: number; root: string | null }[]) =>
      rows.find((row) => row.slot === slot)?.root !== before.get(slot)?.root;
    await until(async () => {
      const rows = await stored();
      return [start + 3, start + 4, start + 5].some((slot) => changed(slot, rows));
    }, running);
    expect(changed(start + 2, await stored())).toBe(false);

    node.settle();
    node.setHead(HEAD);
    node.advance(0);
    await until(() => status.indexedEpoch === LAST, running);
    stop.abort();
    await running;
    const rows = (await stored()).filter(({ slot }) => slot < (LAST + 1) * 32);
    expect(rows.every(({ finalized }) => finalized)).toBe(true);
    expect(rows.filter(({ slot, root }) => root !== null && root !== node.chain.root(slot))).toEqual([]);
  });

  it('has a slashing with its block, gone when the chain reorganises without it, and final in the end', async () => {
    const slashed = 77_893;
    const epoch = Math.floor(slashed / 32);
    const own = await databaseForTest();
    const node = await nodeForTest({ head: slashed - 1, branchSlashes: false });
    const stop = new AbortController();
    const status = newStatus();
    const running = indexed(own, [node.url], { from: epoch - 4, once: false, stop: stop.signal, status });
    const rows = async () =>
      (await own.pool.query({ text: 'select * from slashings order by validator_index', values: [] }))
        .rows as Record<string, any>[];
    await until(() => status.indexedEpoch === epoch - 4, running);
    expect(await rows()).toEqual([]);

    // The recording has states of the first and last slots of epochs only, so the state of the head lacks the slashings.
    node.advance();
    await until(async () => (await rows()).length === 3, running);
    const early = await rows();
    for (const row of early) {
      expect(row).toMatchObject({
        slashing_epoch: epoch,
        head_slot: slashed,
        withdrawable_epoch: epoch + 8_192,
      });
      const record = node.chain.validator(row.validator_index, epoch * 32) as Record<string, string>;
      expect(row.slashing_penalties).toBe(String(Math.floor(Number(record.effective_balance) / 4_096)));
      expect(row.validator_pubkey).toBe(record.pubkey);
    }

    node.advance();
    node.reorganise(2);
    await until(async () => (await rows()).length === 0, running);
    node.settle();
    await until(async () => (await rows()).length === 3, running);
    expect(await rows()).toEqual(early);

    // The state of the last slot has them.
    node.setHead(epoch * 32 + 30);
    node.advance();
    await until(
      async () => (await rows()).every((row, at) => row.slashing_penalties !== early[at]?.slashing_penalties),
      running,
    );
    for (const row of await rows()) expect(row.head_slot).toBe(slashed);

    node.setHead(slashed + 5 * 32);
    node.advance();
    await until(async () => (await rows()).every(({ head_slot }) => head_slot === null), running);
    stop.abort();
    await running;
    const withdrawable = (all: Record<string, any>[]) =>
      new Map(all.map((row) => [row.validator_index, row.withdrawable_epoch]));
    expect(withdrawable(await rows())).toEqual(withdrawable(early));
  });

  it('has blocks and slashings of a node that does not answer with the state of the head', async () => {
    const slashed = 77_893;
    const own = await databaseForTest();
    const node = await nodeForTest({ head: slashed - 1 });
    const stop = new AbortController();
    const status = newStatus();
    const from = Math.floor(slashed / 32) - 4;
    const running = indexed(own, [node.url], { from, once: false, stop: stop.signal, status });
    const found = async (table: string, slot: string) =>
      (await own.pool.query({ text: `select from ${table} where ${slot} = ${slashed}`, values: [] })).rows
        .length;
    await until(() => status.indexedEpoch === from, running);
    node.break(/states\/head\/validators/, 503);
    node.advance();
    await until(async () => (await found('slashings', 'head_slot')) === 3, running);
    expect(await found('blocks', 'slot')).toBe(1);
    stop.abort();
    await running;
  });

  it('since Gloas tells of a block whether it is full once its child is there, also after a reorganisation', async () => {
    const full = 80_704; // its payload and that of its child are part of the chain
    const own = await databaseForTest();
    const node = await startBeaconNode(recordedChain('gloas'), { head: full - 1 });
    onTestFinished(() => node.close());
    const stop = new AbortController();
    const running = indexed(own, [node.url], { from: 2_518, once: false, stop: stop.signal });
    const row = async (slot: number) =>
      (
        await own.pool.query({
          text: `select payload_status as payload, execution_block_hash as hash, bid_value::text as value
            from blocks where slot = $1 and consensus_block_root is not null`,
          values: [slot],
        })
      ).rows[0] as { payload: string; hash: string | null; value: string } | undefined;
    const becomes = (slot: number, payload: string) =>
      until(async () => (await row(slot))?.payload === payload, running);
    await becomes(full - 1, 'unknown');
    node.advance();
    await becomes(full, 'unknown');
    expect(await row(full)).toMatchObject({ hash: null });
    await becomes(full - 1, 'full');
    node.advance();
    await becomes(full, 'full');
    const { payload } = JSON.parse(node.chain.envelope?.(full) as string).message;
    expect(await row(full)).toMatchObject({ hash: payload.block_hash });

    // The block of another branch is built on the same parent, but passes over its payload.
    node.reorganise(1);
    await becomes(full, 'empty');
    expect(await row(full)).toMatchObject({ hash: null });
    node.settle();
    await becomes(full, 'full');
    node.setHead(full);
    node.advance(0);
    await becomes(full, 'unknown');
    stop.abort();
    await running;
  });

  it('goes on past a missed slot whose proposer no node tells', async () => {
    const own = await databaseForTest();
    const node = await nodeForTest();
    let missed = (FIRST + 6) * 32 + 1;
    const has = (slot: number) => node.chain.block(slot) !== undefined;
    const isAlone = (slot: number) => has(slot - 1) && !has(slot) && has(slot + 1);
    while (!isAlone(missed)) missed += 1;
    node.setHead(missed - 1);
    const epoch = Math.floor(missed / 32);
    node.break(new RegExp(`duties/proposer/${epoch}$|states/${epoch * 32}/proposer_lookahead`), 400);
    const [stop, status, said] = [new AbortController(), newStatus(), [] as string[]];
    const running = indexed(own, [node.url], {
      ...{ from: FIRST, once: false, stop: stop.signal, status },
      say: (_level, message) => said.push(message),
    });
    const text = 'select slot from blocks where slot between $1 - 1 and $1 + 1 order by 1';
    const around = async () =>
      (await own.pool.query({ text, values: [missed] })).rows.map(({ slot }) => slot);
    await until(async () => (await around()).includes(missed - 1), running);
    node.advance(2);
    await until(async () => (await around()).includes(missed + 1), running);
    stop.abort();
    await running;
    expect(await around()).toEqual([missed - 1, missed + 1]);
    expect(said.join('\n')).toMatch(
      /does not tell who should have proposed .* Missed slots are stored later/,
    );
  });
});
