import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importFile } from '../../src/ingest/import-file.ts';
import { importers } from '../../src/ingest/importers/index.ts';
import { openRowSource } from '../../src/ingest/source/open.ts';
import { readRows } from '../../src/ingest/source/source.ts';
import { wholeList } from '../../src/ingest/source/whole-list.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { runs } from '../support/thorough.ts';
import { body, operator, slashing, useFiles } from './rows.ts';

const write = useFiles();
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());
beforeEach(() =>
  database.pool.query({ text: 'truncate slashings, operator_summaries, operator_lists cascade', values: [] }),
);
const importing = async (resource: 'slashings' | 'operators', content: unknown, options = {}) =>
  importFile(database.pool, resource, await write(content), { network: 'mainnet', ...options });
const load = (content: unknown, options = {}) => importing('slashings', content, options);

const [one, two, three] = [1, 2, 3].map((index) => slashing(index));
const v0 = (data: unknown[]) => body(data);
const v1 = (results: unknown[]) => ({ previous: null, next: null, pages: 1, results });
const wrapped = (inner: unknown) => ({
  url: 'https://service.test/v0/eth/slashings',
  status: 200,
  data: inner,
});
const lines = (values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const pretty = (values: unknown[]) => values.map((value) => JSON.stringify(value, null, 2)).join('\n');
/** Longer than what is looked at first. */
const long = Array.from({ length: 400 }, (_, index) => slashing(index + 10));

describe('an import takes', () => {
  it.each([
    ['a list of v0 bodies', JSON.stringify([v0([one, two]), v0([three])]), 3],
    ['a list of v1 bodies', JSON.stringify([v1([one]), v1([two, three])]), 3],
    ['bodies of both versions', JSON.stringify([v0([one]), v1([two])]), 2],
    ['a body a line', lines([v0([one, two]), v0([three])]), 3],
    ['a v1 body a line', lines([v1([one, two]), v1([three])]), 3],
    ['a body a line, each longer than is looked at first', lines([v0(long), v0([one, two])]), 402],
    ['files of bodies one after the other', pretty([v0([one]), v0([two]), v1([three])]), 3],
    ['rows one after the other, each over several lines', pretty([one, two]), 2],
    ['a body within other keys', JSON.stringify(wrapped(v0([one, two]))), 2],
    ['a v1 body within other keys', JSON.stringify(wrapped(v1([one, two]))), 2],
    ['a body two keys deep', JSON.stringify({ request: { id: 7 }, response: { body: v0([one]) } }), 1],
    ['a wrapped body a line', lines([wrapped(v0([one])), wrapped(v0([two, three]))]), 3],
    ['a list of wrapped bodies', JSON.stringify([wrapped(v0([one])), wrapped(v1([two]))], null, 2), 2],
    ['bodies in a list under a key', JSON.stringify({ pages: [v0([one]), v0([two])], taken: 'today' }), 2],
    ['a list of rows a line', lines([[one, two], [three]]), 3],
    ['a list of lists of rows', JSON.stringify([[one], [two, three]]), 3],
    ['a body without rows among others', JSON.stringify([v0([]), v0([one])]), 1],
  ])('%s', async (_name, text, rows) => {
    expect(await load(text)).toMatchObject({
      rows,
      inserted: rows,
      faults: [],
      loaded: true,
      replaced: false,
    });
  });

  it('the same rows, however they are wrapped and cut into pages', async () => {
    const pages = fc.array(fc.array(fc.nat(1e6), { maxLength: 4 }), { minLength: 1, maxLength: 5 });
    const shapes = fc.array(
      fc.constantFrom(v0, v1, (rows: unknown[]) => wrapped(v0(rows))),
      { minLength: 5, maxLength: 5 },
    );
    const form = fc.constantFrom(lines, pretty, JSON.stringify);
    await fc.assert(
      fc.asyncProperty(pages, shapes, form, async (given, shape, written) => {
        const values = given.map((page, index) => shape[index]?.(page.map((n) => ({ validatorIndex: n }))));
        const source = await openRowSource(await write(written(values)), importers.slashings.shape);
        const read: number[] = [];
        const places: number[] = [];
        for await (const batch of readRows(source.rows)) {
          for (const { value, place } of batch) {
            read.push(Number((value as { validatorIndex: unknown }).validatorIndex));
            places.push(place);
          }
        }
        expect(read).toEqual(given.flat());
        expect(new Set(places).size).toBe(places.length);
      }),
      runs(60),
    );
  });

  it('no rows twice, wherever they stand', async () => {
    const { faults, loaded } = await load(lines([v0([one, two]), v0([two])]));
    expect(loaded).toBe(false);
    expect(faults).toMatchObject([{ place: 'row 3', field: '(row)', msg: 'repeats row 2' }]);
  });
});

it('no row has a field that is the name of a list in a body', () => {
  for (const { shape } of Object.values(importers)) {
    expect(Object.keys(shape.shape)).not.toContain('data');
    expect(Object.keys(shape.shape)).not.toContain('results');
  }
});

describe('an import refuses in one line', () => {
  const jq = (path: string) => `load its rows with: jq -c '${path}' FILE | stakegraph import slashings -.`;
  it.each([
    [
      'an answer of GraphQL',
      JSON.stringify({ data: { slashings: { nodes: [one, two] } } }),
      `looks like a GraphQL response, or a row in a wrapper (its keys are data); ${jq('.data.slashings.nodes[]')}`,
    ],
    [
      'rows under another key',
      JSON.stringify({ url: 'x', 'the rows': [one, two] }),
      `looks like rows in a wrapper (its keys are url, the rows); ${jq('.["the rows"][]')}`,
    ],
    [
      'a row in a wrapper, a line each',
      lines([wrapped(one), wrapped(two)]),
      `looks like a GraphQL response, or a row in a wrapper (its keys are url, status, data); ${jq('.data')}`,
    ],
    [
      'a body as text',
      JSON.stringify({ url: 'x', body: JSON.stringify(v0([one])) }),
      `looks like a capture with its body as text (its keys are url, body); ${jq('.body | fromjson | .data[]')}`,
    ],
    [
      'an archive of a browser',
      JSON.stringify({ log: { entries: [{ response: { content: { text: JSON.stringify(v0([one])) } } }] } }),
      `looks like a capture with its body as text (its keys are log); ${jq('.log.entries[].response.content.text | fromjson | .data[]')}`,
    ],
    [
      'an error of a service',
      JSON.stringify({ detail: 'Not authenticated' }),
      'has no field of slashings: its keys are detail; accepted are REST bodies, rows as JSON or NDJSON, and CSV with the fields as header.',
    ],
  ])('%s, saying what it looks like and how to load it', async (_name, text, told) => {
    const path = await write(text);
    const place = text.includes('}\n{') ? 'line 1' : 'row 1';
    await expect(importFile(database.pool, 'slashings', path, { network: 'mainnet' })).rejects.toThrow(
      new RegExp(`^${`${path}: ${place} ${told}`.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`),
    );
  });

  it('each row that is none, after one that is', async () => {
    const { faults } = await load([one, { kind: 'note' }, wrapped(two)]);
    expect(faults.map(({ place, field }) => [place, field])).toEqual([
      ['row 2', '(row)'],
      ['row 3', '(row)'],
    ]);
    const rejected: string[] = [];
    const options = { skipInvalid: true, onRejected: (text: string) => rejected.push(text) };
    expect(await load(JSON.stringify([{ kind: 'note' }, two]), options)).toMatchObject({
      inserted: 1,
      rejected: 1,
    });
    expect(rejected).toEqual(['{"kind":"note"}']);
  });
});

describe('bodies remove what they do not hold', () => {
  const PATH = '/v0/eth/operators?window=7d&idType=pool';
  const link = (from: number, more = '&revision=4') => `${PATH}&from=${from}&size=2${more}`;
  const page = (from: number, data: unknown[], next: string | null, total = 3) =>
    body(data, { page: { from, to: from + data.length, size: 2 }, total, next });
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => operator(id));
  const ids = async () =>
    (
      await database.pool.query({
        text: 'select operator_id as id from operator_summaries where not superseded order by 1',
        values: [],
      })
    ).rows.map((row) => row.id);
  beforeEach(() => importing('operators', [d]));

  it.each([
    ['one body of a whole list', [page(0, [a, b, c], null)]],
    ['the pages of one revision of a list', [page(0, [a, b], link(2)), page(2, [c], null)]],
    ['the same, each in a wrapper', [wrapped(page(0, [a, b], link(2))), wrapped(page(2, [c], null))]],
  ])('%s', async (_name, bodies) => {
    for (const text of [JSON.stringify(bodies), lines(bodies)]) {
      await importing('operators', [d]);
      expect(await importing('operators', text)).toMatchObject({ faults: [], replaced: true, removed: 1 });
      expect(await ids()).toEqual(['a', 'b', 'c']);
    }
  });

  it.each([
    ['a page that is missing in between', [page(0, [a], link(1)), page(2, [c], null)]],
    ['a page that is missing at the end', [page(0, [a, b], link(2))]],
    ['a page that is missing before', [page(2, [c], null)]],
    ['pages in another order', [page(2, [c], null), page(0, [a, b], link(2))]],
    ['pages that name no revision', [page(0, [a, b], link(2, '')), page(2, [c], null)]],
    ['pages that count differently', [page(0, [a, b], link(2), 4), page(2, [c], null)]],
    ['a link that leads elsewhere', [page(0, [a, b], link(3)), page(2, [c], null)]],
    [
      'pages of two revisions',
      [page(0, [a], link(1)), page(1, [b], link(2, '&revision=5')), page(2, [c], null)],
    ],
    ['two whole lists', [page(0, [a, b, c], null), page(0, [operator('a', { timeWindow: '30d' })], null, 1)]],
    [
      'pages of two lists that together count right',
      [page(0, [a, b], link(2)), page(2, [operator('c', { timeWindow: '30d' })], null)],
    ],
    ['a row beside the bodies', [page(0, [a, b], null, 2), c]],
  ])('but not %s', async (_name, bodies) => {
    expect(await importing('operators', bodies)).toMatchObject({ faults: [], replaced: false, removed: 0 });
    expect(await ids()).toContain('d');
  });
});

describe('v1 bodies', () => {
  const link = (offset: number, more = '') =>
    `https://service.test/v1/list?limit=2&offset=${offset}&revision=4${more}`;
  const whole = (...bodies: [Record<string, unknown>, number][]) => {
    const list = wholeList();
    for (const [one, rows] of bodies) list.body(one, rows);
    return list.complete();
  };
  const first = { previous: null, next: link(2), pages: 2, results: [] };
  const last = { previous: link(0), next: null, pages: 2, results: [] };
  it('are one whole list when their links say so', () => {
    expect(whole([{ ...first, next: null, pages: 1 }, 2])).toBe(true);
    expect(whole([first, 2], [last, 1])).toBe(true);
    expect(whole([first, 2])).toBe(false);
    expect(whole([last, 1])).toBe(false);
    expect(whole([first, 1], [last, 1])).toBe(false);
    expect(whole([first, 2], [{ ...last, previous: link(0, '&window=7d') }, 1])).toBe(false);
    expect(whole([first, 2], [{ ...last, pages: 3 }, 1])).toBe(false);
    expect(whole()).toBe(false);
  });
});
