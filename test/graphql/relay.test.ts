import { type GraphQLField, type GraphQLObjectType, isObjectType } from 'graphql';
import relay from 'relay-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/run/schema.ts';
import { importBuilders } from '../support/builders.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { compileRelay, relayEnvironment } from '../support/relay.ts';
import { addSlashedAndConsolidated } from '../support/series.ts';
import { every } from '../support/thorough.ts';

const { createOperationDescriptor, getRequest, getSingularSelector }: Record<string, any> = relay;

/** Arguments of a connection that has required ones, with values of the sample data put in by name. */
type Values = { pool: string; slot: number };
const required: Record<string, (values: Values) => string> = {
  'Query.operators': () => 'window: SEVEN_DAYS, idType: POOL',
  'Operator.poolShares': () => 'window: SEVEN_DAYS',
  'Operator.history': () => 'window: SEVEN_DAYS',
  'PrivateSet.history': () => 'window: SEVEN_DAYS',
  'StakeAuthority.history': () => 'window: SEVEN_DAYS',
  'Query.attestations': ({ pool }) => `operatorId: ${JSON.stringify(pool)}, idType: POOL`,
  'Query.syncCommitteeRewards': ({ slot }) => `slot: ${slot}`,
  'Query.operatorConsolidationCapacities': () => 'window: ALL',
  'Query.stakeAuthorities': () => 'window: SEVEN_DAYS, type: POOL',
  'Query.validatorRewards': () => 'network: POLYGON, validatorId: "27"',
  'Query.networkValidators': () => 'network: POLKADOT, orderBy: { field: STAKE, direction: DESC }',
  'Query.networkRewards': () => 'network: SOLANA, orderBy: { field: VALIDATOR_REWARDS, direction: DESC }',
};

type Connection = { owner: string; field: string; name: string; isNode: boolean };

const isConnection = (field: GraphQLField<unknown, unknown>) => /Connection!?$/.test(String(field.type));

/** Every connection of the schema: those of the root, and those of the types that `node` finds again. */
function connections(): Connection[] {
  const owners = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType =>
      type.name === 'Query' ||
      (isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node')),
  );
  return owners.flatMap((owner) =>
    Object.values(owner.getFields())
      .filter(isConnection)
      .map(({ name }) => ({
        owner: owner.name,
        field: name,
        name: `${owner.name}_${name}`,
        isNode: owner.name !== 'Query',
      })),
  );
}

function source({ owner, field, name, isNode }: Connection, values: Values): string {
  const args = required[`${owner}.${field}`]?.(values);
  const variables = '$count: Int = 100, $cursor: String';
  const spread = `...${name}_list @arguments(count: $count, cursor: $cursor)`;
  return `
    graphql\`
      fragment ${name}_list on ${owner}
      @argumentDefinitions(count: { type: "Int", defaultValue: 100 }, cursor: { type: "String" })
      @refetchable(queryName: "${name}RefetchQuery") {
        connection: ${field}(${args ? `${args}, ` : ''}first: $count, after: $cursor)
          @connection(key: "${name}_connection") { totalCount edges { cursor node { __typename } } }
      }
    \`;
    graphql\`
      query ${name}Query(${isNode ? '$id: ID!, ' : ''}${variables}) {
        ${isNode ? `node(id: $id) { ${spread} @alias(as: "owner") }` : spread}
      }
    \`;`;
}

const all = connections();
let gateway: Gateway;
let values: Values;

let compiled: ReturnType<typeof compileRelay>;

beforeAll(async () => {
  gateway = await startGateway();
  await importBuilders(gateway);
  await addSlashedAndConsolidated(gateway);
  const { data } = await gateway.graphql(
    '{ operators(window: SEVEN_DAYS, idType: POOL, first: 1) { nodes { operatorId } } }',
  );
  const stored = await gateway.database.pool.query({
    text: `select max(slot)::int as slot from sync_committee_rewards where network = 'mainnet'`,
    values: [],
  });
  values = { pool: data.operators.nodes[0].operatorId, slot: stored.rows[0]?.slot as number };
  compiled = compileRelay(
    Object.fromEntries(all.map((connection) => [connection.name, source(connection, values)])),
  );
});
afterAll(async () => {
  compiled?.remove();
  await gateway?.close();
});

/** The global id of an object of a type that has something in this connection. */
async function ownerOf({ owner, field }: Connection): Promise<string> {
  const args = required[`${owner}.${field}`]?.(values);
  const inner = `id ${field}(${args ? `${args}, ` : ''}first: 1) { edges { cursor } }`;
  const figures = ['attestations', 'effectiveness', 'proposals', 'rewards'];
  const lists: Record<string, string> = {
    Operator: `operators(window: SEVEN_DAYS, idType: POOL, first: 40) { nodes { ${inner} } }`,
    Slashing: `slashings(first: 40) { nodes { ${inner} } }`,
    Validator:
      field === 'consolidations'
        ? `consolidations(first: 40) { nodes { validator: target { ${inner} } } }`
        : figures.includes(field)
          ? `privateSets(first: 1) { nodes { members: validators(first: 10) { nodes { validator { ${inner} } } } } }`
          : `syncCommitteeRewards(slot: ${values.slot}, first: 40) { nodes { validator { ${inner} } } }`,
    StakeAuthority: `stakeAuthorities(window: SEVEN_DAYS, first: 40) { nodes { ${inner} } }`,
    Builder: `builders(first: 40, orderBy: { field: INDEX, direction: ASC }) { nodes { ${inner} } }`,
    Block: `blocks(first: 40) { nodes { ${inner} } }`,
    PrivateSet: `privateSets(first: 40) { nodes { ${inner} } }`,
    NetworkOverview: `networkOverview(window: ALL) { ${inner} }`,
    SolanaNetworkOverview: `solanaNetworkOverview(window: ALL) { ${inner} }`,
  };
  const rewards = /^(\w+)ValidatorReward$/.exec(owner)?.[1];
  if (rewards)
    lists[owner] =
      `networkValidators(network: ${rewards.toUpperCase()}, first: 3) { nodes { ... on ${owner} { ${inner} } } }`;
  const { data, errors } = await gateway.graphql(`{ list: ${lists[owner]} }`);
  if (errors) throw new Error(JSON.stringify(errors));
  const nodes = [data.list.nodes ?? data.list]
    .flat()
    .flatMap((node: any) => node.members?.nodes ?? node)
    .map((node: any) => node.validator ?? node)
    .filter((node: any) => node[field]);
  return (nodes.find((node: any) => node[field].edges.length > 0) ?? nodes[0]).id;
}

describe('Relay', () => {
  it('has connections to page through', () => expect(all.length).toBeGreaterThan(3));

  it.each(every(4, all))('pages through $name to the end, into one list of the store', async (connection) => {
    const environment = relayEnvironment(gateway);
    const fragment = await compiled.artifact(`${connection.name}_list`);
    const variables = connection.isNode ? { id: await ownerOf(connection) } : {};
    let request = getRequest(await compiled.artifact(`${connection.name}Query`));
    let cursor: string | null = null;
    let pages = 0;
    // The first pages are small, so that short lists have several; the others have the largest size that every list allows.
    let asked = 0;
    for (;;) {
      const count = pages < 2 ? 3 : 100;
      asked += count;
      const operation: any = createOperationDescriptor(request, { ...variables, count, cursor });
      await new Promise((resolve, reject) => {
        environment.execute({ operation }).subscribe({ complete: () => resolve(undefined), error: reject });
      });
      const data: any = environment.lookup(operation.fragment).data;
      const selector: any = getSingularSelector(fragment, data.node?.owner ?? data.node ?? data);
      const list: any = environment.lookup(selector).data.connection;
      pages += 1;
      const cursors = list.edges.map((edge: any) => edge.cursor);
      expect(new Set(cursors).size).toBe(cursors.length);
      if (!list.pageInfo.hasNextPage) {
        expect(cursors.length).toBeGreaterThan(0);
        expect(cursors.length).toBe(list.totalCount);
        break;
      }
      expect(cursors.length).toBe(asked);
      cursor = list.pageInfo.endCursor;
      request = getRequest(await compiled.artifact(`${connection.name}RefetchQuery`));
    }
  });
});

describe('a connection that one query asks for twice from its end', () => {
  it.each(all)('has the rows of $name in the same order both times', async (connection) => {
    const { owner, field, isNode } = connection;
    const args = required[`${owner}.${field}`]?.(values);
    const list = (alias: string, part: string) =>
      `${alias}: ${field}(${args ? `${args}, ` : ''}${part}: 100) { totalCount edges { cursor } pageInfo { endCursor } }`;
    const lists = [list('one', 'last'), list('other', 'last'), list('forward', 'first')].join(' ');
    const query = isNode
      ? `query ($id: ID!) { node(id: $id) { ... on ${owner} { ${lists} } } }`
      : `{ ${lists} }`;
    const { data, errors } = await gateway.graphql(query, isNode ? { id: await ownerOf(connection) } : {});
    expect(errors).toBeUndefined();
    const { one, other, forward } = isNode ? data.node : data;
    expect(one.edges.length).toBeGreaterThan(0);
    expect(other).toEqual(one);
    if (one.totalCount <= 100) expect(one).toEqual(forward);
    else expect(one.edges.at(-1).cursor).not.toBe(forward.edges.at(-1).cursor);
  });
});
