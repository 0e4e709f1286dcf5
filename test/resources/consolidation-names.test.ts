import { beforeAll, describe, expect, it } from 'vitest';
import { enumName } from '../../src/graphql/schema/enums.ts';
import { capacitySortFields, entitySortFields } from '../../src/resources/consolidation-totals/record.ts';
import { useGateway } from '../support/gateway.ts';
import { every } from '../support/thorough.ts';
import { walkCursor } from '../support/walk.ts';

const gateway = useGateway();

const refused = async (field: string) =>
  (await gateway.graphql(`{ ${field} { totalCount } }`)).errors?.[0].extensions;

/** All nodes of a list, in pages of 7. */
const walk = (field: string, args: string, columns: string) =>
  walkCursor(
    gateway,
    field,
    `query ($cursor: String) { ${field}(${args} first: 7, after: $cursor) { edges { node { ${columns} } }
      pageInfo { hasNextPage endCursor } } }`,
    'forward',
    {},
  );

const orderName = (name: string) => (name === 'id' ? 'OPERATOR_ID' : enumName(name));
const totals = 'operatorId idType consolidationCount sourceValidatorCount targetValidatorCount endDate';
const shares = 'operatorId idType window latestEpoch capacity consolidatedBalance capacityShare';
const old = (columns: string) =>
  columns.replace('operatorId', 'operatorId: entityId').replace('window', 'window: timeWindow');

describe('operatorConsolidations', () => {
  it.each(every(2, entitySortFields))(
    'ordered by %s are the entityConsolidations sorted by it',
    async (field) => {
      for (const direction of ['ASC', 'DESC']) {
        const now = `idType: POOL_SHARE, utc: true, orderBy: { field: ${orderName(field)}, direction: ${direction} },`;
        const before = `entityType: POOL_SHARE, utc: true, sortBy: ${enumName(field)}, sortOrder: ${direction},`;
        const rows = await walk('operatorConsolidations', now, totals);
        expect(rows.length).toBeGreaterThan(7);
        expect(rows).toEqual(await walk('entityConsolidations', before, old(totals)));
      }
    },
  );

  it('without arguments are those of node operators, largest balance first', async () => {
    const rows = await walk('operatorConsolidations', '', totals);
    expect(rows).toEqual(await walk('entityConsolidations', '', old(totals)));
    const largest = 'network: MAINNET, orderBy: { field: CONSOLIDATED_BALANCE },';
    expect(await walk('operatorConsolidations', largest, totals)).toEqual(rows);
    const hoodi = await walk('operatorConsolidations', 'network: HOODI,', totals);
    expect(hoodi).toEqual(await walk('entityConsolidations', 'network: HOODI,', old(totals)));
  });

  it('within a range are those of entityConsolidations', async () => {
    const [{ endDate }] = await walk('operatorConsolidations', '', totals);
    for (const range of [`fromDate: "${endDate}",`, `toDate: "${endDate}",`, 'fromDay: 1, toDay: 1000000,']) {
      expect(await walk('operatorConsolidations', range, totals)).toEqual(
        await walk('entityConsolidations', range, old(totals)),
      );
    }
  });

  it('have an id for each operator and range, in one statement', async () => {
    const ids = (args: string) => walk('operatorConsolidations', args, 'id network');
    const rows = [...(await ids('')), ...(await ids('idType: POOL,')), ...(await ids('fromDay: 1,'))];
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
    expect(new Set(rows.map((row) => row.network))).toEqual(new Set(['MAINNET']));
    expect(
      await ids('orderBy: { field: OPERATOR_ID },').then((all) => all.map(({ id }) => id).toSorted()),
    ).toEqual((await ids('')).map(({ id }) => id).toSorted());
    const { statements } = await gateway.ask('{ operatorConsolidations { nodes { id operatorId } } }');
    expect(statements).toEqual(['entityConsolidationPage']);
  });

  it.each([
    ['idType: ENTITY', 'idType'],
    ['fromDay: -1', 'fromDay'],
    ['first: 201', 'first'],
    ['after: "x"', 'after'],
  ])('refuse %s', async (args, name) => {
    expect(await refused(`operatorConsolidations(${args})`)).toMatchObject({
      code: 'BAD_INPUT',
      faults: [{ loc: ['argument', name] }],
    });
  });
});

describe('operatorConsolidationCapacities', () => {
  it.each(every(2, capacitySortFields))(
    'ordered by %s are the entityConsolidationCapacities sorted by it',
    async (field) => {
      for (const direction of ['ASC', 'DESC']) {
        const now = `window: ALL, idType: POOL_SHARE, orderBy: { field: ${orderName(field)}, direction: ${direction} },`;
        const before = `window: ALL, entityType: POOL_SHARE, sortBy: ${enumName(field)}, sortOrder: ${direction},`;
        const rows = await walk('operatorConsolidationCapacities', now, shares);
        expect(rows.length).toBeGreaterThan(7);
        expect(rows).toEqual(await walk('entityConsolidationCapacities', before, old(shares)));
      }
    },
  );

  it('of a network have an id for each operator and window', async () => {
    const ids = (args: string) =>
      walk('operatorConsolidationCapacities', `network: HOODI, ${args},`, 'id network');
    const rows = [...(await ids('window: ALL')), ...(await ids('window: THIRTY_DAYS'))];
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
  });

  it('refuse a class that validators do not belong to', async () => {
    expect(await refused('operatorConsolidationCapacities(window: ALL, idType: VALIDATOR)')).toMatchObject({
      code: 'BAD_INPUT',
      faults: [{ loc: ['argument', 'idType'] }],
    });
  });
});

describe('consolidationCapacities', () => {
  it('are the rows of the deprecated consolidationCapacity, and found again by their ids in two statements', async () => {
    const { data } = await gateway.ask(`{
      now: consolidationCapacities(network: MAINNET) { window network capacity consolidatedBalance capacityFilled }
      before: consolidationCapacity(network: MAINNET) { window: timeWindow network capacity consolidatedBalance capacityFilled }
      known: consolidationCapacities { id window capacity } }`);
    expect(data.now).toHaveLength(4);
    expect(data.before).toEqual(data.now);
    const ids = data.known.map(({ id }: any) => id);
    const again = await gateway.ask(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on ConsolidationCapacity { id window capacity } } }',
      { ids },
    );
    expect(again.data.nodes).toEqual(data.known);
    expect(again.statements).toEqual(['latestChainBalances', 'consolidatedIn']);
  });

  it.each(['mainnet', 'mainnet:2d', 'goerli:7d'])('have no node %s', async (inner) => {
    const id = Buffer.from(`ConsolidationCapacity:${inner}`).toString('base64url');
    expect((await gateway.ask('query ($id: ID!) { node(id: $id) { id } }', { id })).data.node).toBeNull();
  });
});

describe('consolidations', () => {
  let row: any;
  beforeAll(async () => {
    const { data } =
      await gateway.ask(`{ consolidations(first: 1) { nodes { sourceValidatorIndex sourceValidatorPubkey
      targetValidatorIndex sourceEntities { operatorId entityId idType } } } }`);
    row = data.consolidations.nodes[0];
  });
  const columns = 'epoch sourceValidatorIndex';

  it('of a validator are those of the deprecated argument', async () => {
    const before = await walk('consolidations', `validator: "${row.targetValidatorIndex}",`, columns);
    expect(before.length).toBeGreaterThan(0);
    expect(await walk('consolidations', `by: { index: ${row.targetValidatorIndex} },`, columns)).toEqual(
      before,
    );
    expect(await walk('consolidations', `by: { pubkey: "${row.sourceValidatorPubkey}" },`, columns)).toEqual([
      { epoch: expect.any(Number), sourceValidatorIndex: row.sourceValidatorIndex },
    ]);
  });

  it('of an operator are those of the deprecated arguments', async () => {
    const [{ operatorId, entityId, idType }] = row.sourceEntities;
    expect(entityId).toBe(operatorId);
    const before = await walk('consolidations', `entityId: "${operatorId}", entityType: ${idType},`, columns);
    expect(before.length).toBeGreaterThan(0);
    const now = await walk('consolidations', `operatorId: "${operatorId}", idType: ${idType},`, columns);
    expect(now).toEqual(before);
  });

  const orders = [
    ['EPOCH', 'EPOCH'],
    ['EPOCH', 'DAY'],
    ['SOURCE_VALIDATOR_INDEX', 'SOURCE_VALIDATOR_INDEX'],
    ['TARGET_VALIDATOR_INDEX', 'TARGET_VALIDATOR_INDEX'],
    ['CONSOLIDATED_BALANCE', 'CONSOLIDATED_BALANCE'],
  ];
  it.each(every(3, orders, 1))('ordered by %s are those sorted by %s', async (field, sortBy) => {
    for (const direction of ['ASC', 'DESC'])
      expect(
        await walk('consolidations', `orderBy: { field: ${field}, direction: ${direction} },`, columns),
      ).toEqual(await walk('consolidations', `sortBy: ${sortBy}, sortOrder: ${direction},`, columns));
  });

  it('of operators and validators take an order too', async () => {
    const order = 'orderBy: { field: CONSOLIDATED_BALANCE, direction: ASC }, first: 3';
    const before = 'sortBy: CONSOLIDATED_BALANCE, sortOrder: ASC, first: 3';
    const { data } = await gateway.ask(`{ validator(by: { index: ${row.targetValidatorIndex} }) {
      now: consolidations(${order}) { nodes { ${columns} } } before: consolidations(${before}) { nodes { ${columns} } } } }`);
    expect(data.validator.now.nodes.length).toBeGreaterThan(0);
    expect(data.validator.now).toEqual(data.validator.before);
  });

  it.each([
    ['by: { index: 1 }, validator: "1"', 'by'],
    ['by: { index: -1 }', 'by'],
    ['operatorId: "x"', 'idType'],
    ['idType: POOL', 'operatorId'],
    ['operatorId: "", idType: POOL', 'operatorId'],
    ['operatorId: "x", idType: VALIDATOR', 'idType'],
    ['operatorId: "x", entityType: POOL', 'operatorId'],
    ['idType: POOL, entityId: "x"', 'idType'],
    ['orderBy: { field: EPOCH }, sortOrder: ASC', 'orderBy'],
    ['orderBy: { field: EPOCH }, sortBy: DAY', 'orderBy'],
  ])('refuse %s', async (args, name) => {
    const extensions = await refused(`consolidations(${args})`);
    expect(extensions.code).toBe('BAD_INPUT');
    expect(extensions.faults[0].loc[1]).toBe(name);
  });

  it('refuse a cursor of another order', async () => {
    const { data } = await gateway.ask('{ consolidations(first: 1) { pageInfo { endCursor } } }');
    const after = data.consolidations.pageInfo.endCursor;
    expect(
      await refused(`consolidations(orderBy: { field: CONSOLIDATED_BALANCE }, after: "${after}")`),
    ).toMatchObject({ code: 'BAD_INPUT', faults: [{ loc: ['argument', 'after'] }] });
  });

  it('are found again by their ids, of either calendar, in one statement', async () => {
    const select = 'id network day date epoch sourceValidatorIndex consolidatedBalance';
    const { data } = await gateway.ask(`{ chain: consolidations(first: 40) { nodes { ${select} } }
      utc: consolidations(first: 40, utc: true) { nodes { ${select} } } }`);
    const nodes = [...data.chain.nodes, ...data.utc.nodes];
    expect(new Set(nodes.map(({ id }: any) => id)).size).toBe(80);
    const again = await gateway.ask(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Consolidation { ${select} } } }`,
      {
        ids: nodes.map(({ id }: any) => id),
      },
    );
    expect(again.data.nodes).toEqual(nodes);
    expect(again.statements).toEqual(['consolidationsBySource']);
  });

  it.each(['mainnet:1', 'day:mainnet:1', 'utc:mainnet:2147483647', 'utc:goerli:1'])(
    'have no node of the global id %s',
    async (inner) => {
      const id = Buffer.from(`Consolidation:${inner}`).toString('base64url');
      expect((await gateway.ask('query ($id: ID!) { node(id: $id) { id } }', { id })).data.node).toBeNull();
    },
  );
});
