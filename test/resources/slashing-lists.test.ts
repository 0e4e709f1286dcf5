import { beforeAll, describe, expect, it } from 'vitest';
import { chainDayOfEpoch, epochStart } from '../../src/chain/calendar.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { type SlashingRow, setSlashingPages, slashingPage } from '../../src/resources/slashings/queries.ts';
import { type SlashingList, slashingCursors, slashingsFrom } from '../../src/resources/slashings/resolve.ts';
import { createDatabase, useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';
import { blocksIn } from '../support/typed.ts';
import { walkKeys } from '../support/walk.ts';

const gateway = useGateway();

type Row = { index: number; epoch: number; penalty: string } & Record<
  'deposit_address' | 'withdrawal_address' | 'node_operator' | 'pool' | 'share',
  string | null
>;

/** All slashings, oldest first, with the operators of the validators. */
let all: Row[];
beforeAll(async () => {
  const { rows } = await gateway.database.pool.query({
    text: `select s.validator_index as index, s.slashing_epoch as epoch, s.slashing_penalties::text as penalty,
        v.deposit_address, v.withdrawal_address, v.node_operator, v.pool, o.operator_id as share
      from slashings s left join validators v using (network, validator_index)
      left join (select distinct operator_id, node_operator_id, pool_id from operator_summaries
        where network = 'mainnet' and id_type = 'poolShare' and not superseded) o
        on (o.node_operator_id, o.pool_id) = (v.node_operator, v.pool)
      where s.network = 'mainnet' order by s.slashing_epoch, s.validator_index`,
    values: [],
  });
  all = rows as Row[];
});

const list = ['slashings', 'validatorIndex'] as const;
/** `rows` are oldest first where `args` have no order. */
async function expectRows(args: string, rows: readonly Row[], size = 37) {
  const ordered = args.includes('orderBy') ? rows : rows.toReversed();
  const indices = ordered.map(({ index }) => index);
  const { data, errors } = await gateway.graphql(`{ slashings${args ? `(${args})` : ''} { totalCount } }`);
  expect(errors).toBeUndefined();
  expect(data.slashings.totalCount).toBe(indices.length);
  expect(await walkKeys(gateway, list, args, size, 'forward')).toEqual(indices);
  expect(await walkKeys(gateway, list, args, size, 'backward')).toEqual(indices);
}

describe('slashings between two epochs, days or dates', () => {
  it('are those of the range, both ends included, row by row in both directions', async () => {
    const [low, high] = [all[100]?.epoch as number, all[160]?.epoch as number];
    const within = all.filter(({ epoch }) => epoch >= low && epoch <= high);
    await expectRows(`fromEpoch: ${low}, toEpoch: ${high}`, within);
    await expectRows(
      `fromEpoch: ${low}, toEpoch: ${low}`,
      all.filter(({ epoch }) => epoch === low),
    );
    await expectRows('fromEpoch: 2147483647', []);
    const [from, to] = [chainDayOfEpoch(low), chainDayOfEpoch(high)];
    const days = all.filter(({ epoch }) => chainDayOfEpoch(epoch) >= from && chainDayOfEpoch(epoch) <= to);
    await expectRows(`fromDay: ${from}, toDay: ${to}`, days);
    await expectRows(`fromDay: 9000000, toDay: 2147483647`, []);
  });

  it('are of a UTC date by the beginning of the epoch, and within all bounds given', async () => {
    const dateOf = ({ epoch }: Row) =>
      new Date(epochStart('mainnet', epoch) * 1000).toISOString().slice(0, 10);
    const [from, to] = [dateOf(all[40] as Row), dateOf(all[300] as Row)];
    const within = all.filter((row) => dateOf(row) >= from && dateOf(row) <= to);
    await expectRows(`fromDate: "${from}", toDate: "${to}"`, within);
    await expectRows(
      `fromDate: "${to}", toDate: "${to}"`,
      all.filter((row) => dateOf(row) === to),
    );
    const high = all[200]?.epoch as number;
    await expectRows(
      `fromDate: "${from}", toEpoch: ${high}`,
      within.filter(({ epoch }) => epoch <= high),
    );
    await expectRows('toDate: "2020-11-30"', []);
    expect(await walkKeys(gateway, ['slashings', 'date'], '', 200)).toEqual(all.toReversed().map(dateOf));
  });

  it.each([
    ['fromEpoch: -1', 'fromEpoch is -1; an integer >= 0 is needed.'],
    ['toDay: -1', 'toDay is -1; an integer >= 0 is needed.'],
    ['fromEpoch: 3, toEpoch: 2', 'fromEpoch is 3, after toEpoch 2.'],
    [
      'fromDay: 3, toDay: 2, last: 0',
      'fromDay is 3, after toDay 2. last is 0; an integer from 1 to 200 is needed.',
    ],
    [
      'where: { operator: { operatorId: "x", idType: VALIDATOR } }',
      'where.operator.idType is VALIDATOR; one of DEPOSIT_ADDRESS, WITHDRAWAL_ADDRESS, NODE_OPERATOR, POOL, POOL_SHARE is needed.',
    ],
    ['where: { minPenalty: 3, maxPenalty: 2 }', 'where.minPenalty is 3, above where.maxPenalty 2.'],
  ])('refuse %s', async (args, message) => {
    const { errors } = await gateway.graphql(`{ slashings(${args}) { totalCount } }`);
    expect(errors?.[0]).toMatchObject({ message, extensions: { code: 'BAD_INPUT' } });
  });
});

describe('slashings of a filter and in an order', () => {
  const bySize = (a: Row, b: Row) => Number(BigInt(a.penalty) - BigInt(b.penalty)) || a.index - b.index;

  slow('are sorted by epoch or penalty, ties by validator index, in both directions', async () => {
    await expectRows('orderBy: { field: EPOCH, direction: ASC }', all, 150);
    await expectRows('orderBy: { field: EPOCH, direction: DESC }', all.toReversed(), 150);
    await expectRows('orderBy: { field: EPOCH }', all.toReversed(), 150);
    const sorted = all.toSorted(bySize);
    await expectRows('orderBy: { field: PENALTY, direction: ASC }', sorted, 150);
    await expectRows('orderBy: { field: PENALTY }', sorted.toReversed(), 11);
  });

  it('have penalties between two bounds, both included, of any size', async () => {
    const sorted = all.toSorted(bySize);
    const [min, max] = [sorted[50]?.penalty, sorted[250]?.penalty] as [string, string];
    const within = all.filter(
      ({ penalty }) => BigInt(penalty) >= BigInt(min) && BigInt(penalty) <= BigInt(max),
    );
    await expectRows(`where: { minPenalty: "${min}", maxPenalty: "${max}" }`, within);
    await expectRows(
      `where: { minPenalty: "${min}" }, orderBy: { field: PENALTY }`,
      sorted.slice(50).toReversed(),
      90,
    );
    await expectRows(
      `where: { maxPenalty: "${min}" }, orderBy: { field: PENALTY, direction: ASC }`,
      sorted.slice(0, 51),
    );
    await expectRows(`where: { minPenalty: "${'9'.repeat(40)}" }`, []);
    await expectRows(`where: { minPenalty: "-${'9'.repeat(40)}" }`, all, 200);
  });

  slow.each([
    ['DEPOSIT_ADDRESS', 'deposit_address'],
    ['WITHDRAWAL_ADDRESS', 'withdrawal_address'],
    ['NODE_OPERATOR', 'node_operator'],
    ['POOL', 'pool'],
    ['POOL_SHARE', 'share'],
  ] as const)('are of a %s', async (idType, column) => {
    const id = all.find((row) => row[column])?.[column];
    const rows = all.filter((row) => row[column] === id);
    expect(rows.length).toBeGreaterThan(0);
    const operator = `operator: { operatorId: ${JSON.stringify(id)}, idType: ${idType} }`;
    await expectRows(`where: { ${operator} }`, rows, 2);
    await expectRows(
      `where: { ${operator} }, orderBy: { field: PENALTY }`,
      rows.toSorted(bySize).toReversed(),
      2,
    );
    await expectRows(
      `where: { ${operator} }, toEpoch: ${rows[0]?.epoch}`,
      rows.filter(({ epoch }) => epoch <= (rows[0] as Row).epoch),
      2,
    );
    await expectRows(`where: { operator: { operatorId: "none such", idType: ${idType} } }`, []);
  });

  it('refuse a cursor of another range, filter or order, and a forged one', async () => {
    const ask = (args: string) =>
      gateway.graphql(`{ slashings(first: 1, ${args}) { pageInfo { endCursor } } }`);
    const order = 'orderBy: { field: PENALTY }';
    const cursor = (await ask(order)).data.slashings.pageInfo.endCursor;
    expect((await ask(`${order}, after: "${cursor}"`)).errors).toBeUndefined();
    for (const args of [
      '',
      'orderBy: { field: PENALTY, direction: ASC },',
      `${order}, fromEpoch: 1,`,
      `${order}, where: { minPenalty: 1 },`,
    ]) {
      const { errors } = await ask(`${args} after: "${cursor}"`);
      expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
    }
    const byPenalty: SlashingList['order'] = { field: 'penalty', ascending: false };
    const cursors = slashingCursors({ ...slashingsFrom('mainnet', 0), order: byPenalty });
    const at = (validatorIndex: number) =>
      cursors.of({ slashingPenalties: '1', validatorIndex } as SlashingRow);
    expect((await ask(`${order}, after: "${at(1)}"`)).errors).toBeUndefined();
    for (const forged of ['x', at(-1e12), at(2 ** 31), at(0.5)])
      expect((await ask(`${order}, after: "${forged}"`)).errors?.[0].extensions.code).toBe('BAD_INPUT');
  });

  it('are the last slashings with names in one document, one statement for each level', async () => {
    gateway.statements.length = 0;
    const { data, errors } = await gateway.graphql(`{
      slashings(first: 5) {
        nodes { slashingEpoch slashingPenalties validator { validatorIndex pool nodeOperator } }
      } }`);
    expect(errors).toBeUndefined();
    expect(data.slashings.nodes.map((node: any) => node.slashingEpoch)).toEqual(
      all
        .slice(-5)
        .toReversed()
        .map(({ epoch }) => epoch),
    );
    expect(gateway.statements).toEqual(['slashingPage', 'validatorsByIndex']);
  });
});

describe('slashings of private sets', () => {
  const made = async (name: string, members: readonly Row[]): Promise<string> => {
    const validators = members.map(({ index }) => `{ index: ${index} }`).join(' ');
    const { data } = await gateway.graphql(
      `mutation { createPrivateSet(input: { name: "${name}", validators: [${validators}] }) { privateSet { setId } } }`,
    );
    return data.createPrivateSet.privateSet.setId;
  };
  const PAGE =
    'totalCount nodes { validatorIndex } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

  slow(
    'are those of validators that are in them now, by dates and orders, and of all sets in one statement',
    async () => {
      const known = all.filter((row) => row.deposit_address);
      const members = known.filter((_, place) => place % 4 === 0).slice(0, 40);
      const [own, other] = [await made('slashed', members), await made('one of them', members.slice(3, 4))];
      const gone = members[0] as Row;
      await gateway.graphql(`mutation { removePrivateSetValidators(input: {
      setId: "${own}", validators: [{ index: ${gone.index} }] }) { userErrors { message } } }`);
      const expected = members.slice(1).toReversed();
      const ask = async (args: string, id = own) =>
        gateway.graphql(`{ privateSet(setId: "${id}") { slashings(${args}) { ${PAGE} } } }`);
      const walk = async (args: string, isForward: boolean) => {
        const found: number[] = [];
        for (let cursor: string | undefined; ; ) {
          const place = cursor ? `, ${isForward ? 'after' : 'before'}: "${cursor}"` : '';
          const { data } = await ask(`${args} ${isForward ? 'first' : 'last'}: 7${place}`);
          const { nodes, pageInfo, totalCount } = data.privateSet.slashings;
          found[isForward ? 'push' : 'unshift'](...nodes.map((node: any) => node.validatorIndex));
          if (!(isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) {
            expect(totalCount).toBe(found.length);
            return found;
          }
          cursor = isForward ? pageInfo.endCursor : pageInfo.startCursor;
        }
      };
      const isWithin = (from: string, to: string) => (row: Row) => {
        const date = new Date(epochStart('mainnet', row.epoch) * 1000).toISOString().slice(0, 10);
        return date >= from && date <= to;
      };
      const dates = [expected.at(-5), expected[5]].map((row) =>
        new Date(epochStart('mainnet', row?.epoch as number) * 1000).toISOString().slice(0, 10),
      ) as [string, string];
      for (const [args, rows] of [
        ['', expected],
        ['orderBy: { field: EPOCH, direction: ASC },', expected.toReversed()],
        [
          'orderBy: { field: PENALTY },',
          expected.toSorted((a, b) => Number(BigInt(b.penalty) - BigInt(a.penalty)) || b.index - a.index),
        ],
        [`fromDate: "${dates[0]}", toDate: "${dates[1]}",`, expected.filter(isWithin(...dates))],
        [`toDate: "2020-11-30",`, []],
      ] as const) {
        const indices = rows.map(({ index }) => index);
        expect(await walk(args, true), args).toEqual(indices);
        expect(await walk(args, false), args).toEqual(indices);
      }
      gateway.statements.length = 0;
      const { data } = await gateway.graphql(
        `{ privateSets(first: 2) { nodes { setId slashings(first: 2) { ${PAGE} } } } }`,
      );
      expect(gateway.statements).toEqual(['setPage', 'setSlashingPages', 'setSlashingTotals']);
      expect(
        data.privateSets.nodes.map(({ setId, slashings }: any) => [setId, slashings.totalCount]),
      ).toEqual([
        [other, 1],
        [own, 39],
      ]);
      const [{ slashings }] = data.privateSets.nodes;
      const { errors } = await ask(`after: "${slashings.pageInfo.endCursor}"`);
      expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
      const backwards = await ask('fromDate: "2025-02-02", toDate: "2025-02-01"');
      expect(backwards.errors?.[0].message).toBe('fromDate is 2025-02-02, after toDate 2025-02-01.');
    },
  );

  slow('are found by keys: a page of a set of 15,000 reads its slashings, not its members', async () => {
    const database = await createDatabase('empty');
    await database.pool.query({
      text: `with account as (insert into accounts (name, tier) values ('large', 'enterprise') returning account_id),
        made as (
          insert into private_sets (set_id, account_id, network, name, created_by, created_at, updated_at)
          select '00000000-0000-4000-8000-000000000001', account_id, 'mainnet', 'large', 'x', now(), now() from account
          returning set_id
        )
        insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
        select set_id, i, '0x' || i, now(), '-infinity' from made, generate_series(1, 15000) i`,
      values: [],
    });
    await database.pool.query({
      text: `insert into slashings (network, validator_index, validator_pubkey, slashing_epoch, withdrawable_epoch,
          balance_before_slashing, balance_before_withdrawal, slashing_penalties)
        select 'mainnet', 20 * i, '0x' || i, i, i + 8192, 32, 31, 1 from generate_series(1, 1000) i`,
      values: [],
    });
    await database.pool.query({ text: 'vacuum analyze private_set_members', values: [] });
    await database.pool.query({ text: 'vacuum analyze slashings', values: [] });
    let blocks = 0;
    const db: Pick<Pool, 'query'> = {
      async query({ text, values }) {
        const explained = { text: `explain (analyze, buffers, format json) ${text}`, values };
        blocks = blocksIn((await database.pool.query(explained)).rows);
        return { rows: [] };
      },
    };
    const set = { network: 'mainnet', id: '00000000-0000-4000-8000-000000000001' } as const;
    const list = {
      epochs: { first: 0, last: 2 ** 31 - 1 },
      order: { field: 'epoch', ascending: false },
    } as const;
    await setSlashingPages(db, [set], list, { limit: 20 });
    expect(blocks).toBeGreaterThan(0);
    expect(blocks).toBeLessThan(5_000); // 1,000 slashings, each looked up by its key
    await database.drop();
  });
});

describe('a page of 20,000 slashings', () => {
  slow.each([true, false])('reads its own rows alone, wherever it lies: ascending %s', async (ascending) => {
    const database = await createDatabase('empty');
    const served = createPool({ url: database.url, readOnly: true, max: 1, prepared: true });
    await database.pool.query({
      text: `insert into slashings (network, validator_index, validator_pubkey, slashing_epoch, withdrawable_epoch,
          balance_before_slashing, balance_before_withdrawal, slashing_penalties)
        select 'mainnet', i, '0x' || i, i, i + 8192, 32, 31, 1 from generate_series(1, 20000) i`,
      values: [],
    });
    await database.pool.query({ text: 'vacuum analyze slashings', values: [] });
    const list = { ...slashingsFrom('mainnet', 0), order: { field: 'epoch', ascending } as const };
    let blocks = 0;
    const db: Pick<Pool, 'query'> = {
      async query({ text, values }) {
        blocks = blocksIn(
          (await served.query({ text: `explain (analyze, buffers, format json) ${text}`, values })).rows,
        );
        return { rows: [] };
      },
    };
    await slashingPage(db, list, { limit: 10, after: { at: 10_000, validatorIndex: 10_000 } });
    await served.end();
    await database.drop();
    expect(blocks).toBeGreaterThan(0);
    expect(blocks).toBeLessThan(20);
  });
});
