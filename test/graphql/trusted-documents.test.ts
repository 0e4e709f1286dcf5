import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/index.ts';
import { trustedDocuments } from '../../src/graphql/run/trusted-documents.ts';
import { type Gateway, useGateway } from '../support/gateway.ts';

const folder = mkdtempSync(join(tmpdir(), 'trusted-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
function fileOf(content: unknown): string {
  const file = join(folder, `${(files += 1)}.json`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const list = 'query List($first: Int!) { slashings(first: $first) { __typename nodes { __typename id } } }';
const total = 'query Total { slashings { totalCount } }';
const ids = { list: 'd3b07384d113edec49eaa6238ad5ff00', total: 'a'.repeat(64) };
const flat = { [ids.list]: list, [ids.total]: total };
const operations = Object.entries(flat).map(([id, body]) => ({ id, name: 'X', type: 'query', body }));
const apollo = { format: 'apollo-persisted-query-manifest', version: 1, operations };

const post = (gateway: Gateway, body: object, headers: Record<string, string> = {}) =>
  gateway.fetch('/graphql', {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const get = (gateway: Gateway, parameters: Record<string, string>) =>
  gateway.get(`/graphql?${new URLSearchParams(parameters)}`);

const named = (id: string): [string, object][] => [
  ['documentId', { documentId: id }],
  ['id', { id }],
  ['doc_id', { doc_id: id }],
  ['the extension', { extensions: { persistedQuery: { version: 1, sha256Hash: id } } }],
];

describe.each([
  ['Relay or GraphQL-Codegen', flat],
  ['Apollo', apollo],
])('documents of %s', (_name, manifest) => {
  const settings = { TRUSTED_DOCUMENTS: fileOf(manifest), TRUSTED_ONLY: true, CACHE: true };
  const gateway = useGateway({ settings });

  it.each(named(ids.list))('are answered by %s, over POST and GET', async (_by, member) => {
    const variables = { first: 2 };
    for (let time = 0; time < 3; time += 1) {
      const plain = await post(gateway, { query: list, variables });
      expect(plain.json.data.slashings.nodes).toHaveLength(2);
      const answer = await post(gateway, { ...member, variables });
      expect([answer.status, answer.json]).toEqual([200, plain.json]);
      const parameters = Object.fromEntries(
        Object.entries({ ...member, variables }).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      );
      expect((await get(gateway, parameters)).json).toEqual(plain.json);
    }
  });

  it('take the SQL statements of their texts, and none from the cache', async () => {
    const body = { documentId: ids.total };
    for (let time = 0; time < 3; time += 1) await post(gateway, { ...body, variables: { time } });
    gateway.statements.length = 0;
    await post(gateway, { query: total, variables: { time: 'text' } });
    const ofText = [...gateway.statements];
    gateway.statements.length = 0;
    await post(gateway, { ...body, variables: { time: 'id' } });
    expect(gateway.statements).toEqual(ofText);
    expect(ofText).toEqual(['slashingPage', 'slashingTotal']);
    await post(gateway, { ...body, variables: { time: 'id' } });
    expect(gateway.statements).toEqual(ofText);
  });

  it.each([
    '{ __typename }',
    `${total} `,
    '{',
    getIntrospectionQuery(),
    '{ __type(name: "Query") { name } }',
  ])('are the only ones answered with TRUSTED_ONLY=on: not %s', async (query) => {
    for (let time = 0; time < 3; time += 1) {
      const answer = await post(gateway, { query });
      expect([answer.status, answer.json.errors]).toEqual([
        200,
        [
          {
            message: 'Only trusted documents are answered; this one is not among those of TRUSTED_DOCUMENTS.',
            extensions: { code: 'FORBIDDEN' },
          },
        ],
      ]);
      expect(answer.json).not.toHaveProperty('data');
      expect((await get(gateway, { query })).json.errors).toEqual(answer.json.errors);
    }
    expect((await post(gateway, { query }, { accept: 'application/graphql-response+json' })).status).toBe(
      400,
    );
  });

  it('that are unknown are named, or PersistedQueryNotFound for Apollo', async () => {
    for (const name of ['documentId', 'id', 'doc_id']) {
      const { json } = await post(gateway, { [name]: 'nope' });
      expect(json.errors[0]).toMatchObject({
        message: `${name} is "nope", which is not a trusted document.`,
        extensions: { code: 'BAD_INPUT', faults: [{ loc: ['body', name] }] },
      });
      const { json: ofGet } = await get(gateway, { [name]: 'nope' });
      expect(ofGet.errors[0].extensions.faults[0].loc).toEqual(['query', name]);
    }
    const unknown = { persistedQuery: { version: 1, sha256Hash: 'nope' } };
    const { status, json } = await post(gateway, { extensions: unknown });
    expect([status, json.errors]).toEqual([
      200,
      [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    ]);
  });

  it('are not guessed from two ids', async () => {
    const { json } = await post(gateway, { documentId: ids.list, id: ids.total });
    expect(json.errors[0].message).toBe('documentId and id name different documents; send one.');
  });
});

describe('without TRUSTED_ONLY', () => {
  const gateway = useGateway({ template: 'empty', settings: { TRUSTED_DOCUMENTS: fileOf(flat) } });

  it('other documents and introspection are answered too', async () => {
    expect((await post(gateway, { query: '{ __typename }' })).json.data).toEqual({ __typename: 'Query' });
    expect((await post(gateway, { documentId: ids.total })).json.data.slashings).toEqual({ totalCount: 0 });
    expect((await post(gateway, { query: getIntrospectionQuery() })).json.data.__schema).toBeDefined();
  });
});

describe('the file of TRUSTED_DOCUMENTS', () => {
  const read = (content: unknown, only = false) =>
    trustedDocuments({ TRUSTED_DOCUMENTS: fileOf(content), TRUSTED_ONLY: only });

  it('is needed by TRUSTED_ONLY', () => {
    expect(() => trustedDocuments(readSettings({ TRUSTED_ONLY: 'on' }))).toThrow(
      'TRUSTED_ONLY is on; TRUSTED_DOCUMENTS must name the file of the documents.',
    );
  });

  it.each<[string, unknown, RegExp]>([
    ['is no JSON', '{', /cannot be read as JSON/],
    ['is a list', [list], /is neither .*Relay.*Apollo/],
    ['is empty', {}, /has no documents/],
    ['has an entry that is no text', { x: 1 }, /x: .*string/],
    ['is a manifest of another version', { ...apollo, version: 2 }, /version: /],
    ['has an operation without a body', { ...apollo, operations: [{ id: 'x' }] }, /operations\.0\.body: /],
    [
      'has a document that does not parse',
      { ...flat, x: '{' },
      /1 faulty entries of 3:\n {2}"x": Syntax Error/,
    ],
    ['has a document of another schema', { y: '{ nope }' }, /"y": Cannot query field "nope"/],
    ['has a document over a limit', { z: `{ ${'__typename '.repeat(33)} }` }, /"z": .*limit of 30 aliases/],
    [
      'has an id of two documents',
      { ...apollo, operations: [...operations, { id: ids.list, body: total }] },
      /d3b0.*: is given twice/,
    ],
  ])('that %s is refused', (_name, content, message) => {
    expect(() => read(content)).toThrow(message);
  });

  it('that does not exist is refused', () => {
    const settings = { TRUSTED_DOCUMENTS: join(folder, 'none.json'), TRUSTED_ONLY: false };
    expect(() => trustedDocuments(settings)).toThrow(/none\.json.*cannot be read/);
  });

  it('may ask for the schema only without TRUSTED_ONLY', () => {
    const content = { schema: '{ __schema { queryType { name } } }' };
    expect(read(content)?.byId.size).toBe(1);
    expect(() => read(content, true)).toThrow(/"schema": .*introspection/);
  });
});
