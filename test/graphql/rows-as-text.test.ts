import { type ExecutionResult, execute, type GraphQLObjectType, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Context } from '../../src/context.ts';
import { readsOf } from '../../src/db/changes/datasets.ts';
import { compiledQueries } from '../../src/graphql/run/compiled-queries.ts';
import { schema } from '../../src/graphql/run/schema.ts';
import { jsonPieces } from '../../src/kernel/json-text.ts';
import { contextOn } from '../support/context.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';

// PostgreSQL may return a row as one text. A caller then gets the same as from graphql-js, which reads columns.

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('sample');
});
afterAll(() => database.drop());

const run = (text: string, values: unknown[] = []) => database.pool.query({ text, values });

/**
 * The responses to a query by graphql-js and compiled, and the statements of the compiled one. `written` are those that
 * write rows as JSON.
 */
async function bothWays(query: string, variables: Record<string, unknown> = {}) {
  const statements: string[] = [];
  const watched: Context['db'] = {
    query(statement) {
      statements.push(statement.text);
      return database.pool.query(statement);
    },
  };
  const find = compiledQueries();
  find(query, null);
  const compiled = find(query, null);
  if (!compiled) throw new Error('The query is not compiled.');
  const contextValue = contextOn(database.pool);
  const plain = await execute({ schema, document: parse(query), variableValues: variables, contextValue });
  const context = contextOn(database.pool, watched);
  const result = await compiled.run(context, variables);
  const text = jsonPieces({ data: result.data }).join('');
  const nameOf = (statement: string) => /\/\* (\w+) \*\//.exec(statement)?.[1];
  return {
    plain,
    result,
    text,
    datasets: statements.flatMap((statement) => readsOf(statement).datasets),
    charged: [contextValue.metering.charged, context.metering.charged],
    statements: statements.map(nameOf),
    written: statements.filter((statement) => statement.includes('as "text"')).map(nameOf),
  };
}

/** Errors have no order of their own: fields of one level fail when they fail. */
const sorted = ({ errors = [] }: ExecutionResult) =>
  errors.map((error) => error.toJSON()).toSorted((a, b) => (String(a.path) < String(b.path) ? -1 : 1));

/** Checks that both ways give the same response, and that these statements write rows as JSON. */
async function expectAlike(query: string, written: string[], variables?: Record<string, unknown>) {
  const both = await bothWays(query, variables);
  expect(JSON.parse(both.text)).toEqual(JSON.parse(JSON.stringify({ data: both.plain.data })));
  expect(JSON.stringify(Object.keys(JSON.parse(both.text).data))).toBe(
    JSON.stringify(Object.keys(both.plain.data as object)),
  );
  expect(sorted(both.result)).toEqual(sorted(both.plain));
  expect(both.charged[1]).toBe(both.charged[0]);
  expect(both.written).toEqual(written);
  return { ...both, data: JSON.parse(both.text).data };
}

const list = 'window: SEVEN_DAYS, idType: POOL, first: 5';
const stored: Record<string, string> = {
  clientPercentages: '{ client ratio }',
  relayerPercentages: '{ relayer ratio }',
  operatorTags: '{ name path idType }',
  delegations: '{ validatorVoteAccount validatorName ratio }',
};
/** Every field of a type that a row has by itself. */
const plainFields = (type: string) =>
  Object.values((schema.getType(type) as GraphQLObjectType).getFields())
    .filter((field) => field.args.length === 0 && (!field.resolve || field.extensions.column))
    .map(({ name }) => `${name} ${stored[name] ?? ''}`)
    .join(' ');

describe('rows of nothing but plain fields', () => {
  it.each([
    ['operators', 'operators(window: ALL, idType: POOL, first: 60)', 'Operator', 'operatorPages'],
    ['pool shares', 'operators(window: ONE_DAY, idType: POOL_SHARE, first: 60)', 'Operator', 'operatorPages'],
    [
      'stake authorities',
      'stakeAuthorities(window: ALL, first: 60)',
      'StakeAuthority',
      'stakeAuthorityPages',
    ],
    ...['HOUR', 'DAY', 'WEEK', 'ALL'].map((granularity) => [
      `attestations by ${granularity}`,
      `attestations(operatorId: "Alder Liquid", idType: POOL, granularity: ${granularity}, first: 60)`,
      'AttestationRecord',
      'attestationPages',
    ]),
  ] as [string, string, string, string][])('are written: %s', async (_name, field, type, statement) => {
    const fields = plainFields(type);
    const { data, statements } = await expectAlike(`{ rows: ${field} { nodes { ${fields} } } }`, [statement]);
    expect(statements).toEqual([statement]);
    expect(data.rows.nodes.length).toBeGreaterThan(0);
    await expectAlike(`{ ${field} { edges { cursor node { ${fields} } } pageInfo { endCursor } } }`, [
      statement,
    ]);
  });

  it.each([
    ['operators(window: ALL, idType: POOL, first: 60)', 'Operator', 'operatorPages'],
    ['stakeAuthorities(window: ALL, first: 60)', 'StakeAuthority', 'stakeAuthorityPages'],
  ])('are written with their summaries: %s', async (field, type, statement) => {
    const [own, figures] = [plainFields(type), plainFields(`${type}Summary`)];
    const summary = `summary(window: ALL) { ... { __typename } ${figures} }`;
    await expectAlike(`{ rows: ${field} { nodes { ${summary} ${own} } } }`, [statement]);
    await expectAlike(`{ ${field} { edges { node { a: ${summary} b: ${summary} c: __typename } } } }`, [
      statement,
    ]);
  });

  it('are written with a summary in the window that one names', async () => {
    const query = `query ($window: TimeWindow!) {
      operators(window: $window, idType: POOL, first: 3) { nodes { operatorId summary(window: $window) { window } } }
      operator(operatorId: "Alder Liquid", idType: POOL) { operatorId summary(window: $window) { window aprPercentage } } }`;
    const { data, statements } = await expectAlike(query, ['operatorPages', 'operatorsByKey'], {
      window: 'ONE_DAY',
    });
    expect(statements).toEqual(['operatorPages', 'operatorsByKey']);
    expect(data.operator.summary.window).toBe('ONE_DAY');
    const [{ stake_authority: authority } = {}] = (
      await run('select stake_authority from stake_authority_summaries order by 1 limit 1')
    ).rows as { stake_authority: string }[];
    await expectAlike(
      `{ stakeAuthority(stakeAuthority: "${authority}") { poolName summary(window: ALL) { ${plainFields('StakeAuthoritySummary')} } }
        operator(operatorId: "nobody", idType: POOL) { displayName summary(window: ALL) { window } } }`,
      ['stakeAuthoritiesByKey', 'operatorsByKey'],
    );
  });

  it('are read as columns where a window may be null', async () => {
    const query = `query ($window: TimeWindow = ALL) {
      operator(operatorId: "Alder Liquid", idType: POOL) { operatorId summary(window: $window) { validatorCount } } }`;
    for (const variables of [{ window: 'ONE_DAY' }, { window: null }, {}])
      await expectAlike(query, [], variables);
  });

  it('are written one by one: an operator and a stake authority, and the same in another window', async () => {
    const [{ stake_authority: authority } = {}] = (
      await run('select stake_authority from stake_authority_summaries order by 1 limit 1')
    ).rows as { stake_authority: string }[];
    const summaryOf = (type: string) => `summary(window: SEVEN_DAYS) { ${plainFields(`${type}Summary`)} }`;
    const { data } = await expectAlike(
      `{ operator(operatorId: "Alder Liquid", idType: POOL) { ${plainFields('Operator')} ${summaryOf('Operator')} }
        stakeAuthority(stakeAuthority: "${authority}") { ${plainFields('StakeAuthority')} ${summaryOf('StakeAuthority')} } }`,
      ['operatorsByKey', 'stakeAuthoritiesByKey'],
    );
    expect(data.operator.operatorId).toBe('Alder Liquid');
    const other = await expectAlike(
      `{ operators(${list}) { nodes { operatorId summary(window: ALL) { window validatorCount } } } }`,
      ['operatorsByKey'],
    );
    expect(other.statements).toEqual(['operatorPages', 'operatorsByKey']);
  });

  it('are null where there is none, and refused where an argument is', async () => {
    const nobody = 'operator(operatorId: "nobody", idType: POOL)';
    await expectAlike(`{ ${nobody} { displayName summary(window: ALL) { window } } }`, ['operatorsByKey']);
    await expectAlike(
      `{ a: operator(operatorId: "") { displayName } operators(window: ALL, first: 0) { nodes { displayName } } }`,
      [],
    );
    await expectAlike('{ operators(window: ALL, idType: PRIVATE_SET) { nodes { displayName } } }', []);
  });

  it('are written from either end of a list that is longer than a text, between any cursors', async () => {
    const page = (args: string, fields: string) =>
      `{ stakeAuthorities(window: ALL, ${args}) { totalCount ${fields} } }`;
    const all = await bothWays(page('first: 200', 'edges { cursor node { stakeAuthority } }'));
    const { totalCount, edges } = JSON.parse(all.text).data.stakeAuthorities;
    expect(totalCount).toBeGreaterThan(150);
    const at = (index: number) => `"${edges[index].cursor}"`;
    for (const [args, from, to] of [
      ['first: 130', 0, 130],
      [`first: 130, after: ${at(9)}`, 10, 140],
      [`first: 200, after: ${at(9)}, before: ${at(100)}`, 10, 100],
      [`last: 66, before: ${at(100)}`, 34, 100],
      [`last: 66, after: ${at(49)}, before: ${at(100)}`, 50, 100],
      [`last: 3, before: ${at(64)}`, 61, 64],
      [`first: 5, after: ${at(20)}, before: ${at(21)}`, 0, 0],
      [`last: 5, after: ${at(20)}, before: ${at(3)}`, 0, 0],
    ] as const) {
      const { data } = await expectAlike(page(args, 'nodes { stakeAuthority }'), ['stakeAuthorityPages']);
      expect(data.stakeAuthorities.nodes, args).toEqual(
        edges.slice(from, to).map(({ node }: { node: object }) => node),
      );
    }
    const last = await bothWays(page('last: 70', 'nodes { stakeAuthority }'));
    expect(JSON.parse(last.text).data).toEqual(JSON.parse(JSON.stringify(last.plain.data)));
  });

  it('of days are written from either end, none beyond the page', async () => {
    const page = (args: string, fields: string) =>
      `{ attestations(operatorId: "Alder Liquid", idType: POOL, ${args}) { ${fields} } }`;
    for (const order of ['ASC', 'DESC']) {
      const sorted = `orderBy: { field: PERIOD, direction: ${order} }`;
      const all = await bothWays(page(`first: 20, ${sorted}`, 'edges { cursor node { day } }'));
      const { edges } = JSON.parse(all.text).data.attestations;
      const at = (index: number) => `"${edges[index].cursor}"`;
      for (const [args, from, to] of [
        ['first: 3', 0, 3],
        [`first: 3, after: ${at(4)}`, 5, 8],
        [`last: 3, before: ${at(9)}`, 6, 9],
        [`last: 9, after: ${at(4)}, before: ${at(9)}`, 5, 9],
        [`first: 9, after: ${at(4)}, before: ${at(5)}`, 0, 0],
      ] as const) {
        const { data } = await expectAlike(page(`${args}, ${sorted}`, 'nodes { day }'), ['attestationPages']);
        expect(data.attestations.nodes, `${args} ${order}`).toEqual(
          edges.slice(from, to).map(({ node }: { node: object }) => node),
        );
      }
    }
  });

  it('keep the names that a caller gives, in the order of the query', async () => {
    const { text } = await expectAlike(
      `{ b: operators(${list}) { rows: nodes { kind: idType __typename name: displayName } } }`,
      ['operatorPages'],
    );
    expect(text).toMatch(/^\{"data":\{"b":\{"rows":\[\{"kind":"POOL","__typename":"Operator","name":"/);
  });

  it('are of their own datasets, whatever names a caller gives', async () => {
    const { datasets } = await bothWays(`{ operators(${list}) { nodes { slashings: displayName } } }`);
    expect(datasets).toEqual(['operators']);
  });

  it('are found through fragments', async () => {
    await expectAlike(
      `query { ...Root } fragment Root on Query { operators(${list}) { ...Page totalCount } }
        fragment Page on OperatorConnection { nodes { ...Row ... on Operator { displayName } ... { idType } } }
        fragment Row on Operator { operatorId summary(window: SEVEN_DAYS) { clientPercentages { ...Client } } }
        fragment Client on ClientPercentage { client ratio }`,
      ['operatorPages'],
    );
  });

  it('are written below rows that are not', async () => {
    const { statements } = await expectAlike(
      `{ operators(${list}) { nodes { id displayName poolShares(window: ALL, first: 3) { nodes { displayName } }
        attestations(first: 4) { totalCount nodes { date sumCorrectHead } } } } }`,
      ['operatorPages', 'attestationPages'],
    );
    expect(statements).toEqual(['operatorPages', 'operatorPages', 'attestationPages']);
  });
});

describe('stored shares', () => {
  it('are written by the name ratio', async () => {
    const own = 'stakeAuthorities(window: SEVEN_DAYS, first: 5)';
    const { data } = await expectAlike(
      `{ operators(${list}) { nodes { summary(window: SEVEN_DAYS) {
          clientPercentages { client ratio } relayerPercentages { relayer ratio } } } }
        ${own} { nodes { summary(window: SEVEN_DAYS) { delegations { validatorVoteAccount validatorName ratio } } } } }`,
      ['operatorPages', 'stakeAuthorityPages'],
    );
    type Share = Record<string, string | number>;
    const nodes: { summary: Record<string, Share[]> }[] = [
      ...data.operators.nodes,
      ...data.stakeAuthorities.nodes,
    ];
    const shares = nodes.flatMap(({ summary }) => Object.values(summary).flat());
    expect(shares.length).toBeGreaterThan(10);
    for (const share of shares) expect(share.ratio).toBeLessThanOrEqual(1);
  });
});

describe('rows with more to them', () => {
  const ofSummary = (fields: string) => `nodes { summary(window: SEVEN_DAYS) { ${fields} } }`;
  it.each([
    ['a global id', 'nodes { id displayName }'],
    ['a part of what is stored', ofSummary('clientPercentages { client }')],
    ['what is stored in another order', ofSummary('clientPercentages { ratio client }')],
    ['what is stored under another name', ofSummary('clientPercentages { name: client ratio }')],
    ['a directive', 'nodes { displayName @skip(if: false) }'],
    ['a directive on a fragment', 'nodes { ... @include(if: true) { displayName } }'],
    ['a field twice', 'nodes { displayName displayName }'],
    ['two selections', 'nodes { displayName } more: nodes { operatorId }'],
    ['nodes and edges', 'nodes { displayName } edges { node { operatorId } }'],
    ['two nodes of an edge', 'edges { a: node { displayName } b: node { operatorId } }'],
  ])('are read as columns: %s', async (_name, selection) => {
    const { statements } = await expectAlike(`{ operators(${list}) { ${selection} } }`, []);
    expect(statements).toEqual(['operatorPages']);
  });

  it('are the same where a page is asked for twice under one name', async () => {
    await expectAlike(
      `{ operators(${list}) { nodes { displayName } } operators(${list}) { nodes { operatorId } } }`,
      [],
    );
  });
});

describe('a value that is written', () => {
  const names = [
    '"quoted"',
    'back\\slash',
    '%s %% %1$s',
    "$1 '' ;",
    '\n\t\r\b\f\u0001\u007f',
    '\u2028é😀',
    ' ',
  ];

  it('is null of a summary in a window without one', async () => {
    await run(
      `insert into operator_summaries (network, id_type, time_window, operator_id, display_name, validator_count,
        avg_correctness, avg_uptime, avg_validator_effectiveness, client_percentages, relayer_percentages, operator_tags)
      values ('mainnet', 'entity', 'all', 'seldom', 'Seldom', 1, 1, 1, 1, '[]', '[]', '[]')`,
    );
    const { data } = await expectAlike(
      `{ operator(operatorId: "seldom", idType: ENTITY) { displayName summary(window: ONE_DAY) { validatorCount } } }`,
      ['operatorsByKey'],
    );
    expect(data.operator).toEqual({ displayName: 'Seldom', summary: null });
  });

  it.each(names)('holds its characters: %j', async (name) => {
    await run(
      `insert into operator_summaries (network, id_type, time_window, operator_id, display_name, validator_count,
        avg_correctness, avg_inclusion_delay, avg_uptime, avg_validator_effectiveness, client_percentages, relayer_percentages, operator_tags)
      values ('mainnet', 'entity', 'all', $1, $1, 1, 0.0000001, 1e20, 1, 1, $2, '[]', '[]')`,
      [name, JSON.stringify([{ client: name, percentage: 1e-9 }])],
    );
    const { data } = await expectAlike(
      `query ($id: String!) { operator(operatorId: $id, idType: ENTITY) {
        operatorId displayName summary(window: ALL) {
          avgCorrectness avgInclusionDelay networkPenetration clientPercentages { client ratio } } } }`,
      ['operatorsByKey'],
      { id: name },
    );
    expect(data.operator).toEqual({
      operatorId: name,
      displayName: name,
      summary: {
        avgCorrectness: 1e-7,
        avgInclusionDelay: 1e20,
        networkPenetration: null,
        clientPercentages: [{ client: name, ratio: 1e-9 }],
      },
    });
  });
});
