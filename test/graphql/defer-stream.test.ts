import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeAccount, storedUsage } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';
import { assembled, openParts, readParts } from '../support/parts.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway();
const accepts = ['multipart/mixed', 'text/event-stream'] as const;

/** `DEFER` and `STREAM` mark places for the directives. */
const documents = [
  `{ operators(window: ALL, idType: POOL, first: 3) { nodes STREAM { operatorId ... DEFER { summary(window: ALL) {
    validatorCount clientPercentages STREAM { client ratio } } } } ... DEFER { totalCount } } }`,
  `query Q { ... DEFER { slashings(first: 4) { edges STREAM { cursor node { id ...F DEFER } } } } viewer { account } }
    fragment F on Slashing { date validator { id } }`,
  `{ slashings(first: 0) { totalCount } ... DEFER { blocks(first: 0) { totalCount } block(slot: 0) { id } }
    operators(window: ALL, idType: POOL, first: 2) { ... DEFER { pageInfo { hasNextPage } edges STREAM { node { displayName
    summary(window: ONE_DAY) { avgUptime } } } } } }`,
];
const plainOf = (document: string) => document.replace(/DEFER|STREAM/g, '');
const byPath = (errors: any[] = []) =>
  errors
    .map(({ locations: _, ...error }) => error)
    .toSorted((a, b) => (String(a.path) < String(b.path) ? -1 : 1));

async function noted<T>(run: () => Promise<T>): Promise<[T, string[]]> {
  gateway.statements.length = 0;
  return [await run(), gateway.statements.toSorted()];
}

describe('parts', () => {
  slow(
    'add up to the plain response, with its units and statements, wherever the directives are',
    async () => {
      const uses = fc.array(fc.tuple(fc.boolean(), fc.nat(3)), { minLength: 4, maxLength: 4 });
      const cases = fc.tuple(fc.constantFrom(...documents), uses, fc.constantFrom(...accepts));
      await fc.assert(
        fc.asyncProperty(cases, async ([document, chosen, accept]) => {
          let at = 0;
          const query = document.replace(/DEFER|STREAM/g, (word) => {
            const [used, count] = chosen[at++ % chosen.length] as [boolean, number];
            if (!used) return '';
            return word === 'DEFER' ? `@defer(label: "${at}")` : `@stream(initialCount: ${count})`;
          });
          const [plain, own] = await noted(() => gateway.graphql(plainOf(document)));
          const [answer, statements] = await noted(() => readParts(gateway, query, {}, { accept }));
          if (!query.includes('@')) return;
          expect([answer.status, typeof plain.data]).toEqual([200, 'object']);
          const { data, errors, extensions } = assembled(answer.parts);
          expect(data).toEqual(plain.data);
          expect(byPath(errors)).toEqual(byPath(plain.errors));
          expect(extensions).toEqual(plain.json.extensions);
          expect(statements).toEqual(own);
          if (answer.parts.length === 1) return; // no directive applied
          expect(answer.parts.map(({ hasNext }) => hasNext)).toEqual(
            answer.parts.map((_, index) => index < answer.parts.length - 1),
          );
        }),
        { numRuns: 40 },
      );
    },
    60_000,
  );

  it.each([
    ['multipart/mixed', 'multipart/mixed; boundary="-"'],
    [
      'multipart/mixed;deferSpec=20220824,application/graphql-response+json,application/json;q=0.9',
      'multipart/mixed; boundary="-"',
    ],
    ['application/json, text/event-stream', 'text/event-stream; charset=utf-8'],
    [
      'application/graphql-response+json, application/json, text/event-stream, multipart/mixed',
      'text/event-stream; charset=utf-8',
    ],
  ])('are sent to Accept: %s, uncompressed and without a header of units', async (accept, type) => {
    const query = '{ slashings { nodes { id } ... @defer { totalCount } } }';
    const { headers, parts } = await readParts(gateway, query, {}, { accept });
    expect(headers).toMatchObject({ 'content-type': type, 'cache-control': 'private, no-store' });
    expect(headers).not.toHaveProperty('content-encoding');
    expect(headers).not.toHaveProperty('x-service-compute-units');
    expect(parts).toHaveLength(2);
  });

  it.each([
    undefined,
    '*/*',
    'application/json',
    'multipart/*, application/json',
    'application/json, multipart/mixed;q=0',
  ])('are one JSON result, as without the directives, to Accept: %s', async (accept) => {
    for (const document of documents) {
      const plain = await gateway.graphql(plainOf(document), {}, accept ? { accept } : {});
      const query = document.replaceAll('DEFER', '@defer').replaceAll('STREAM', '@stream');
      for (let time = 0; time < 3; time += 1) {
        const { status, json } = await gateway.graphql(query, {}, accept ? { accept } : {});
        expect([status, json.data, byPath(json.errors)]).toEqual([200, plain.data, byPath(plain.errors)]);
        expect(json.extensions).toEqual(plain.json.extensions);
      }
    }
  });

  it('are one JSON result if no directive applies', async () => {
    const query = 'query ($if: Boolean!) { slashings { nodes { id } ... @defer(if: $if) { totalCount } } }';
    const { headers, text } = await readParts(
      gateway,
      query,
      { if: false },
      { accept: `application/json, ${accepts[0]}` },
    );
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(text).data).toEqual((await gateway.graphql(query, { if: false })).data);
  });

  it.each(['-1', 'null', '$count'])('are refused with the initialCount %s', async (count) => {
    const variable = count === '$count' ? '($count: Int)' : '';
    const query = `query Q${variable} { datasets @stream(initialCount: ${count}) { name } }`;
    const { text } = await readParts(gateway, query, { count: -1 });
    const shown = count === 'null' ? count : '-1';
    expect(text).toContain(`initialCount of @stream is ${shown}; an integer of at least 0 is needed.`);
    expect(text).toContain('"code":"BAD_QUERY"');
  });

  slow('mask errors of ours', async () => {
    const own = await gatewayForTest();
    await own.database.pool.query({ text: 'alter table slashings rename to away', values: [] });
    const { parts } = await readParts(own, '{ __typename ... @defer { slashings { nodes { id } } } }');
    expect(assembled(parts).errors).toEqual([
      expect.objectContaining({ message: 'Internal server error.', extensions: { code: 'INTERNAL' } }),
    ]);
  });
});

describe('a document with @defer or @stream', () => {
  it.each([
    ['mutation { ... @defer { __typename } }', 'this is a mutation'],
    [
      'mutation { deletePrivateSet(input: { setId: "x" }) { ... @defer { userErrors { code } } } }',
      'this is a mutation',
    ],
    [
      'subscription { blockAdded { ...F } } fragment F on BlockAddedPayload { blocks @stream { id } }',
      'this is a subscription',
    ],
    ['{ then: slashings { nodes @stream { id } } }', 'The alias "then"'],
    [`{ ${'a'.repeat(101)}: slashings { nodes @stream { id } } }`, 'limit of 100 characters in an alias'],
    [`{ slashings { nodes @stream(label: "${'a'.repeat(101)}") { id } } }`, 'at most 100 characters'],
    ['{ slashings @stream { totalCount } }', 'non-list field'],
    [
      '{ ... @defer(label: "a") { __typename } slashings { nodes @stream(label: "a") { id } } }',
      'must be unique',
    ],
    [
      '{ slashings { ...F @defer ...F } } fragment F on QuerySlashingsConnection { totalCount }',
      'spread twice',
    ],
    [`{ ${'... @defer { __typename } '.repeat(11)} }`, 'limit of 10 uses'],
    [
      '{ slashings(first: 200) { nodes @stream { validator { proposedBlocks(first: 200) { nodes { id } } } } } }',
      'limit of 20000',
    ],
  ])('is refused: %s', async (query, message) => {
    for (const accept of ['application/json', ...accepts]) {
      const { text } = await readParts(gateway, query, {}, { accept });
      expect([accept, text]).toEqual([accept, expect.stringContaining(JSON.stringify(message).slice(1, -1))]);
      expect(text).not.toContain('"data"');
    }
  });

  slow('is found by its id, over GET and POST, and is never cached', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trusted-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'documents.json');
    const query = '{ slashings(first: 1) { nodes { id } ... @defer { totalCount } } }';
    writeFileSync(file, JSON.stringify({ late: query }));
    const settings = { TRUSTED_DOCUMENTS: file, TRUSTED_ONLY: true, CACHE: true };
    const own = await gatewayForTest({ settings });
    for (const method of ['GET', 'POST', 'POST', 'POST'] as const) {
      const { parts } = await readParts(own, query, {}, { method, members: { documentId: 'late' } });
      expect(parts).toHaveLength(2);
    }
    const { text } = await own.fetch('/metrics');
    expect(text).toMatch(/reason="form"\} 3$/m);
    const { text: refused } = await readParts(own, '{ ... @defer { __typename } }');
    expect(refused).toContain('"FORBIDDEN"');
  });
});

describe('a slow part', () => {
  const query =
    '{ operators(window: ALL, idType: POOL, first: 1) { totalCount } ... @defer { slashings { totalCount } } }';

  /** Holds back statements on `slashings`. */
  async function locked() {
    const own = await gatewayForTest();
    const client = new pg.Client({ connectionString: own.database.url });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('begin; lock table slashings in access exclusive mode');
    return { own, unlock: () => client.query('commit') };
  }

  slow('comes later than the first', async () => {
    const { own, unlock } = await locked();
    const { response } = await openParts(own, query);
    let text = '';
    response.on('data', (chunk) => (text += chunk));
    await eventually(() => expect(text).toContain('"operators"'));
    expect(text).not.toContain('"slashings"');
    await unlock();
    await eventually(() => expect(text).toMatch(/"slashings".*"hasNext":false|"hasNext":false.*"slashings"/));
  });

  slow('is given up when the client leaves, which pays for what was read', async () => {
    const { own, unlock } = await locked();
    const { name, token } = await makeAccount(own);
    const { response, close } = await openParts(own, query, {}, { token });
    await new Promise((first) => response.once('data', first));
    close();
    await eventually(async () => {
      await own.meter.flush();
      const { units, requests } = await storedUsage(own, name);
      expect(requests).toBe(1);
      expect(units).toBeGreaterThan(0);
    });
    await unlock();
  });

  slow('counts as a stream of its token, of which there are at most 20', async () => {
    const { own, unlock } = await locked();
    const { token } = await makeAccount(own);
    const query = '{ __typename ... @defer { slashings { totalCount } } }';
    const open = await Promise.all(Array.from({ length: 20 }, () => openParts(own, query, {}, { token })));
    const refused = await readParts(own, query, {}, { token });
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('RATE_LIMITED')]);
    expect((await own.graphql('{ __typename }')).status).toBe(200);
    open[0]?.close();
    await eventually(async () =>
      expect((await openParts(own, query, {}, { token })).response.statusCode).toBe(200),
    );
    await unlock();
  });
});
