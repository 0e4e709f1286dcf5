import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { envelopeV1, linksV1 } from '../../src/kernel/envelopes.ts';
import { jsonWriter } from '../../src/kernel/json.ts';
import { text } from '../../src/kernel/leaves.ts';

const call = { url: 'https://data.example/v1/things', query: '' };
type Page = { limit: number; offset: number };

/** What a link asks for; the link must be on the call's own URL. */
function asked(link: string): Page {
  const url = new URL(link);
  expect(url.origin + url.pathname).toBe(call.url);
  return { limit: Number(url.searchParams.get('limit')), offset: Number(url.searchParams.get('offset')) };
}

const rowsOf = (count: number, { limit, offset }: Page) =>
  Array.from({ length: count }, (_, row) => row).slice(offset, offset + limit);

/** The rows met by following one of the links from a page until it is null, in the order of the list. */
function walk(count: number, start: Page, direction: 'previous' | 'next'): number[] {
  const met: number[] = [];
  for (let page: Page | undefined = start; page; ) {
    const rows = rowsOf(count, page);
    if (direction === 'next') met.push(...rows);
    else met.unshift(...rows);
    const link: string | null = linksV1(call, { ...page, count })[direction];
    page = link === null ? undefined : asked(link);
    if (page) expect(page.limit).toBeGreaterThanOrEqual(1);
  }
  return met;
}

const sizes = fc.record({ count: fc.nat(60), limit: fc.integer({ min: 1, max: 70 }), offset: fc.nat(80) });

describe('the links of a v1 page', () => {
  it('lead forward over every row from the offset on, each once', () => {
    fc.assert(
      fc.property(sizes, ({ count, ...page }) => {
        expect(walk(count, page, 'next')).toEqual(rowsOf(count, { ...page, limit: count }));
      }),
    );
  });

  it('lead back over every row before the page, each once, also from past the end', () => {
    fc.assert(
      fc.property(sizes, ({ count, ...page }) => {
        const end = Math.min(count, page.offset + page.limit);
        expect(walk(count, page, 'previous')).toEqual(rowsOf(count, { offset: 0, limit: end }));
      }),
    );
  });

  it('never ask for more rows than the page did', () => {
    fc.assert(
      fc.property(sizes, ({ count, ...page }) => {
        const { previous, next } = linksV1(call, { ...page, count });
        for (const link of [previous, next])
          if (link !== null) expect(asked(link).limit).toBeLessThanOrEqual(page.limit);
      }),
    );
  });

  it.each([
    // count, limit, offset → previous, next, pages
    [25, 10, 0, null, 'limit=10&offset=10', 3],
    [25, 10, 10, 'limit=10&offset=0', 'limit=10&offset=20', 3],
    [25, 10, 20, 'limit=10&offset=10', null, 3],
    [25, 10, 15, 'limit=10&offset=5', null, 3],
    [25, 10, 3, 'limit=3&offset=0', 'limit=10&offset=13', 3],
    [25, 10, 25, 'limit=10&offset=15', null, 3],
    [25, 10, 4000, 'limit=10&offset=15', null, 3],
    [5, 10, 4000, 'limit=5&offset=0', null, 1],
    [10, 10, 0, null, null, 1],
    [0, 10, 0, null, null, 0],
    [0, 10, 7, null, null, 0],
  ])('of %i rows at limit %i and offset %i are %s and %s, of %i pages', (...expected) => {
    const [count, limit, offset, previous, next, pages] = expected;
    const link = (query: string | null) => query && `${call.url}?${query}`;
    expect(linksV1(call, { count, limit, offset })).toEqual({
      previous: link(previous),
      next: link(next),
      pages,
    });
  });

  it('keep the query of the caller and replace limit and offset where they stand', () => {
    const query = 'limit=2&name=a%20b%26c&offset=4&unknown=%C3%A9&empty=';
    const { previous, next } = linksV1({ ...call, query }, { limit: 2, offset: 4, count: 9 });
    expect(next).toBe(`${call.url}?limit=2&name=a+b%26c&offset=6&unknown=%C3%A9&empty=`);
    expect(previous).toBe(`${call.url}?limit=2&name=a+b%26c&offset=2&unknown=%C3%A9&empty=`);
  });
});

describe('the v1 envelope', () => {
  it('has its keys in the documented order', () => {
    const write = jsonWriter(envelopeV1(z.object({ name: text() })));
    const body = { results: [{ name: 'a' }], pages: 1, next: null, previous: null };
    expect(write(body).join('')).toBe('{"previous":null,"next":null,"pages":1,"results":[{"name":"a"}]}');
  });
});
