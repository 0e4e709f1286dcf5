import type { GraphQLObjectType } from 'graphql';
import { afterAll, beforeAll, expect } from 'vitest';
import { fieldTexts, pathTexts } from '../../scripts/bench/calls.mjs';
import type { Statement } from '../../src/db/pool.ts';
import { schema } from '../../src/graphql/run/schema.ts';
import { createDatabase, type Gateway, startGateway, type TestDatabase } from '../support/gateway.ts';
import { known } from '../support/heavy-calls.ts';
import { LARGE } from '../support/large-operator.ts';
import { slow, thorough } from '../support/thorough.ts';
import { heaviest, workOf } from '../support/work.ts';

// What PostgreSQL does for a request is bounded by what the request costs, whatever a caller asks for.

let database: TestDatabase;
let gateway: Gateway;
let statements: Statement[] = [];
beforeAll(async () => {
  if (!thorough) return;
  database = await createDatabase('large');
  gateway = await startGateway({ database, onStatement: (statement) => statements.push(statement) });
});
afterAll(async () => {
  await gateway?.close();
  await database?.drop();
});

const asking =
  (ask: (text: string) => Promise<{ status: number; headers: Headers }>) => async (text: string) => {
    statements = [];
    const { status, headers } = await ask(text);
    const own = statements;
    const units = Number(headers.get('x-service-compute-units'));
    return status === 200 && units > 0 ? { units, work: () => workOf(database, own) } : undefined;
  };

function* documents(): Generator<string> {
  yield* [...fieldTexts(schema.getQueryType() as GraphQLObjectType, known)].map((text) => `{ ${text} }`);
  const operator = `operator(operatorId: ${known.operatorId}, idType: NODE_OPERATOR)`;
  for (const text of fieldTexts(schema.getType('Operator') as GraphQLObjectType, known))
    if (text.includes('first: 1')) yield `{ ${operator} { ${text} } }`;
}

const inPath: Record<string, string> = {
  operator_id: encodeURIComponent(LARGE),
  entity_id: encodeURIComponent(LARGE),
  consensus_slot: '1',
  day: '1600',
  validator_id: 'x',
};
const inQuery: Record<string, string> = {
  entityId: `${encodeURIComponent(LARGE)}&entityType=nodeOperator`,
  parentId: encodeURIComponent(LARGE),
  fromDay: '1600',
  fromDate: '2024-01-01',
  window: 'all',
};

slow(
  'The work of each GraphQL field, with each filter, order and total, is bounded by its cost',
  async () => {
    const { answered, over } = await heaviest(
      [...documents()],
      asking((text) => gateway.graphql(text)),
    );
    expect(over).toEqual([]);
    expect(answered).toBeGreaterThan(300);
  },
);

slow('The work of each REST path, with each parameter, is bounded by its cost', async () => {
  const { answered, over } = await heaviest(
    [...pathTexts((await gateway.get('/openapi.json')).json, { inPath, inQuery })],
    asking((path) => gateway.get(path)),
  );
  expect(over).toEqual([]);
  expect(answered).toBeGreaterThan(60);
});
