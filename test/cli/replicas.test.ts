import { afterEach, expect, it, onTestFinished } from 'vitest';
import { createToken } from '../../src/accounts/tokens.ts';
import { operator } from '../ingest/rows.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type Gateway, type TestDatabase } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { BLOCKS, importBlocks, slotsOf } from '../support/live-rows.ts';
import { dataDirForTest, endRunning, serve, stakegraph } from '../support/process.ts';

import { noRedis, redisForTest } from '../support/redis.ts';
import { createReplica } from '../support/replica.ts';
import { subscribe } from '../support/subscribe.ts';
import { slow } from '../support/thorough.ts';
import { bodyOf } from '../support/typed.ts';

afterEach(endRunning);

const WAIT_MS = 30_000;

/** Three databases, of which the first stands for the primary and the others for replicas that replay by hand. */
async function threeDatabases(): Promise<[TestDatabase, TestDatabase, TestDatabase, string]> {
  const all = [await createDatabase('empty'), await createReplica(), await createReplica()] as const;
  onTestFinished(async () => {
    endRunning();
    await Promise.all(all.map((database) => database.drop()));
  });
  return [...all, (await createToken(all[0].pool, 'test')).token];
}

/** A gateway as `importText` and the like need it. */
const to = (database: TestDatabase) => ({ database }) as Gateway;
const OPERATORS = Array.from({ length: 30 }, (_, n) => `Operator ${n}`);
const loadOperators = (database: TestDatabase, validatorCount: number) =>
  importText(
    to(database),
    'operators',
    JSON.stringify(OPERATORS.map((id, n) => operator(id, { validatorCount, networkPenetration: n / 100 }))),
  );

type Page = { data: { validatorCount: number }[]; next: string | null };
async function served(token: string, env: Record<string, string>) {
  const gateway = await serve({ env: { DATA_DIR: dataDirForTest(), ...env } });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const get = async (path: string) => {
    const response = await fetch(gateway.url + path, { headers });
    return { status: response.status, json: await bodyOf<Page>(response) };
  };
  const query = async (text: string, variables: object = {}) => {
    const body = JSON.stringify({ query: text, variables });
    const { data, errors } = await bodyOf<{ data: any; errors?: unknown[] }>(
      fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body }),
    );
    expect(errors).toBeUndefined();
    return data;
  };
  return { url: gateway.url, token, get, query };
}

type Served = Awaited<ReturnType<typeof served>>;
const FIRST = '/v0/eth/operators?window=7d&idType=pool&size=10';

/** The numbers of validators on all pages; the first page is of `first`, the others of `second`. */
async function walk(first: Served, second: Served): Promise<number[]> {
  const counts: number[] = [];
  let path: string | null = FIRST;
  for (let of = first; path; of = second) {
    const { status, json } = await of.get(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`);
    for (const row of json.data) counts.push(row.validatorCount);
    path = json.next;
  }
  return counts;
}

const PAGE = `query ($after: String) {
  operators(network: MAINNET, window: SEVEN_DAYS, idType: POOL, first: 10, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes { summary(window: SEVEN_DAYS) { validatorCount } }
  }
}`;

async function walkGraphql(first: Served, second: Served): Promise<number[]> {
  const counts: number[] = [];
  let after: string | null = null;
  for (let of = first; ; of = second) {
    const { nodes, pageInfo }: any = (await of.query(PAGE, { after })).operators;
    for (const node of nodes) counts.push(node.summary.validatorCount);
    if (!pageInfo.hasNextPage) return counts;
    after = pageInfo.endCursor;
  }
}

slow(
  'a walk that began on one replica goes on at the same revision, whichever server has replayed it',
  async () => {
    const [primary, one, other, token] = await threeDatabases();
    for (const database of [primary, one, other]) await loadOperators(database, 1);
    const env = { DATABASE_URL: primary.url, CACHE: 'off' };
    const ahead = await served(token, env);
    const behind = await served(token, { ...env, DATABASE_READ_URL: `${one.url} ${other.url}` });
    expect(new Set(await walk(ahead, behind))).toEqual(new Set([1]));

    await loadOperators(primary, 2); // no replica has it yet
    for (const walked of [await walk(ahead, behind), await walkGraphql(ahead, behind)])
      expect(walked).toEqual(OPERATORS.map(() => 2));
    await eventually(
      async () => expect(new Set(await walk(behind, ahead))).toEqual(new Set([2])), // from the primary
      WAIT_MS,
    );
    const unknown = await behind.get(`${FIRST}&from=10&revision=99`);
    expect([unknown.status, JSON.stringify(unknown.json)]).toEqual([
      400,
      expect.stringContaining('revision belongs to revision 99 of the list, which is gone'),
    ]);

    await loadOperators(one, 2); // one of two has it
    for (let n = 0; n < 20; n += 1) {
      const walked = await walk(behind, behind);
      expect([walked.length, new Set(walked).size]).toEqual([30, 1]);
      expect(new Set(await walk(ahead, behind))).toEqual(new Set([2]));
    }
  },
);

const NEWEST = '{ blocks(network: MAINNET, first: 1) { nodes { consensusSlot } } }';

slow('subscriptions and the cache do not mix replicas of which one is behind', async () => {
  const [primary, one, other, token] = await threeDatabases();
  const env = { DATABASE_URL: primary.url, DATABASE_READ_URL: `${one.url}\n${other.url}` };
  const gateway = await served(token, env);
  const stream = await subscribe(gateway, BLOCKS);
  await stream.next();
  for (let slot = 9_000_000; slot < 9_000_008; slot += 1) {
    await importBlocks(to(one), [slot]);
    await importBlocks(to(primary), [slot]);
    expect(slotsOf(await stream.next())).toEqual([slot]);
    // More requests than one replica would get: none reads the other replica, and none gets an older cached response.
    const newest = await Promise.all(Array.from({ length: 8 }, () => gateway.query(NEWEST)));
    for (const { blocks } of newest) expect(blocks.nodes).toEqual([{ consensusSlot: slot }]);
    // From the second round on, the other replica is one or two changes behind.
    if (slot % 4 === 3)
      for (let late = slot - 3; late <= slot; late += 1) await importBlocks(to(other), [late]);
  }
});

/** The same rows by a document that no gateway has cached. */
const newestOf = (most: number) => NEWEST.replace('first: 1', `first: ${most}`);

it.skipIf(noRedis)(
  'gateways that share Redis answer with what another has shown, and not from their caches',
  async () => {
    const [primary, one, other, token] = await threeDatabases();
    const redis = await redisForTest();
    await redis.start();
    const urls = { DATABASE_URL: primary.url, DATABASE_READ_URL: `${one.url}\n${other.url}` };
    const [first, second] = [
      await served(token, { ...urls, REDIS_URL: redis.url }),
      await served(token, { ...urls, REDIS_URL: redis.url }),
    ];
    const path = '/v0/eth/blocks?size=1';
    let documents = 1;
    for (let slot = 9_000_000; slot < 9_000_004; slot += 1) {
      for (let n = 0; n < 3; n += 1) await Promise.all([second.query(NEWEST), second.get(path)]);
      await importBlocks(to(one), [slot]); // this write notifies no gateway
      await eventually(async () => {
        documents += 1;
        const { blocks } = await first.query(newestOf(documents));
        expect(blocks.nodes[0]).toEqual({ consensusSlot: slot });
      }, WAIT_MS);
      const answers = await Promise.all(
        Array.from({ length: 4 }, async () => [
          (await second.query(NEWEST)).blocks.nodes[0].consensusSlot,
          (await second.get(path)).json.data[0],
        ]),
      );
      for (const answer of answers)
        expect(answer).toEqual([slot, expect.objectContaining({ consensusSlot: slot })]);
      for (const database of [other, primary]) await importBlocks(to(database), [slot]);
    }
  },
);

slow(
  'replicas that are named twice, or by an unusable URL, are refused without their passwords',
  async () => {
    const start = async (DATABASE_READ_URL: string) =>
      stakegraph(['serve'], { env: { DATABASE_URL: 'postgres://u@127.0.0.1:1/d', DATABASE_READ_URL } });
    expect(await start('postgres://u:hunter2@a/d postgres://b/d postgres://v:hunter3@a/d')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('DATABASE_READ_URL: a:5432/d is named twice; give each replica once'),
    });
    expect(await start('postgres://u:hunter2@a/d\npostgres://b:x/d')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/DATABASE_READ_URL: a host is not valid(?![\s\S]*hunter)/),
    });
  },
);
