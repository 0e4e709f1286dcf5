import { beforeAll, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';
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

const totals = 'operatorId idType consolidationCount sourceValidatorCount targetValidatorCount endDate';

describe('operatorConsolidations', () => {
  it('without arguments are those of node operators, largest balance first', async () => {
    const rows = await walk('operatorConsolidations', '', totals);
    expect(new Set(rows.map(({ idType }) => idType))).toEqual(new Set(['NODE_OPERATOR']));
    const largest = 'network: MAINNET, orderBy: { field: CONSOLIDATED_BALANCE },';
    expect(await walk('operatorConsolidations', largest, totals)).toEqual(rows);
  });

  slow('have an id for each operator and range, in one statement', async () => {
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
  it('are found again by their ids in two statements', async () => {
    const { data } = await gateway.ask(`{
      known: consolidationCapacities(network: MAINNET) { id window capacity } }`);
    expect(data.known).toHaveLength(4);
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
      targetValidatorIndex sourceEntities { operatorId idType } } } }`);
    row = data.consolidations.nodes[0];
  });
  const columns = 'epoch sourceValidatorIndex';

  it('of a validator are found by its index and by its public key', async () => {
    const found = await walk('consolidations', `by: { index: ${row.targetValidatorIndex} },`, columns);
    expect(found.map((one) => one.sourceValidatorIndex)).toContain(row.sourceValidatorIndex);
    expect(await walk('consolidations', `by: { pubkey: "${row.sourceValidatorPubkey}" },`, columns)).toEqual([
      { epoch: expect.any(Number), sourceValidatorIndex: row.sourceValidatorIndex },
    ]);
  });

  it.each([
    ['by: { index: -1 }', 'by'],
    ['operatorId: "x"', 'idType'],
    ['idType: POOL', 'operatorId'],
    ['operatorId: "", idType: POOL', 'operatorId'],
    ['operatorId: "x", idType: VALIDATOR', 'idType'],
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
