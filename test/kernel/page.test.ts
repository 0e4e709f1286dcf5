import fc from 'fast-check';
import { type GraphQLResolveInfo, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { rankedSlice } from '../../src/db/ranked/ranked-lists.ts';
import { connection, connectionRange } from '../../src/graphql/schema/connection.ts';
import { type Range, rowsToRead, slice } from '../../src/kernel/page.ts';
import { Refusal } from '../../src/kernel/refusal.ts';

const limits = {
  defaultSize: 15,
  maxSize: 200,
  decode: (cursor: string) => (/^row \d+$/.test(cursor) ? Number(cursor.slice(4)) : undefined),
};
const rows = fc.uniqueArray(fc.nat(10_000), { maxLength: 80 }).map((keys) => keys.sort((a, b) => a - b));
const size = fc.integer({ min: 1, max: 200 });

/** A field of which this is selected. */
function selecting(selection: string): GraphQLResolveInfo {
  const [operation] = parse(`{ list ${selection} }`).definitions as [OperationDefinitionNode];
  return {
    fieldNodes: operation.selectionSet.selections,
    fragments: {},
    variableValues: {},
  } as unknown as GraphQLResolveInfo;
}
const wholePage = '{ edges { cursor node } pageInfo { hasNextPage } }';

/** What a room's query does with a range, from the end when backward. */
function fetch(list: number[], range: Range<number>): number[] {
  const { after, before, backward } = range;
  const part = list.filter(
    (row) => (after === undefined || row > after) && (before === undefined || row < before),
  );
  return (backward ? part.toReversed() : part).slice(0, rowsToRead(range));
}
const pageOf = (list: number[], args: Parameters<typeof connectionRange>[0]) => {
  const range = connectionRange<number>(args, selecting(wholePage), limits);
  const { edges, pageInfo } = connection(
    slice(fetch(list, range), range),
    (row) => `row ${row}`,
    () => list.length,
  );
  return { nodes: edges.map((edge) => edge.node), pageInfo };
};
/** Walks the whole list, each page of the next of these sizes. */
function walk(list: number[], sizes: number[], direction: 'forward' | 'backward') {
  const met: number[] = [];
  let cursor: string | null = null;
  for (let step = 0; step <= list.length; step += 1) {
    const count = sizes[step % sizes.length] as number;
    const args = direction === 'forward' ? { first: count, after: cursor } : { last: count, before: cursor };
    const { nodes, pageInfo } = pageOf(list, args);
    expect(nodes.length).toBeLessThanOrEqual(count);
    const [beforePage, afterPage] = [
      list.indexOf(nodes[0] as number),
      list.length - 1 - list.indexOf(nodes.at(-1) as number),
    ];
    if (nodes.length > 0) {
      // Relay's rule: ahead of the walk, one row more than the page shows that there are more; behind it, the cursor does.
      expect(pageInfo.hasNextPage).toBe(direction === 'forward' ? afterPage > 0 : cursor !== null);
      expect(pageInfo.hasPreviousPage).toBe(direction === 'backward' ? beforePage > 0 : cursor !== null);
    }
    if (direction === 'forward') met.push(...nodes);
    else met.unshift(...nodes);
    if (!(direction === 'forward' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return met;
    cursor = direction === 'forward' ? pageInfo.endCursor : pageInfo.startCursor;
  }
  throw new Error('The walk does not end.');
}

describe('pages of a list', () => {
  it.each(['forward', 'backward'] as const)(
    'walked %s give every row once, in order, at any sizes',
    (direction) => {
      fc.assert(
        fc.property(rows, fc.array(size, { minLength: 1, maxLength: 5 }), (list, sizes) => {
          expect(walk(list, sizes, direction)).toEqual(list);
        }),
      );
    },
  );

  it('between two cursors hold what lies between them', () => {
    fc.assert(
      fc.property(
        rows,
        fc.nat(10_000),
        fc.nat(10_000),
        size,
        fc.boolean(),
        (list, after, before, count, backward) => {
          const between = list.filter((row) => row > after && row < before);
          const cursors = { after: `row ${after}`, before: `row ${before}` };
          const { nodes, pageInfo } = pageOf(list, {
            ...cursors,
            ...(backward ? { last: count } : { first: count }),
          });
          expect(nodes).toEqual(backward ? between.slice(-count) : between.slice(0, count));
          const more = between.length > count;
          expect(backward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage).toBe(more);
        },
      ),
    );
  });

  it('without rows have no cursors and nothing beside them', () => {
    expect(pageOf([], { first: 1 }).pageInfo).toMatchObject({
      startCursor: null,
      endCursor: null,
      hasNextPage: false,
      hasPreviousPage: false,
    });
  });

  it('have the default size when none is asked for', () => {
    const list = Array.from({ length: 40 }, (_, index) => index);
    expect(pageOf(list, {}).nodes).toHaveLength(20);
    expect(pageOf(list, { first: null, last: null, after: null, before: null }).nodes).toHaveLength(20);
  });
});

describe('connectionRange', () => {
  const sizeArgument = fc.option(fc.integer(), { nil: null });
  const cursorArgument = fc.option(
    fc.oneof(
      fc.string(),
      fc.nat().map((row) => `row ${row}`),
    ),
    { nil: null },
  );

  it('refuses sizes out of range, both sizes and foreign cursors, all at once and by name, and nothing else', () => {
    fc.assert(
      fc.property(
        sizeArgument,
        sizeArgument,
        cursorArgument,
        cursorArgument,
        (first, last, after, before) => {
          const wrongSize = (value: number | null) => value !== null && (value < 1 || value > limits.maxSize);
          const wrongCursor = (value: string | null) => value !== null && limits.decode(value) === undefined;
          const wrong = new Set<string>();
          if (wrongSize(first)) wrong.add('first');
          if (wrongSize(last) || (first !== null && last !== null)) wrong.add('last');
          if (wrongCursor(after)) wrong.add('after');
          if (wrongCursor(before)) wrong.add('before');
          let named = new Set<unknown>();
          try {
            connectionRange({ first, last, after, before }, selecting(wholePage), limits);
          } catch (error) {
            expect(error).toBeInstanceOf(Refusal);
            named = new Set(
              (error as Refusal).faults?.map((fault) => fault.loc.join('.').replace('argument.', '')),
            );
          }
          expect(named).toEqual(wrong);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('what is read for a page', () => {
  const rowsFor = (selection: string) =>
    rowsToRead(connectionRange({ first: 7 }, selecting(selection), limits));

  it.each([
    ['{ nodes }', 7],
    ['{ totalCount nodes }', 7],
    ['{ nodes pageInfo { endCursor } }', 8],
    ['{ edges { node } }', 8],
    ['{ ... { pageInfo { hasNextPage } } nodes }', 8],
  ])('of %s is %i rows of 7', (selection, count) => expect(rowsFor(selection)).toBe(count));
});

describe('a page of a ranked list', () => {
  it('tells what lies beyond it as a row too many would', () => {
    const rank = fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined });
    fc.assert(
      fc.property(fc.nat(50), rank, rank, size, fc.boolean(), (total, after, before, limit, backward) => {
        const range = {
          ...{ limit, backward },
          ...(after !== undefined && { after }),
          ...(before !== undefined && { before }),
        };
        const list = Array.from({ length: total }, (_, place) => ({ rank: place }));
        const fetched = fetch(
          list.map((row) => row.rank),
          range,
        ).map((place) => ({ rank: place }));
        const rows = fetched.slice(0, limit).sort((a, b) => a.rank - b.rank);
        const {
          total: told,
          revision,
          ...page
        } = rankedSlice({ rows, total, revision: 7 }, { range, walk: undefined });
        expect({ told, revision }).toEqual({ told: total, revision: 7 });
        expect(page).toEqual(slice(fetched, range));
      }),
    );
  });
});
