import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeCursor } from '../../src/kernel/cursor.ts';
import { routes } from '../../src/resources/index.ts';
import { type Account, accountOf } from '../support/account.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { rootQueriesWith } from '../support/schema-queries.ts';

let gateway: Gateway;
let owner: Account;
let other: Account;
let id: string;
let validator: number;
beforeAll(async () => {
  gateway = await startGateway();
  [owner, other] = [await accountOf(gateway), await accountOf(gateway)];
  const { rows } = await gateway.database.pool.query({
    text: `select validator_index as index from validator_days limit 1`,
    values: [],
  });
  validator = rows[0]?.index as number;
  const made = await owner.post('/v1/eth/tags', { name: 'Theirs', validators: [validator] });
  id = made.json.id;
});
afterAll(() => gateway.close());

/** Every path that names a set, with a body where it takes one: new paths come here by themselves. */
const paths = routes
  .filter(({ path }) => path.includes(':id'))
  .map(({ method = 'GET', path, body, exampleBody }) => ({
    method,
    path: (set: string) => path.replace(':id', set).replace(':pubkey', String(validator)),
    body: body && (method === 'POST' ? { pubkeys: [1] } : exampleBody),
    title: `${method} ${path}`,
  }));
const reading = paths.filter(({ method }) => method === 'GET');

const stored = async () =>
  (
    await gateway.database.pool.query({
      text: `select s.*, (select count(*) from private_set_members m where m.set_id = s.set_id and removed_at is null)
        from private_sets s where set_id = $1`,
      values: [id],
    })
  ).rows;

const NONE = '00000000-0000-4000-8000-000000000000';

describe("another account's private set", () => {
  it('is looked for on every kind of path', () => {
    expect(paths.length).toBeGreaterThanOrEqual(16);
    expect(new Set(paths.map(({ method }) => method))).toEqual(new Set(['GET', 'POST', 'PATCH', 'DELETE']));
  });

  it.each(paths)(
    'is 404 to $title, as one that is not there, and stays as it is',
    async ({ method, path, body }) => {
      const before = await stored();
      const theirs = await other.call(method, path(id), body);
      const absent = await other.call(method, path(NONE), body);
      expect([theirs.status, theirs.json]).toEqual([404, { detail: `Private set "${id}" was not found.` }]);
      expect([absent.status, absent.text.replace(NONE, id)]).toEqual([theirs.status, theirs.text]);
      expect(await stored()).toEqual(before);
    },
  );

  it.each(reading)('is there for its owner: $title', async ({ method, path }) => {
    expect((await owner.call(method, path(id))).status).toBe(200);
  });

  it.each([
    (set: string) => `/v1/eth/entities/${set}/attestations?entityType=privateSet`,
    (set: string) => `/v0/eth/operators/${set}/summary?window=7d&idType=privateSet`,
  ])('is 404 as an entity', async (path) => {
    expect((await owner.get(path(id))).status).toBe(200);
    const theirs = await other.get(path(id));
    const absent = await other.get(path(NONE));
    expect([theirs.status, theirs.text]).toEqual([404, absent.text.replace(NONE, id)]);
    expect((await owner.get(path(id), { 'x-service-network': 'hoodi' })).status).toBe(404);
  });

  it('is not there for any root field that can name it, one that changes it least of all', async () => {
    const nodeId = Buffer.from(`PrivateSet:${id}`).toString('base64url');
    const names = {
      setId: JSON.stringify(id),
      id: JSON.stringify(nodeId),
      ids: JSON.stringify([nodeId]),
      operatorId: JSON.stringify(id),
      idType: 'PRIVATE_SET',
      validators: `[{ index: ${validator} }]`,
    };
    const naming = rootQueriesWith(names).filter(([, query]) => query.includes(id) || query.includes(nodeId));
    expect(naming.map(([name]) => name)).toEqual(
      expect.arrayContaining(['Query.privateSet', 'Query.node', 'Query.nodes', 'Mutation.deletePrivateSet']),
    );
    const before = await stored();
    for (const [name, query] of naming) {
      const { data, errors } = await other.graphql(query);
      const [value] = Object.values(data ?? { none: null });
      const seen = JSON.stringify([value, errors ?? []]);
      expect([name, seen]).toEqual([
        name,
        expect.stringMatching(/^\[(null|\[null\]|\{"__typename":"\w+Payload"\}),/),
      ]);
      for (const { extensions } of errors ?? [])
        expect(['NOT_FOUND', 'BAD_INPUT']).toContain(extensions.code);
    }
    expect(await stored()).toEqual(before);
  });

  it('is in no list but that of its owner', async () => {
    for (const path of ['/v1/eth/tags', '/v1/tags', '/v0/eth/operators?window=all&idType=privateSet']) {
      expect((await owner.get(path)).text).toContain(id);
      expect((await other.get(path)).text).not.toContain(id);
    }
  });

  it('is null to GraphQL, in every way that names it', async () => {
    const nodeId = Buffer.from(`PrivateSet:${id}`).toString('base64url');
    const operator = Buffer.from(`Operator:mainnet:privateSet:${id}`).toString('base64url');
    const summary = Buffer.from(`OperatorSummary:mainnet:7d:privateSet:${id}`).toString('base64url');
    const query = `{ node(id: "${nodeId}") { id } nodes(ids: ["${nodeId}", "${operator}", "${summary}"]) { id }
      privateSet(setId: "${id}") { name }
      operator(operatorId: "${id}", idType: PRIVATE_SET) { displayName }
      operators(idType: PRIVATE_SET, window: SEVEN_DAYS) { totalCount nodes { operatorId } }
      privateSets { totalCount nodes { setId } } }`;
    const none = { totalCount: 0, nodes: [] };
    const seen = await other.graphql(query);
    expect(seen.errors).toBeUndefined();
    expect(seen.data).toEqual({
      node: null,
      nodes: [null, null, null],
      privateSet: null,
      operator: null,
      operators: none,
      privateSets: none,
    });
    const { data } = await owner.graphql(query);
    expect(data.nodes).toEqual([{ id: nodeId }, { id: operator }, { id: summary }]);
    expect([data.node.id, data.privateSet.name, data.operator.displayName]).toEqual([
      nodeId,
      'Theirs',
      'Theirs',
    ]);
    const attestations = await other.graphql(
      `{ attestations(operatorId: "${id}", idType: PRIVATE_SET) { nodes { day } } }`,
    );
    expect([attestations.data.attestations, attestations.errors?.[0].extensions.code]).toEqual([
      null,
      'NOT_FOUND',
    ]);
  });

  it('is NOT_FOUND to every mutation', async () => {
    const before = await stored();
    const query = `mutation { renamePrivateSet(input: { setId: "${id}", name: "x" }) { privateSet { name } userErrors { code } }
      deletePrivateSet(input: { setId: "${id}" }) { deletedSetId userErrors { code } }
      addPrivateSetValidators(input: { setId: "${id}", validators: [{ index: 1 }] }) { privateSet { name } userErrors { code } }
      removePrivateSetValidators(input: { setId: "${id}", validators: [{ index: ${validator} }] }) { privateSet { name } userErrors { code } } }`;
    const { data } = await other.graphql(query);
    for (const payload of Object.values<any>(data)) {
      expect(payload.userErrors).toEqual([{ code: 'NOT_FOUND' }]);
      expect(payload.privateSet ?? payload.deletedSetId ?? null).toBeNull();
    }
    expect(await stored()).toEqual(before);
  });

  it('has no cursors that work in lists of others', async () => {
    const first = `{ privateSets(first: 1) { pageInfo { endCursor } nodes { validators { pageInfo { endCursor } } rewards { pageInfo { endCursor } } } } }`;
    const { data } = await owner.graphql(first);
    const mine = (await other.post('/v1/eth/tags', { name: 'Mine', validators: [validator] })).json.id;
    const { validators, rewards } = data.privateSets.nodes[0];
    for (const query of [
      `{ privateSets(after: "${data.privateSets.pageInfo.endCursor}") { totalCount } }`,
      `{ privateSet(setId: "${mine}") { validators(after: "${validators.pageInfo.endCursor}") { totalCount } } }`,
      `{ privateSet(setId: "${mine}") { rewards(after: "${rewards.pageInfo.endCursor}") { totalCount } } }`,
    ]) {
      expect((await other.graphql(query)).errors?.[0].extensions.code).toBe('BAD_INPUT');
    }
    expect((await other.call('DELETE', `/v1/tags/${mine}`)).status).toBe(204);
  });

  it('cannot be reached with a forged cursor', async () => {
    const forged: [(string | number)[], string | undefined][] = [
      [['x', 'y'], 'BAD_INPUT'],
      [[1e300, id], 'BAD_INPUT'],
      [[1, 2, 3], 'BAD_INPUT'],
      [[1.5, id], 'BAD_INPUT'],
      [[Number.MAX_SAFE_INTEGER, id], undefined],
    ];
    for (const [key, code] of forged) {
      const cursor = encodeCursor(`tags:${other.id}:mainnet:true`, key);
      const { data, errors } = await other.graphql(
        `{ privateSets(orderBy: { field: CREATED_AT, direction: ASC }, after: "${cursor}") { nodes { setId } } }`,
      );
      expect([key, errors?.[0].extensions.code]).toEqual([key, code]);
      expect(data.privateSets?.nodes ?? []).toEqual([]);
    }
  });
});
