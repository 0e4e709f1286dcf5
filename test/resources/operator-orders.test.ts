import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { operatorImporter } from '../../src/ingest/importers/operators.ts';
import { loadRows } from '../../src/ingest/merge/load-rows.ts';
import { operatorOrders } from '../../src/resources/operators/queries.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';
import { byOrder, walkOrdered } from '../support/ordered.ts';
import { sampleOperators } from '../support/sample.ts';
import { every, runs, slow } from '../support/thorough.ts';
import { walkCursor, walkNext } from '../support/walk.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});

const enumOf = (value: string) => value.replace(/[A-Z]/g, '_$&').toUpperCase();
const directions = ['ASC', 'DESC'] as const;
const classes = { POOL: 'pool', POOL_SHARE: 'poolShare', DEPOSIT_ADDRESS: 'depositAddress' } as const;
type Class = keyof typeof classes;

/** Every row of the list as REST has it, in its order. */
const known = new Map<string, Promise<any[]>>();
const allRows = (query: string): Promise<any[]> => {
  let rows = known.get(query);
  if (!rows) known.set(query, (rows = walkNext(gateway, `/v0/eth/operators?window=7d&size=200&${query}`)));
  return rows;
};
const ofClass = (name: Class) => allRows(`idType=${classes[name]}`);

/** With the figures that REST does not have: the missed blocks, and the changes over the window. */
async function withFigures(idType: Class): Promise<any[]> {
  const figures = `networkPenetration validatorCount avgValidatorEffectiveness aprPercentage
    sumEndEpochEffectiveBalance`;
  const query = `query ($cursor: String) { operators(window: SEVEN_DAYS, idType: ${idType}, first: 200, after: $cursor) {
    edges { node { operatorId summary(window: SEVEN_DAYS) { missedProposalCount change(over: SEVEN_DAYS) { ${figures} } } } }
    pageInfo { hasNextPage endCursor } } }`;
  const nodes = await walkCursor(gateway, 'operators', query, 'forward', {});
  const summaries = new Map(nodes.map(({ operatorId, summary }) => [operatorId, summary]));
  return (await ofClass(idType)).map((row) => {
    const { change, missedProposalCount } = summaries.get(row.id);
    const added = figures
      .split(/\s+/)
      .map((name) => [`${name}Change`, change?.[name] == null ? null : Number(change[name])]);
    return { ...row, missedProposalCount: Number(missedProposalCount), ...Object.fromEntries(added) };
  });
}

/**
 * The value to order by. For network penetration it is the place in the list, because operators with equal penetration
 * are ordered by their validators.
 */
const orderedBy = (field: string, rows: any[]) => (row: any) =>
  field === 'networkPenetration'
    ? row.networkPenetration === null
      ? null
      : -rows.indexOf(row)
    : field === 'operatorId'
      ? 0
      : row[field];
const expected = (rows: any[], field: string, direction: 'ASC' | 'DESC') => {
  const ranked = field === 'networkPenetration' ? rows.toReversed() : rows;
  const key = field === 'networkPenetration' ? (row: any) => ranked.indexOf(row) : (row: any) => row.id;
  return byOrder(rows, orderedBy(field, rows), key, direction).map((row) => row.id);
};

const page = (
  args: string,
) => `query (${args.includes('$size') ? '$size: Int, ' : ''}${args.includes('$cursor') ? '$cursor: String, ' : ''}$where: OperatorWhere) {
  operators(window: SEVEN_DAYS, where: $where, ${args}) {
    totalCount edges { cursor node { operatorId } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;
const ids = async (
  args: string,
  size: number,
  direction: 'forward' | 'backward',
  where: object | null = null,
) =>
  (await walkOrdered(gateway, 'operators', page, args, { size, direction, where })).map(
    (node) => node.operatorId,
  );

describe('operators(orderBy:)', () => {
  const cases = Object.keys(classes).flatMap((idType) =>
    operatorOrders.flatMap((field) =>
      directions.map((direction) => ({ idType: idType as Class, field, direction })),
    ),
  );

  it.each(every(7, cases))(
    'gives each row once, both ways, null last: $idType $field $direction',
    async ({ idType, field, direction }) => {
      const isInRest = !field.endsWith('Change') && field !== 'missedProposalCount';
      const rows = await (isInRest ? ofClass : withFigures)(idType);
      if (field !== 'operatorId') expect(new Set(rows.map((row) => row[field])).size).toBeGreaterThan(5);
      const order = expected(rows, field, direction);
      const args = `idType: ${idType}, orderBy: {field: ${enumOf(field)}, direction: ${direction}}`;
      const size = rows.length > 100 ? 200 : 7;
      expect(await ids(args, size, 'forward')).toEqual(order);
      expect(await ids(args, size, 'backward')).toEqual(order);
    },
  );

  it('has rows without a value, which come last in either direction', async () => {
    const rows = await ofClass('DEPOSIT_ADDRESS');
    const without = rows.filter((row) => row.aprPercentage === null).length;
    expect(without).toBeGreaterThan(0);
    for (const direction of directions) {
      const { data } = await gateway.graphql(
        `{ operators(window: SEVEN_DAYS, orderBy: {field: APR_PERCENTAGE, direction: ${direction}}, last: ${without + 1})
          { nodes { summary(window: SEVEN_DAYS) { aprPercentage } } } }`,
      );
      const values = data.operators.nodes.map((node: any) => node.summary.aprPercentage);
      expect(values.slice(1)).toEqual(Array(without).fill(null));
      expect(values[0]).not.toBeNull();
    }
  });

  it('is largest first by default, and by network penetration the list as it is', async () => {
    const read = async (orderBy: string) =>
      (await gateway.graphql(`{ operators(window: ALL, first: 200${orderBy}) { nodes { operatorId } } }`))
        .data;
    expect(await read(', orderBy: {field: NETWORK_PENETRATION}')).toEqual(await read(''));
    const { data } = await gateway.graphql(
      '{ operators(window: ALL, idType: POOL, orderBy: {field: VALIDATOR_COUNT}) { nodes { summary(window: ALL) { validatorCount } } } }',
    );
    const counts = data.operators.nodes.map((node: any) => node.summary.validatorCount);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
  });

  it('orders by the figures of the window, of each network', async () => {
    const query = `query ($network: Network) { operators(network: $network, window: ONE_DAY, idType: NODE_OPERATOR,
      orderBy: {field: AVG_VALIDATOR_EFFECTIVENESS, direction: ASC}, first: 200) { nodes { operatorId } } }`;
    for (const network of ['mainnet', 'hoodi']) {
      const { json } = await gateway.get('/v0/eth/operators?window=1d&idType=nodeOperator&size=200', {
        'x-service-network': network,
      });
      const { data } = await gateway.graphql(query, { network: network.toUpperCase() });
      const found = data.operators.nodes.map((node: any) => node.operatorId);
      expect(found).toEqual(expected(json.data, 'avgValidatorEffectiveness', 'ASC'));
    }
  });

  slow(
    'tells who missed most blocks of the newest day, in one statement; imported summaries have none and come last',
    async () => {
      const query = `{ operators(window: ONE_DAY, idType: POOL, first: 200, orderBy: {field: MISSED_PROPOSAL_COUNT}) { nodes {
      operatorId summary(window: ONE_DAY) { missedProposalCount proposerDutyCount }
      proposals(first: 1) { nodes { missedProposalCount proposerDutyCount } } } } }`;
      const { data } = await gateway.graphql(query);
      const nodes: any[] = data.operators.nodes;
      const missed = nodes.map(({ summary }) => Number(summary.missedProposalCount));
      expect(missed).toEqual(missed.toSorted((a, b) => b - a));
      expect(missed[0]).toBeGreaterThan(0);
      const known = nodes.filter(({ proposals }) => proposals.nodes.length > 0);
      expect(known.length).toBeGreaterThan(0);
      for (const { summary, proposals } of known) expect(proposals.nodes).toEqual([summary]);
      const alone = query.replace(/proposals\(.*\} \}(?= \} \} \})/s, '');
      expect((await gateway.ask(alone)).statements).toEqual(['operatorsByOrder']);
      const { operatorId } = nodes[0];
      const { json } = await gateway.get('/v0/eth/operators?window=1d&idType=pool&size=200');
      const rows = json.data.filter((row: any) => row.id === operatorId);
      await transaction(gateway.database.pool, (client) =>
        loadRows(
          client,
          operatorImporter,
          rows.map((row: any) => ({
            ...row,
            network: 'mainnet',
            poolId: null,
            nodeOperatorId: null,
            aprPercentage: 1,
          })),
        ),
      );
      const after = (await gateway.graphql(query)).data.operators.nodes;
      expect(after.at(-1)).toMatchObject({
        operatorId,
        summary: { missedProposalCount: null, proposerDutyCount: null },
      });
    },
  );

  it('orders the shares of a parent and pools of a type too', async () => {
    const pool = (await ofClass('POOL'))[0].id;
    const shares = await allRows(`parentId=${encodeURIComponent(pool)}`);
    const args = `parentId: ${JSON.stringify(pool)}, orderBy: {field: APR_PERCENTAGE, direction: ASC}`;
    expect(await ids(args, 3, 'forward')).toEqual(expected(shares, 'aprPercentage', 'ASC'));
    const exchanges = await allRows('idType=pool&poolType=cex');
    expect(await ids('idType: POOL, poolType: CEX, orderBy: {field: OPERATOR_ID}', 3, 'backward')).toEqual(
      expected(exchanges, 'operatorId', 'DESC'),
    );
  });

  it('goes on from any cursor as the whole list does, in each direction', async () => {
    const args = 'idType: POOL_SHARE, orderBy: {field: APR_PERCENTAGE, direction: DESC}';
    const all: { cursor: string; node: any }[] = [];
    for (let cursor: string | null = null; ; ) {
      const { data }: any = await gateway.graphql(page(`${args}, first: 200, after: $cursor`), { cursor });
      all.push(...data.operators.edges);
      if (!data.operators.pageInfo.hasNextPage) break;
      cursor = data.operators.pageInfo.endCursor;
    }
    const place = fc.option(fc.nat(all.length - 1));
    await fc.assert(
      fc.asyncProperty(
        place,
        place,
        fc.integer({ min: 1, max: 200 }),
        fc.boolean(),
        async (a, b, size, isLast) => {
          const quoted = (at: number | null) => JSON.stringify(at === null ? null : all[at]?.cursor);
          const { data } = await gateway.graphql(
            page(`${args}, after: ${quoted(a)}, before: ${quoted(b)}, ${isLast ? 'last' : 'first'}: ${size}`),
          );
          const between = all.slice(a === null ? 0 : a + 1, b ?? all.length);
          const rows = isLast ? between.slice(-size) : between.slice(0, size);
          expect(data.operators.edges).toEqual(rows);
          const more = between.length > size;
          expect(data.operators.pageInfo[isLast ? 'hasPreviousPage' : 'hasNextPage']).toBe(more);
        },
      ),
      { ...runs(60), endOnFailure: true },
    );
  });
});

describe('operators(where:)', () => {
  const labels = (row: any) => row.operatorTags.map((tag: any) => tag.name);
  const has = (row: any, part: string) =>
    [row.id, row.displayName ?? ''].some((text) => text.toLowerCase().includes(part.toLowerCase()));
  const filters: [object, (row: any) => boolean][] = [
    [{ minValidators: 20 }, (row) => row.validatorCount >= 20],
    [{ maxValidators: 20 }, (row) => row.validatorCount <= 20],
    [{ minValidators: 5, maxValidators: 50 }, (row) => row.validatorCount >= 5 && row.validatorCount <= 50],
    [{ minApr: 3 }, (row) => row.aprPercentage !== null && row.aprPercentage >= 3],
    [{ maxApr: 3 }, (row) => row.aprPercentage !== null && row.aprPercentage <= 3],
    [{ minEffectiveness: 98.5 }, (row) => row.avgValidatorEffectiveness >= 98.5],
    [
      { maxEffectiveness: 98.5, minValidators: 1 },
      (row) => row.avgValidatorEffectiveness <= 98.5 && row.validatorCount >= 1,
    ],
    [{ minStake: '3200000000000' }, (row) => (row.sumEndEpochEffectiveBalance ?? 0) >= 3200000000000],
    [{ maxStake: '3200000000000' }, (row) => (row.sumEndEpochEffectiveBalance ?? 4e12) <= 3200000000000],
    [{ minStake: '9'.repeat(40) }, () => false],
    [
      { tags: ['exchange', 'liquid staking'] },
      (row) => labels(row).some((name: string) => ['exchange', 'liquid staking'].includes(name)),
    ],
    [{ tags: ['nobody has this'] }, () => false],
    [{ name: 'pool A' }, (row) => has(row, 'pool a')],
    [{ name: '%' }, (row) => has(row, '%')],
  ];

  it.each(filters)('%j gives what a filter of all rows gives, in each order', async (where, fits) => {
    const at = filters.findIndex(([each]) => each === where);
    const named = (Object.keys(classes) as Class[]).filter(
      (idType) => !('name' in where && idType === 'DEPOSIT_ADDRESS'),
    );
    for (const idType of every(named.length, named, at)) {
      const rows = (await ofClass(idType)).filter(fits);
      const size = rows.length > 100 ? 200 : 7;
      const { data } = await gateway.graphql(page(`idType: ${idType}`), { where });
      expect(data.operators.totalCount).toBe(rows.length);
      expect(await ids(`idType: ${idType}`, size, 'forward', where)).toEqual(rows.map((row) => row.id));
      const order = 'orderBy: {field: AVG_VALIDATOR_EFFECTIVENESS, direction: ASC}';
      const sorted = expected(rows, 'avgValidatorEffectiveness', 'ASC');
      expect(await ids(`idType: ${idType}, ${order}`, size, 'forward', where)).toEqual(sorted);
      expect(await ids(`idType: ${idType}, ${order}`, size, 'backward', where)).toEqual(sorted);
    }
  });

  it('filters within a parent; without any condition it is the list itself', async () => {
    const pool = (await ofClass('POOL'))[0].id;
    const shares = (await allRows(`parentId=${encodeURIComponent(pool)}`)).filter(
      (row) => row.validatorCount >= 10,
    );
    expect(await ids(`parentId: ${JSON.stringify(pool)}`, 2, 'forward', { minValidators: 10 })).toEqual(
      shares.map((row) => row.id),
    );
    expect(
      await ids(`parentId: ${JSON.stringify(pool)}`, 2, 'forward', { minValidators: 100_000_000 }),
    ).toEqual([]);
    gateway.statements.length = 0;
    await gateway.graphql(page('idType: POOL'), { where: { minValidators: null } });
    expect(gateway.statements).toEqual(['operatorPages']);
  });
});

describe('statements of ordered and filtered lists', () => {
  const count = async (query: string) => (await gateway.ask(query)).statements;

  it.each([1, 15, 200])('are one for a page of %i, with its total too', async (first) => {
    const list = `operators(window: SEVEN_DAYS, first: ${first}, orderBy: {field: APR_PERCENTAGE}`;
    expect(await count(`{ ${list}) { nodes { operatorId } } }`)).toEqual(['operatorsByOrder']);
    expect(await count(`{ ${list}) { totalCount nodes { operatorId } } }`)).toEqual(['operatorsByOrder']);
    const filtered = `${list}, where: {minValidators: 2, tags: ["professional"]})`;
    expect(
      await count(`{ ${filtered} { totalCount nodes { id summary(window: SEVEN_DAYS) { avgUptime } } } }`),
    ).toEqual(['operatorsByOrder']);
  });

  it('are one for several lists of one order', async () => {
    const list = (idType: string, where: string) =>
      `${idType.toLowerCase()}: operators(window: SEVEN_DAYS, idType: ${idType}, first: 5, where: ${where},
        orderBy: {field: APR_PERCENTAGE}) { totalCount nodes { operatorId } }`;
    const query = `{ ${list('POOL', '{minValidators: 5, tags: ["exchange"]}')} ${list('NODE_OPERATOR', '{maxValidators: 5}')} }`;
    expect(await count(query)).toEqual(['operatorsByOrder']);
    const { data } = await gateway.graphql(query);
    const { data: alone } = await gateway.graphql(
      `{ ${list('POOL', '{minValidators: 5, tags: ["exchange"]}')} }`,
    );
    expect(data.pool).toEqual(alone.pool);
    expect(data.node_operator.totalCount).toBeGreaterThan(0);
  });
});

describe('refusals of orderBy and where', () => {
  const refused: [string, (string | number)[], RegExp][] = [
    ['idType: POOL, where: {name: ""}', ['argument', 'where', 'name'], /^where.name is empty/],
    [`idType: POOL, where: {name: "${'x'.repeat(257)}"}`, ['argument', 'where', 'name'], /at most 256/],
    ['where: {name: "0xab"}', ['argument', 'where', 'name'], /not for idType DEPOSIT_ADDRESS/],
    ['where: {tags: []}', ['argument', 'where', 'tags'], /has 0 names; 1 to 20/],
    [`where: {tags: ${JSON.stringify(Array(21).fill('a'))}}`, ['argument', 'where', 'tags'], /has 21 names/],
    [
      'where: {minValidators: 2, maxValidators: 1}',
      ['argument', 'where', 'minValidators'],
      /no row is within both/,
    ],
    ['where: {minApr: 2, maxApr: 1.5}', ['argument', 'where', 'minApr'], /no row is within both/],
    ['idType: PRIVATE_SET, orderBy: {field: APR_PERCENTAGE}', ['argument', 'orderBy'], /PRIVATE_SET/],
    ['idType: PRIVATE_SET, where: {minValidators: 1}', ['argument', 'where'], /PRIVATE_SET/],
    ['orderBy: {field: APR_PERCENTAGE}, first: 201', ['argument', 'first'], /1 to 200/],
  ];

  it.each(refused)('name the argument: %s', async (args, loc, msg) => {
    const { errors } = await gateway.graphql(`{ operators(window: SEVEN_DAYS, ${args}) { totalCount } }`);
    expect(errors?.[0].extensions).toMatchObject({ code: 'BAD_INPUT', faults: [{ loc }] });
    expect(errors?.[0].message).toMatch(msg);
  });

  it('are those of an unknown parent, and of a cursor of another order, direction or filter', async () => {
    const asked = (args: string) =>
      gateway.graphql(`{ operators(window: SEVEN_DAYS, idType: POOL, ${args}) { pageInfo { endCursor } } }`);
    const unknown = await asked('parentId: "nobody", orderBy: {field: APR_PERCENTAGE}');
    expect(unknown.errors?.[0].extensions.code).toBe('NOT_FOUND');
    const { data } = await asked('first: 2, orderBy: {field: APR_PERCENTAGE}, where: {minValidators: 1}');
    const after = JSON.stringify(data.operators.pageInfo.endCursor);
    for (const other of [
      'orderBy: {field: APR_PERCENTAGE}',
      'orderBy: {field: APR_PERCENTAGE, direction: ASC}, where: {minValidators: 1}',
      'orderBy: {field: VALIDATOR_COUNT}, where: {minValidators: 1}',
      'orderBy: {field: APR_PERCENTAGE}, where: {minValidators: 2}',
      'first: 2',
    ]) {
      const { errors } = await asked(`${other}, after: ${after}`);
      expect(errors?.[0].extensions).toMatchObject({
        code: 'BAD_INPUT',
        faults: [{ loc: ['argument', 'after'] }],
      });
    }
  });
});

describe('lists that were stored before a figure was known', () => {
  slow.each([
    ['0079_operator_missed_blocks', 'missedProposalCount', 'missed_proposal_count = null'],
    [
      '0081_operator_stake_changes',
      'sumEndEpochEffectiveBalanceChange',
      'sum_end_epoch_effective_balance_change_7d = null',
    ],
  ])('have the order of %s too, by the ids alone', async (migration, order, forgets) => {
    const own = await gatewayForTest({ template: 'sample' });
    const text = await readFile(`src/db/migrations/${migration}.sql`, 'utf8');
    const [insert] = /insert into operator_orders[\s\S]*?;/.exec(text) as RegExpExecArray;
    for (const statement of [
      `delete from operator_orders where ordered_by = '${order}'`,
      `update operator_summaries set ${forgets}`,
      insert,
    ])
      await own.database.pool.query({ text: statement, values: [] });
    const { data } = await own.graphql(`{ operators(window: SEVEN_DAYS, idType: POOL_SHARE, first: 200,
      orderBy: { field: ${enumOf(order)}, direction: ASC }) { totalCount nodes { operatorId
        summary(window: SEVEN_DAYS) { missedProposalCount change(over: SEVEN_DAYS) { sumEndEpochEffectiveBalance } } } } }`);
    const ids = data.operators.nodes.map(({ operatorId }: any) => operatorId);
    expect(ids).toHaveLength(200);
    expect(ids).toEqual(
      ids.toSorted((a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    const [{ summary }] = data.operators.nodes;
    if (order === 'missedProposalCount') expect(summary.missedProposalCount).toBeNull();
    else expect(summary.change?.sumEndEpochEffectiveBalance ?? null).toBeNull();
  });
});

describe('a walk in a stored order', () => {
  slow('goes on over the rows it began with after an import replaced them', async () => {
    const rows = await ofClass('POOL');
    const args = 'idType: POOL, orderBy: {field: APR_PERCENTAGE, direction: ASC}, first: 20';
    const first = (await gateway.graphql(page(args))).data.operators;
    const changed = [...sampleOperators()].filter(
      (row) => row.network === 'mainnet' && row.idType === 'pool' && row.timeWindow === '7d',
    );
    await transaction(gateway.database.pool, (client) =>
      loadRows(
        client,
        operatorImporter,
        changed.map((row) => ({ ...row, aprPercentage: 9 - (row.aprPercentage ?? 0) })),
      ),
    );
    const cursor = first.pageInfo.endCursor;
    const second = (await gateway.graphql(page(`${args}, after: $cursor`), { cursor })).data.operators;
    const walked = [...first.edges, ...second.edges].map((edge: any) => edge.node.operatorId);
    expect(walked).toEqual(expected(rows, 'aprPercentage', 'ASC'));
    const anew = (await gateway.graphql(page(args))).data.operators;
    expect(anew.edges).not.toEqual(first.edges);
  });
});
