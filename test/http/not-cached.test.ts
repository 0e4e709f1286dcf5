import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notCachedReasons } from '../../src/http/cache/answer-cache.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, gatewayForTest, startGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

// Operators see why an answer was not cached: in the debug log of its request, and in a counter by reason.

/** Options of a gateway with the cache on, and the lines that it logs. */
function logged(settings = {}) {
  const lines: { msg: string; reason?: string; reqId?: string }[] = [];
  const stream = new Writable({
    write(line, _encoding, done) {
      lines.push(JSON.parse(String(line)));
      done();
    },
  });
  return {
    lines,
    options: { settings: { CACHE: true, ...settings }, log: pino({ level: 'debug' }, stream) },
  };
}
const trusted = (of: Gateway) => eventually(() => expect(of.revisions.trusted()).toBe(true));

let gateway: Gateway;
const { lines, options } = logged();
beforeAll(async () => {
  gateway = await startGateway(options);
  await trusted(gateway);
});
afterAll(() => gateway.close());

let asked = 0;
/** The reasons that are logged for the request that `ask` sends with these headers. */
async function reasonsOf(ask: (headers: Record<string, string>) => Promise<unknown>, of = lines) {
  const id = `asked-${(asked += 1)}`;
  await ask({ 'x-request-id': id });
  const own = () => of.filter(({ reqId }) => reqId === id);
  await eventually(() => expect(own().some(({ msg }) => msg === 'answered')).toBe(true));
  return own().flatMap(({ msg, reason }) => (msg === 'not cached' ? [reason] : []));
}

const PAGE = '/v0/eth/operators?window=7d&idType=pool&size=100';
const QUERY = '{ slashings(first: 1) { nodes { id } } }';

describe('why an answer was not cached', () => {
  it.each([
    ['private', 'that of private sets', '/v1/eth/tags'],
    ['error', 'a refusal', '/v0/eth/operators?window=nonsense'],
    ['error', 'a path with nothing to show', '/v1/eth/entities/nobody/attestations?entityType=pool'],
    ['method', 'GraphQL over GET', `/graphql?query=${encodeURIComponent(QUERY)}`],
  ])('is %s: %s', async (reason, _what, path) => {
    expect(await reasonsOf((headers) => gateway.get(path, headers))).toEqual([reason]);
  });

  it.each([
    ['private', '{ viewer { account } }'],
    ['error', '{ operators(window: ALL, first: 0) { totalCount } }'],
    ['no_dataset', '{ __typename }'],
  ])('is %s: the query %s, which runs compiled', async (reason, query) => {
    for (const _time of [1, 2]) await gateway.graphql(query);
    expect(await reasonsOf((headers) => gateway.graphql(query, {}, headers))).toEqual([reason]);
  });

  it('is not_compiled at the first time that a document comes, and nothing when it is cached', async () => {
    const query = `${QUERY} # ${Math.random()}`;
    expect(await reasonsOf((headers) => gateway.graphql(query, {}, headers))).toEqual(['not_compiled']);
    for (const _time of [1, 2, 3])
      expect(await reasonsOf((headers) => gateway.graphql(query, {}, headers))).toEqual([]);
  });

  it('is body_too_long for a long query that runs compiled', async () => {
    const query = `${QUERY} # ${'x'.repeat(15_000)}`;
    const ask = (headers = {}) => gateway.graphql(query, { unused: 'x'.repeat(6_000) }, headers);
    for (const _time of [1, 2]) await ask();
    expect(await reasonsOf(ask)).toEqual(['body_too_long']);
  });

  it('is method for what writes', async () => {
    const sent = { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'written' });
    const write = (headers: object) =>
      gateway.fetch('/v1/eth/tags', { method: 'POST', headers: { ...sent, ...headers }, body });
    expect(await reasonsOf(write)).toEqual(['method']);
  });

  slow('is too_large where the cache cannot hold it', async () => {
    const small = logged({ CACHE_MB: 0.01 });
    const own = await gatewayForTest(small.options);
    await trusted(own);
    expect(await reasonsOf((headers) => own.get(PAGE, headers), small.lines)).toEqual(['too_large']);
  });

  it('is superseded where the data changed meanwhile', async () => {
    const own = logged();
    const changed = await gatewayForTest({ template: 'empty', ...own.options });
    await trusted(changed);
    const { pool } = changed.database;
    const ask = (headers: Record<string, string>) =>
      pool.withClient(async (client) => {
        await client.query('begin; lock table slashings in access exclusive mode');
        const asked = changed.get('/v0/eth/slashings', headers);
        const waits = `select from pg_locks where not granted and relation = 'slashings'::regclass`;
        await eventually(async () => expect((await client.query(waits)).rowCount).toBeGreaterThan(0));
        await pool.query({ text: `select raise_revision('slashings')`, values: [] });
        await eventually(() => expect(changed.revisions.current.get('slashings')?.revision).toBe(1));
        await client.query('commit');
        await asked;
      });
    expect(await reasonsOf(ask, own.lines)).toEqual(['superseded']);
  });

  slow('is changes_lost while the connection that hears of changes is away', async () => {
    const own = logged();
    const deaf = await gatewayForTest(own.options);
    await trusted(deaf);
    await deaf.database.pool.query({
      text: `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'stakegraph listen' and datname = current_database()`,
      values: [],
    });
    await eventually(() => expect(deaf.revisions.trusted()).toBe(false));
    expect(await reasonsOf((headers) => deaf.get(PAGE, headers), own.lines)).toEqual(['changes_lost']);
  });

  slow('names the request in the log, and is counted by reason in the metrics', async () => {
    const counts = async () => {
      await new Promise((done) => setTimeout(done, 1_100)); // the text is made once a second
      const { text } = await gateway.fetch('/metrics');
      const found = text.matchAll(/^stakegraph_answers_not_cached_total\{reason="(\w+)"\} (\d+)$/gm);
      return Object.fromEntries([...found].map(([, reason, count]) => [reason, Number(count)]));
    };
    const before = await counts();
    expect(Object.keys(before).toSorted()).toEqual([...notCachedReasons].toSorted());
    await gateway.get('/v1/eth/tags', { 'x-request-id': 'mine' });
    await eventually(() =>
      expect(lines).toContainEqual(
        expect.objectContaining({ msg: 'not cached', reason: 'private', reqId: 'mine' }),
      ),
    );
    expect(await counts()).toEqual({ ...before, private: (before.private ?? 0) + 1 });
  });
});
