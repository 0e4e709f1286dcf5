import pg from 'pg';
import { pino } from 'pino';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { newToken } from '../../src/accounts/token-format.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, gatewayForTest } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

const query = '{ slashings { totalCount } }';
const run = (gateway: Gateway, text: string) => gateway.database.pool.query({ text, values: [] });

/** A gateway whose log lines, at every level, are kept. */
async function gatewayWithLog() {
  const lines: any[] = [];
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const gateway = await gatewayForTest({ template: 'empty', log: pino({ level: 'trace' }, sink) });
  return { gateway, lines };
}

describe('a fault of ours', () => {
  slow(
    'is 500 with nothing of its cause on both APIs, and others are served meanwhile and afterwards',
    async () => {
      const { gateway, lines } = await gatewayWithLog();
      await run(gateway, 'alter table slashings rename to slashings_gone');
      const rest = await gateway.get('/v0/eth/slashings');
      expect([rest.status, rest.json]).toEqual([500, { detail: 'Internal server error.' }]);
      const graphql = await gateway.graphql(`{ a: ${query.slice(2)}`);
      expect(graphql.json).toEqual({
        data: { a: null },
        errors: [
          {
            message: 'Internal server error.',
            locations: [{ line: 1, column: 3 }],
            path: ['a'],
            extensions: { code: 'INTERNAL' },
          },
        ],
        extensions: { cost: { estimated: 25, charged: 0, remaining: null }, revision: expect.anything() },
      });
      for (const { text } of [rest, graphql])
        expect(text).not.toMatch(/select|relation|gone|\.ts|\/src|node_modules/i);
      expect((await gateway.get('/v0/eth/operators?window=7d')).status).toBe(200);

      // The log has the details that the caller does not get, under the id that the caller gets.
      for (const { headers } of [rest, graphql]) {
        const reqId = headers.get('x-request-id');
        const line = lines.find((line) => line.reqId === reqId && line.err);
        expect(line?.err.message).toMatch(/relation "slashings" does not exist/);
      }
      await run(gateway, 'alter table slashings_gone rename to slashings');
      expect((await gateway.get('/v0/eth/slashings')).status).toBe(200);
    },
  );

  slow('in one field leaves the others of a GraphQL answer', async () => {
    const gateway = await gatewayForTest({ template: 'empty' });
    await run(gateway, 'alter table slashings rename to slashings_gone');
    const { data, errors } = await gateway.graphql(
      '{ slashing(by: { index: 1 }) { id } operator(operatorId: "x") { id } __typename }',
    );
    expect(data).toEqual({ slashing: null, operator: null, __typename: 'Query' });
    expect(errors?.map((error) => [error.path, error.extensions.code])).toEqual([[['slashing'], 'INTERNAL']]);
  });
});

slow('errors in GraphQL responses are counted by code, whatever the HTTP status is', async () => {
  const gateway = await gatewayForTest({ template: 'empty' });
  await run(gateway, 'alter table slashings rename to slashings_gone');
  const counts = () =>
    eventually(async () => {
      const { text } = await gateway.fetch('/metrics');
      const found = [...text.matchAll(/^stakegraph_graphql_errors_total\{code="(\w+)"\} (\d+)$/gm)];
      expect(found.length).toBeGreaterThan(10);
      return Object.fromEntries(found.map(([, code, count]) => [code, Number(count)]));
    });
  const before = await counts();
  const plain = async () => (await gateway.graphql(query)).status;
  expect([await plain(), await plain()]).toEqual([200, 200]); // the second is compiled
  await gateway.graphql('{ a: slashings { totalCount } b: slashings(first: 1) { totalCount } }');
  await gateway.graphql('{ nothing }');
  const { text } = await gateway.fetch('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'multipart/mixed',
      authorization: `Bearer ${gateway.token}`,
    },
    body: JSON.stringify({ query: '{ __typename ... @defer { slashings { totalCount } } }' }),
  });
  expect(text).toContain('"INTERNAL"');
  await gateway.fetch('/graphql?query={__typename}');
  await eventually(async () => {
    const now = await counts();
    const more = Object.keys(now).flatMap((code) => {
      const added = now[code] - before[code];
      return added ? [[code, added]] : [];
    });
    expect(Object.fromEntries(more)).toEqual({ INTERNAL: 5, BAD_QUERY: 1, UNAUTHENTICATED: 1 });
  });
});

describe('a database that is away', () => {
  slow('is 503 with Retry-After on both APIs, and answers come again when it does', async () => {
    const gateway = await gatewayForTest({ template: 'empty' });
    const admin = new pg.Client({ connectionString: inject('serverUrl') });
    await admin.connect();
    onTestFinished(() => admin.end());
    const name = new URL(gateway.database.url).pathname.slice(1);
    expect((await gateway.get('/v0/eth/slashings')).status).toBe(200);

    await admin.query(`alter database ${name} allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    for (let round = 0; round < 3; round += 1) {
      const rest = await gateway.get('/v0/eth/slashings');
      expect([rest.status, rest.headers.get('retry-after')]).toEqual([503, '5']);
      expect(rest.json).toEqual({ detail: 'The service cannot answer right now. Try again later.' });
      const graphql = await gateway.graphql(query);
      expect([graphql.status, graphql.headers.get('retry-after')]).toEqual([503, '5']);
      expect(graphql.errors?.[0].extensions).toEqual({ code: 'UNAVAILABLE' });
    }
    expect((await gateway.fetch('/health')).status).toBe(200); // the process is well
    expect((await gateway.get('/v0/eth/slashings?size=0')).status).toBe(400); // what needs no database is answered
    expect((await gateway.fetch('/v0/eth/slashings')).status).toBe(401);

    await admin.query(`alter database ${name} allow_connections true`);
    await eventually(async () => expect((await gateway.get('/v0/eth/slashings')).status).toBe(200));
    expect((await gateway.graphql(query)).data).toEqual({ slashings: { totalCount: 0 } });
  });
});

describe('a database that has no room', () => {
  const full = (name: string) => `create function ${name}() returns trigger language plpgsql as
    $$ begin raise 'could not extend file "base/1/2": No space left on device' using errcode = '53100'; end $$`;

  it('is 503 with Retry-After on both APIs, whoever reads or writes, and the log tells why', async () => {
    const { gateway, lines } = await gatewayWithLog();
    await run(gateway, 'alter table slashings rename to slashings_gone');
    await run(
      gateway,
      `create function no_memory() returns setof slashings_gone language plpgsql as
        $$ begin raise 'out of memory' using errcode = '53200'; end $$`,
    );
    await run(gateway, 'create view slashings as select * from no_memory()');
    await run(gateway, full('no_room'));
    await run(gateway, 'create trigger no_room before insert on private_sets execute function no_room()');
    const post = {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
      body: '{"name":"x"}',
    };
    for (const asked of [await gateway.get('/v0/eth/slashings'), await gateway.fetch('/v1/eth/tags', post)]) {
      expect([asked.status, asked.headers.get('retry-after')]).toEqual([503, '5']);
      expect(asked.json).toEqual({ detail: 'The service cannot answer right now. Try again later.' });
    }
    for (const text of [
      query,
      'mutation { createPrivateSet(input: { name: "x" }) { privateSet { name } } }',
    ]) {
      const { status, headers, errors } = await gateway.graphql(text);
      expect([status, headers.get('retry-after')]).toEqual([503, '5']);
      expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'UNAVAILABLE' }]);
    }
    const said = JSON.stringify(lines.filter(({ msg }) => msg === 'request failed'));
    expect(said).toMatch(/out of memory/);
    expect(said).toMatch(/No space left on device/);
  });
});

describe('the log', () => {
  it('holds no token and no value of a request, whatever becomes of it', async () => {
    const { gateway, lines } = await gatewayWithLog();
    const unknown = newToken();
    const secret = 'Whisper7f3a';
    await run(gateway, 'drop table operator_summaries cascade');
    await gateway.get(`/v0/eth/operators?window=7d&parentId=${secret}`); // 500
    await gateway.get(`/v0/eth/operators/${secret}/summary?window=7d`); // 500
    await gateway.get(`/v0/eth/slashings?from=${secret}`); // 400
    await gateway.get(`/v0/eth/slashings?x=${secret}`); // ignored
    await gateway.get(`/${secret}`); // 404
    await gateway.get('/v0/eth/slashings', { authorization: `Bearer ${unknown}` }); // 401
    await gateway.get('/v0/eth/slashings', { authorization: `Bearer ${gateway.token}x` }); // 401
    await gateway.get(`/v0/eth/slashings?token=${gateway.token}`);
    await gateway.get('/health', { 'x-request-id': gateway.token });
    await gateway.get('/v0/eth/slashings', { 'x-service-network': secret }); // 400
    await gateway.graphql(`{ operator(operatorId: "${secret}") { id } }`); // INTERNAL
    await gateway.graphql('query ($id: String!) { operator(operatorId: $id) { id } }', {
      id: secret,
    });
    await gateway.graphql(`{ ${secret} }`); // BAD_QUERY
    await gateway.graphql(`{ ${secret}`);
    const text = JSON.stringify(lines);
    expect(lines.length).toBeGreaterThan(13);
    for (const hidden of [gateway.token, unknown, secret]) expect(text).not.toContain(hidden);
  });

  it('has one line for each answer: the pattern of the route, method, status and time, under its id', async () => {
    const { gateway, lines } = await gatewayWithLog();
    const headers = { 'x-request-id': 'line-1' };
    await gateway.get('/v0/eth/operators/nobody/summary?window=7d', headers);
    await eventually(() => expect(lines.some((line) => line.msg === 'answered')).toBe(true));
    expect(lines.filter((line) => line.reqId === 'line-1')).toEqual([
      expect.objectContaining({
        level: 30,
        msg: 'answered',
        route: '/v0/eth/operators/:operator_id/summary',
        method: 'GET',
        status: 404,
        ms: expect.any(Number),
      }),
    ]);
  });

  it('names the unknown parameters at debug level, the first 20 of them and 64 characters of each', async () => {
    const { gateway, lines } = await gatewayWithLog();
    const names = Array.from({ length: 30 }, (_, index) => `${index}${'n'.repeat(100)}`);
    await gateway.get(`/v0/eth/slashings?size=1&${names.map((name) => `${name}=1`).join('&')}`);
    const [line] = lines.filter((line) => line.unknown);
    expect(line).toMatchObject({ level: 20, reqId: expect.any(String) });
    expect(line.unknown).toEqual(names.slice(0, 20).map((name) => name.slice(0, 64)));
  });

  it('tells why a token was refused at debug level, without the token', async () => {
    const { gateway, lines } = await gatewayWithLog();
    await gateway.get('/v0/eth/slashings', { authorization: `Bearer ${newToken()}` });
    await gateway.get('/v0/eth/slashings', { authorization: 'Bearer mistyped' });
    const refused = lines.filter((line) => line.msg === 'token refused');
    expect(refused.map((line) => [line.level, line.reason])).toEqual([
      [20, 'unknown'],
      [20, 'malformed'],
    ]);
  });
});
