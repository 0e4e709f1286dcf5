import { beforeEach, describe, expect, it } from 'vitest';
import { importFile } from '../../src/ingest/import-file.ts';
import type { ImportResource } from '../../src/ingest/importers/index.ts';
import { operator, useFiles } from '../ingest/rows.ts';
import { useGateway } from '../support/gateway.ts';
import { sampleStakeAuthorities } from '../support/sample.ts';
import { every, slow } from '../support/thorough.ts';
import { rowsOf } from '../support/typed.ts';

// Decisions, pages: following `next` gives every row once, in order, even while a refresh lands between two pages.

const write = useFiles();
const gateway = useGateway({ template: 'empty' });
beforeEach(() => {
  const text = `truncate operator_summaries, operator_lists, stake_authority_summaries, stake_authority_lists cascade`;
  return gateway.database.pool.query({ text, values: [] });
});

const names = [...'123456789'];
const [authority] = sampleStakeAuthorities();

/** The two ranked lists: how to load names with penetrations, and to ask for pages of three on either API. */
const lists = [
  {
    list: 'operators',
    row: (name: string, networkPenetration: number) => operator(name, { networkPenetration }),
    first: '/v0/eth/operators?window=7d&idType=pool&size=3',
    idOf: (row: any) => [row.id, String(row.networkPenetration)],
    field: 'operators(window: SEVEN_DAYS, idType: POOL',
    node: 'operatorId summary(window: SEVEN_DAYS) { networkPenetration }',
    idOfNode: (node: any) => [node.operatorId, String(node.summary.networkPenetration)],
  },
  {
    list: 'stake-authorities',
    row: (name: string, networkPenetration: number) => ({
      ...authority,
      timeWindow: '7d',
      stakeAuthority: authority?.stakeAuthority.slice(0, -1) + name,
      networkPenetration: String(networkPenetration),
    }),
    first: '/v0/solana/delegators/stakeAuthorities?window=7d&size=3',
    idOf: (row: any) => [row.stakeAuthority.slice(-1), row.networkPenetration],
    field: 'stakeAuthorities(window: SEVEN_DAYS',
    node: 'stakeAuthority summary(window: SEVEN_DAYS) { networkPenetration }',
    idOfNode: (node: any) => [node.stakeAuthority.slice(-1), String(node.summary.networkPenetration)],
  },
] as const;
type List = (typeof lists)[number];

const load = async ({ list, row }: List, order: readonly string[]) =>
  importFile(
    gateway.database.pool,
    list as ImportResource,
    await write(order.map((name, place) => row(name, (90 - place) / 100))),
    { network: 'mainnet', replace: true },
  );

const reversed = names.toReversed();
const wanted = names.map((name, place) => [name, String((90 - place) / 100)]);

async function walkRest(
  { first, idOf }: List,
  between: (page: number) => Promise<unknown>,
  start = first as string,
) {
  const found: string[][] = [];
  let page = 0;
  for (let next: string | null = start; next; page += 1) {
    const { json, status } = await gateway.get(next.replace(gateway.url, ''));
    expect(status).toBe(200);
    found.push(...(json.data ?? json.results).map(idOf));
    next = json.next;
    await between(page);
  }
  return found;
}

const pageOf = ({ field, node }: List, args: string) =>
  gateway.graphql(`{ page: ${field}, ${args}) {
    totalCount nodes { ${node} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  } }`);

describe.each(every(2, lists))('a walk over $list while a refresh turns the order round', (list) => {
  it('gives every row once, in the order and with the figures of its beginning, by next', async () => {
    await load(list, names);
    const found = await walkRest(list, (page) => (page === 0 ? load(list, reversed) : Promise.resolve()));
    expect(found).toEqual(wanted);
    expect((await walkRest(list, async () => {})).map(([name]) => name)).toEqual(reversed);
  });

  it('gives every row once by cursors, forward and back', async () => {
    await load(list, names);
    const one = await pageOf(list, 'first: 3');
    await load(list, reversed.slice(4));
    const two = await pageOf(list, `first: 3, after: "${one.data.page.pageInfo.endCursor}"`);
    await load(list, reversed);
    const three = await pageOf(list, `first: 3, after: "${two.data.page.pageInfo.endCursor}"`);
    const pages = [one, two, three].map(({ data }) => data.page);
    expect(pages.flatMap(({ nodes }) => nodes.map(list.idOfNode))).toEqual(wanted);
    expect(pages.map(({ totalCount }) => totalCount)).toEqual([9, 9, 9]);
    expect(three.data.page.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const back = await pageOf(list, `last: 3, before: "${three.data.page.pageInfo.startCursor}"`);
    expect(back.data.page.nodes).toEqual(two.data.page.nodes);
  });

  it('keeps rows that the refresh removed', async () => {
    await load(list, names);
    const found = await walkRest(list, (page) => (page === 0 ? load(list, ['1']) : Promise.resolve()));
    expect(found).toEqual(wanted);
    expect((await walkRest(list, async () => {})).map(([name]) => name)).toEqual(['1']);
  });

  slow('is refused, and told to begin again, when its list is not kept any more', async () => {
    await load(list, names);
    const { json } = await gateway.get(list.first);
    const { data } = await pageOf(list, 'first: 3');
    for (let turn = 0; turn < 5; turn += 1) {
      await load(list, reversed);
      await load(list, names);
    }
    const rest = await gateway.get(json.next);
    expect(rest.status).toBe(400);
    expect(rest.json.detail).toMatchObject([{ loc: ['query', 'revision'], type: 'revision' }]);
    const { errors } = await pageOf(list, `first: 3, after: "${data.page.pageInfo.endCursor}"`);
    expect(errors).toMatchObject([
      { extensions: { code: 'BAD_INPUT', faults: [{ loc: ['argument', 'after'], type: 'revision' }] } },
    ]);
  });

  it('refuses cursors of two walks in one range', async () => {
    await load(list, names);
    const { data } = await pageOf(list, 'first: 3');
    await load(list, reversed);
    const other = await pageOf(list, 'last: 3');
    const { errors } = await pageOf(
      list,
      `first: 3, after: "${data.page.pageInfo.endCursor}", before: "${other.data.page.pageInfo.startCursor}"`,
    );
    expect(errors?.[0]?.extensions.faults).toMatchObject([{ loc: ['argument', 'before'] }]);
  });

  slow('leaves nothing behind but the lists that are kept', async () => {
    await load(list, names);
    for (let turn = 0; turn < 8; turn += 1) await load(list, turn % 2 ? names : reversed);
    const table = list.list === 'operators' ? 'operator' : 'stake_authority';
    const count = async () => {
      const text = `select (select count(*) from ${table}_lists where superseded_at is not null)::int as lists,
        (select count(*) from ${table}_summaries where superseded)::int as summaries`;
      return (await rowsOf<{ lists: number; summaries: number }>(gateway.database.pool, text))[0];
    };
    expect((await count())?.summaries).toBeGreaterThan(0);
    const text = `update ${table}_lists set superseded_at = superseded_at - interval '2 hours'`;
    await gateway.database.pool.query({ text, values: [] });
    await load(list, ['1', '2']);
    // only what the last load replaced is left: a list of nine, and its rows that did not stay
    expect(await count()).toEqual({ lists: list.list === 'operators' ? 1 : 2, summaries: 7 });
  });
});

describe('a walk over v1 of stake authorities', () => {
  it('keeps to the list that it began with, forward and back', async () => {
    const list = lists[1];
    await load(list, names);
    const start = '/v1/solana/delegators/stakeAuthorities?window=7d&limit=3';
    const idOf = (row: any) => [row.stakeAuthority.slice(-1), String(row.networkPenetration)];
    const found = await walkRest(
      { ...list, idOf } as never,
      (page) => (page === 0 ? load(list, reversed) : Promise.resolve()),
      start,
    );
    expect(found.map(([name]) => name)).toEqual(names);
    const { revision } = (
      await rowsOf<{ revision: number }>(
        gateway.database.pool,
        'select max(revision)::int as revision from stake_authority_lists where superseded_at is not null',
      )
    )[0] as { revision: number };
    const { json } = await gateway.get(`${start}&offset=6&revision=${revision}`);
    const previous = await gateway.get(json.previous.replace(gateway.url, ''));
    expect(previous.json.results.map((row: any) => row.stakeAuthority.slice(-1))).toEqual(names.slice(3, 6));
  });
});
