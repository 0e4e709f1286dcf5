import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Pool } from '../../src/db/pool.ts';
import { setConsolidationPages, setConsolidationTotals } from '../../src/resources/consolidations/queries.ts';
import { createDatabase, useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';
import { blocksIn } from '../support/typed.ts';
import { walkNext } from '../support/walk.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});

type Row = {
  epoch: number;
  date: string;
  sourceValidatorIndex: number;
  targetValidatorIndex: number;
  consolidatedBalance: number;
};

/** Every consolidation of the network, as REST has them, oldest first. */
let all: Row[];
let members: number[];
let id: string;
beforeAll(async () => {
  all = await walkNext(gateway, '/v1/eth/validators/consolidations?limit=200&sortOrder=asc');
  const { rows } = await gateway.database.pool.query({
    text: `select validator_index as index from validators where network = 'mainnet' and validator_index = any($1) order by 1`,
    values: [all.flatMap((row) => [row.sourceValidatorIndex, row.targetValidatorIndex])],
  });
  const known = rows.map(({ index }) => Number(index));
  const whole = all.find((row) =>
    [row.sourceValidatorIndex, row.targetValidatorIndex].every((index) => known.includes(index)),
  ) as Row;
  members = known.filter(
    (index, place) =>
      place % 3 === 0 || index === whole.sourceValidatorIndex || index === whole.targetValidatorIndex,
  );
  const given = members.map((index) => `{ index: ${index} }`).join(' ');
  const { data } = await gateway.graphql(
    `mutation { createPrivateSet(input: { name: "moved", validators: [${given}] }) { privateSet { setId } } }`,
  );
  id = data.createPrivateSet.privateSet.setId;
});

const isOf = (indices: readonly number[]) => {
  const known = new Set(indices);
  return (row: Row) => known.has(row.sourceValidatorIndex) || known.has(row.targetValidatorIndex);
};

const PAGE = `totalCount nodes { sourceValidatorIndex date } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;
const ask = (args: string, set = id) =>
  gateway.graphql(`{ privateSet(setId: "${set}") { consolidations(${args}) { ${PAGE} } } }`);

async function walk(args: string, isForward: boolean): Promise<number[]> {
  const found: number[] = [];
  for (let cursor: string | undefined; ; ) {
    const place = cursor ? `, ${isForward ? 'after' : 'before'}: "${cursor}"` : '';
    const { data } = await ask(`${args} ${isForward ? 'first' : 'last'}: 17${place}`);
    const { nodes, pageInfo, totalCount } = data.privateSet.consolidations;
    found[isForward ? 'push' : 'unshift'](...nodes.map((node: any) => node.sourceValidatorIndex));
    if (!(isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) {
      expect(totalCount).toBe(found.length);
      return found;
    }
    cursor = isForward ? pageInfo.endCursor : pageInfo.startCursor;
  }
}

describe('consolidations of a private set', () => {
  it('are those whose source or target is in it now, each once, by orders, dates and calendars', async () => {
    const own = all.filter(isOf(members));
    expect(own.length).toBeGreaterThan(20);
    const [from, to] = [own[5]?.date as string, own.at(-6)?.date as string];
    const byBalance = own.toSorted(
      (a, b) =>
        a.consolidatedBalance - b.consolidatedBalance ||
        a.epoch - b.epoch ||
        a.sourceValidatorIndex - b.sourceValidatorIndex,
    );
    for (const [args, rows] of [
      ['', own.toReversed()],
      ['orderBy: { field: EPOCH, direction: ASC },', own],
      ['orderBy: { field: CONSOLIDATED_BALANCE, direction: ASC },', byBalance],
      [
        `fromDate: "${from}", toDate: "${to}",`,
        own.filter(({ date }) => date >= from && date <= to).toReversed(),
      ],
      ['toDate: "2020-12-31",', []],
    ] as const) {
      const sources = rows.map((row) => row.sourceValidatorIndex);
      expect(await walk(args, true), args).toEqual(sources);
      expect(await walk(args, false), args).toEqual(sources);
    }
    const { data } = await ask('utc: true, first: 1');
    const { json } = await gateway.get('/v1/eth/validators/consolidations?utc=true&limit=200&sortOrder=desc');
    const newest = json.results.find(isOf(members));
    expect(data.privateSet.consolidations.nodes[0].date).toBe(newest.date);
  });

  it('leave out those of a validator that was removed', async () => {
    const source = all.find(isOf(members)) as Row;
    const gone = members.find((index) => isOf([index])(source)) as number;
    await gateway.graphql(`mutation { removePrivateSetValidators(input: {
      setId: "${id}", validators: [{ index: ${gone} }] }) { userErrors { message } } }`);
    const { data } = await ask('first: 1');
    const rest = members.filter((index) => index !== gone);
    expect(data.privateSet.consolidations.totalCount).toBe(all.filter(isOf(rest)).length);
    await gateway.graphql(`mutation { addPrivateSetValidators(input: {
      setId: "${id}", validators: [{ index: ${gone} }] }) { userErrors { message } } }`);
  });

  it('of all sets of a page run three statements, and refuse cursors of another set and dates backwards', async () => {
    const { data } = await gateway.graphql(
      `mutation { createPrivateSet(input: { name: "one", validators: [{ index: ${members[1]} }] }) { privateSet { setId } } }`,
    );
    const other = data.createPrivateSet.privateSet.setId;
    gateway.statements.length = 0;
    const page = await gateway.graphql(
      `{ privateSets(first: 2) { nodes { setId consolidations(first: 2) { ${PAGE} } } } }`,
    );
    expect(gateway.statements.toSorted()).toEqual(
      ['memberTotals', 'setConsolidationPages', 'setConsolidationTotals', 'setPage'].sort(),
    );
    expect(page.data.privateSets.nodes.map((set: any) => [set.setId, set.consolidations.totalCount])).toEqual(
      [
        [other, all.filter(isOf([members[1] as number])).length],
        [id, all.filter(isOf(members)).length],
      ],
    );
    const cursor = page.data.privateSets.nodes[1].consolidations.pageInfo.endCursor;
    const { errors } = await ask(`after: "${cursor}"`, other);
    expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
    const backwards = await ask('fromDate: "2025-02-02", toDate: "2025-02-01"');
    expect(backwards.errors?.[0].extensions.code).toBe('BAD_INPUT');
  });

  slow('are looked up by the keys of the validators, 15,000 at most', async () => {
    const database = await createDatabase('empty');
    const query = (text: string) => database.pool.query({ text, values: [] });
    await query(`with account as (insert into accounts (name, tier) values ('large', 'enterprise') returning account_id),
      made as (
        insert into private_sets (set_id, account_id, network, name, created_by, created_at, updated_at)
        select '00000000-0000-4000-8000-000000000001', account_id, 'mainnet', 'large', 'x', now(), now() from account
        returning set_id
      )
      insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
      select set_id, i, '0x' || i, now(), '-infinity' from made, generate_series(1, 15000) i`);
    await query(`insert into consolidations (network, source_index, source_pubkey, target_index, target_pubkey, epoch,
        consolidated_balance)
      select 'mainnet', i, '0x' || i, 1000000 + i % 1000, '0x', 400000 + i / 10, 32000000000
      from generate_series(1, 100000) i`);
    await query('vacuum analyze private_set_members');
    await query('vacuum analyze consolidations');
    const set = { network: 'mainnet', id: '00000000-0000-4000-8000-000000000001' } as const;
    let blocks = 0;
    const db: Pick<Pool, 'query'> = {
      async query({ text, values }) {
        const explained = { text: `explain (analyze, buffers, format json) ${text}`, values };
        blocks = blocksIn((await database.pool.query(explained)).rows);
        return { rows: [] };
      },
    };
    const order = { sortBy: 'epoch', sortOrder: 'desc' } as const;
    const epochs = { first: 400_000, last: 400_100 };
    await setConsolidationPages(db, [set], { ...order, epochs }, { limit: 20 });
    // Two look-ups for each validator, of four blocks at most.
    expect(blocks).toBeGreaterThan(0);
    expect(blocks).toBeLessThan(130_000);
    await setConsolidationTotals(db, [set], epochs);
    expect(blocks).toBeLessThan(130_000);
    await database.drop();
  });
});
