import { beforeAll, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';
import { walkKeys } from '../support/walk.ts';

const gateway = useGateway();

type Row = { index: number; activation: number | null; exit: number | null; slashed: boolean } & Record<
  'deposit_address' | 'withdrawal_address' | 'node_operator' | 'pool' | 'share',
  string | null
>;

/** All validators by index. */
let all: Row[];
beforeAll(async () => {
  const { rows } = await gateway.database.pool.query({
    text: `select v.validator_index as index, v.activation_epoch as activation, v.exit_epoch as exit, v.slashed,
        v.deposit_address, v.withdrawal_address, v.node_operator, v.pool, o.operator_id as share
      from validators v
      left join (select distinct operator_id, node_operator_id, pool_id from operator_summaries
        where network = 'mainnet' and id_type = 'poolShare' and not superseded) o
        on (o.node_operator_id, o.pool_id) = (v.node_operator, v.pool)
      where v.network = 'mainnet' order by v.validator_index`,
    values: [],
  });
  all = rows as Row[];
});

const list = ['validators', 'validatorIndex'] as const;
async function expectRows(args: string, rows: readonly Row[], size = 200) {
  const indices = rows.map(({ index }) => index);
  const { data, errors } = await gateway.graphql(`{ validators(${args || 'first: 1'}) { totalCount } }`);
  expect(errors).toBeUndefined();
  expect(data.validators.totalCount).toBe(indices.length);
  expect(await walkKeys(gateway, list, args, size, 'forward')).toEqual(indices);
  expect(await walkKeys(gateway, list, args, size, 'backward')).toEqual(indices);
}
const ask = (args: string, select = 'totalCount nodes { validatorIndex }') =>
  gateway.graphql(`{ validators(${args}) { ${select} } }`);

describe('validators', () => {
  slow('are all listed by index, in both directions', async () => {
    await expectRows('', all);
    await expectRows('orderBy: { field: INDEX }', all.toReversed());
    const { rows } = await gateway.database.pool.query({
      text: `select count(*)::int as total from validators where network = 'hoodi'`,
      values: [],
    });
    expect((await ask('network: HOODI')).data.validators.totalCount).toBe(rows[0]?.total);
  });

  slow.each([
    ['ACTIVATION_EPOCH', 'activation'],
    ['EXIT_EPOCH', 'exit'],
  ] as const)('are sorted by %s, those without one last, within two epochs', async (field, name) => {
    const at = (row: Row) => row[name] ?? 2 ** 31 - 1;
    const sorted = all.toSorted((a, b) => at(a) - at(b) || a.index - b.index);
    await expectRows(`orderBy: { field: ${field}, direction: ASC }`, sorted);
    await expectRows(`orderBy: { field: ${field} }`, sorted.toReversed());
    const known = sorted.filter((row) => row[name] !== null);
    const [low, high] = [known[Math.floor(known.length / 3)], known.at(-3)].map((row) => at(row as Row)) as [
      number,
      number,
    ];
    const within = sorted.filter((row) => at(row) >= low && at(row) <= high);
    await expectRows(
      `orderBy: { field: ${field}, direction: ASC }, fromEpoch: ${low}, toEpoch: ${high}`,
      within,
    );
    const slashed = within.filter((row) => row.slashed);
    await expectRows(
      `orderBy: { field: ${field} }, fromEpoch: ${low}, toEpoch: ${high}, where: { slashed: true }`,
      slashed.toReversed(),
    );
  });

  it.each([true, false])('are slashed: %s', async (slashed) => {
    const rows = all.filter((row) => row.slashed === slashed);
    expect(rows.length).toBeGreaterThan(0);
    await expectRows(`where: { slashed: ${slashed} }`, rows);
  });

  slow.each([
    ['DEPOSIT_ADDRESS', 'deposit_address'],
    ['WITHDRAWAL_ADDRESS', 'withdrawal_address'],
    ['NODE_OPERATOR', 'node_operator'],
    ['POOL', 'pool'],
    ['POOL_SHARE', 'share'],
  ] as const)('are of a %s', async (idType, column) => {
    const id = all.find((row) => row[column] && row.slashed)?.[column];
    const rows = all.filter((row) => row[column] === id);
    const operator = `operator: { operatorId: ${JSON.stringify(id)}, idType: ${idType} }`;
    await expectRows(`where: { ${operator} }`, rows, 61);
    await expectRows(`where: { ${operator} }, orderBy: { field: INDEX }`, rows.toReversed(), 61);
    await expectRows(
      `where: { ${operator}, slashed: true }`,
      rows.filter((row) => row.slashed),
      3,
    );
    await expectRows(
      `where: { ${operator}, slashed: false }`,
      rows.filter((row) => !row.slashed),
    );
    await expectRows(`where: { operator: { operatorId: "none such", idType: ${idType} } }`, []);
  });

  it('are listed by indices in the order asked for, without unknown ones, in one statement', async () => {
    const indices = [all[7], all[2], all.at(-1), all[5]].map((row) => row?.index);
    gateway.statements.length = 0;
    const { data, json } = await ask(
      `indices: [${indices.slice(0, 3)}, 2147483647, ${indices[3]}]`,
      'totalCount nodes { validatorIndex } pageInfo { hasNextPage hasPreviousPage }',
    );
    expect(gateway.statements).toEqual(['validatorsByIndex']);
    expect(data.validators).toEqual({
      totalCount: 4,
      nodes: indices.map((validatorIndex) => ({ validatorIndex })),
      pageInfo: { hasNextPage: false, hasPreviousPage: false },
    });
    expect(json.extensions.cost).toMatchObject({ estimated: 10, charged: 9 });
    expect((await ask('indices: []')).data.validators).toEqual({ totalCount: 0, nodes: [] });
    const many = all.slice(0, 200).map(({ index }) => index);
    const found = await ask(`indices: [${many.toReversed()}]`);
    expect(found.data.validators.nodes.map((node: any) => node.validatorIndex)).toEqual(many.toReversed());
    expect(found.json.extensions.cost).toMatchObject({ estimated: 205, charged: 205 });
  });

  it('are read in one statement, two with totalCount', async () => {
    for (const [select, expected] of [
      ['nodes { validatorIndex slashed }', ['validatorPage']],
      ['totalCount nodes { validatorIndex }', ['validatorPage', 'validatorTotal']],
    ] as const) {
      gateway.statements.length = 0;
      await ask('where: { slashed: true }, first: 200', select);
      expect(gateway.statements.toSorted()).toEqual(expected);
    }
  });

  it.each([
    ['indices: [-1]', 'indices has -1; integers >= 0 are needed.'],
    [
      `indices: [${Array.from({ length: 201 }, (_, at) => at)}]`,
      'indices has 201 entries; at most 200 are accepted.',
    ],
    ['indices: [1], first: 1', 'indices cannot be given together with first; give one.'],
    ['indices: [1], where: {}', 'indices cannot be given together with where; give one.'],
    ['fromEpoch: 1', 'fromEpoch needs orderBy by ACTIVATION_EPOCH or EXIT_EPOCH.'],
    ['orderBy: { field: EXIT_EPOCH }, fromEpoch: 2, toEpoch: 1', 'fromEpoch is 2, after toEpoch 1.'],
    [
      'orderBy: { field: EXIT_EPOCH }, toEpoch: -1, first: 0',
      'toEpoch is -1; an integer >= 0 is needed. first is 0; an integer from 1 to 200 is needed.',
    ],
    [
      'orderBy: { field: EXIT_EPOCH }, where: { operator: { operatorId: "x", idType: POOL } }',
      'orderBy by an epoch cannot be given together with where.operator.',
    ],
    ['where: { operator: { operatorId: "", idType: POOL } }', 'where.operator.operatorId is empty.'],
  ])('refuse %s', async (args, message) => {
    const { errors } = await ask(args);
    expect(errors?.[0]).toMatchObject({ message, extensions: { code: 'BAD_INPUT' } });
  });

  it('refuse a cursor of another filter or order', async () => {
    const cursor = (await ask('first: 1', 'pageInfo { endCursor }')).data.validators.pageInfo.endCursor;
    expect((await ask(`first: 1, after: "${cursor}"`)).errors).toBeUndefined();
    for (const args of [
      'where: { slashed: true }',
      'orderBy: { field: INDEX }',
      'orderBy: { field: EXIT_EPOCH, direction: ASC }',
      'network: HOODI',
    ])
      expect((await ask(`${args}, first: 1, after: "${cursor}"`)).errors?.[0].extensions.code).toBe(
        'BAD_INPUT',
      );
  });
});

describe('Slashing.operators', () => {
  it('are those of the slashed validator, in one statement for all', async () => {
    gateway.statements.length = 0;
    const { data, errors } = await gateway.graphql(`{
      slashings(first: 20, orderBy: { field: EPOCH }) { nodes {
        slashingEpoch slashingPenalties operators { idType operatorId displayName } validator { validatorIndex operators { operatorId } }
      } } }`);
    expect(errors).toBeUndefined();
    expect(gateway.statements).toEqual(['slashingPage', 'validatorsByIndex', 'operatorsById']);
    expect(data.slashings.nodes.some((node: any) => node.operators.length > 1)).toBe(true);
    for (const { operators, validator } of data.slashings.nodes)
      expect(operators.map((one: any) => one.operatorId)).toEqual(
        (validator?.operators ?? []).map((one: any) => one.operatorId),
      );
  });
});
