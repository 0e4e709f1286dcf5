import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/resources/index.ts';
import { definitions, rewardsNetworks } from '../../src/resources/network-rewards/record.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let pool: string;
let slot: number;
let authority: string;
let set: string;
let members: string[];
beforeAll(async () => {
  gateway = await startGateway();
  pool = (await gateway.get('/v0/eth/operators?window=7d&idType=pool&size=1')).json.data[0].id;
  const { rows } = await gateway.database.pool.query({
    text: `select max(slot)::int as slot from sync_committee_rewards where network = 'mainnet'`,
    values: [],
  });
  slot = rows[0]?.slot as number;
  authority = (await gateway.get('/v1/solana/delegators/stakeAuthorities?window=7d&limit=1')).json.results[0]
    .stakeAuthority;
  set = (await gateway.get('/v1/eth/tags')).json.results[0].id;
  const { results } = (await gateway.get(`/v1/eth/tags/${set}/validators?limit=2`)).json;
  members = results.map((member: any) => member.validatorPubkey ?? member.pubkey);
});
afterAll(() => gateway.close());

const unitsOf = ({ headers }: { headers: Headers }) => {
  expect(headers.get('x-service-compute-units')).toMatch(/^\d+$/);
  return Number(headers.get('x-service-compute-units'));
};
const rest = async (path: string) => unitsOf(await gateway.get(path));

describe('a GraphQL query and the REST calls that it replaces', () => {
  const name = (text: string) => JSON.stringify(text);
  const uri = encodeURIComponent;
  /** Per resource: the query, and the calls. */
  const pairs: Record<string, () => [query: string, calls: string[]]> = {
    'a list of operators': () => [
      '{ operators(window: SEVEN_DAYS, idType: POOL, first: 9) { nodes { id } } }',
      ['/v0/eth/operators?window=7d&idType=pool&size=9'],
    ],
    'a list of the default size': () => [
      '{ operators(window: SEVEN_DAYS) { nodes { id } } }',
      ['/v0/eth/operators?window=7d&size=20'],
    ],
    'one operator': () => [
      `{ operator(operatorId: ${name(pool)}) { id } }`,
      [`/v0/eth/operators/${uri(pool)}/summary?window=7d`],
    ],
    'an operator that is not there': () => [
      '{ operator(operatorId: "nobody") { id } }',
      ['/v0/eth/operators/nobody/summary?window=7d'],
    ],
    'a private set with its summary': () => [
      `{ privateSet(setId: ${name(set)}) { summary(window: SEVEN_DAYS) { id } } }`,
      [`/v1/eth/tags/${set}`, `/v0/eth/operators/${set}/summary?window=7d&idType=privateSet`],
    ],
    'an operator in two windows': () => [
      `{ operator(operatorId: ${name(pool)}) { week: summary(window: SEVEN_DAYS) { id } all: summary(window: ALL) { id } } }`,
      ['7d', 'all'].map((window) => `/v0/eth/operators/${uri(pool)}/summary?window=${window}`),
    ],
    'pool shares of an operator': () => [
      `{ operator(operatorId: ${name(pool)}) { poolShares(window: SEVEN_DAYS, first: 2) { nodes { id } } } }`,
      [
        `/v0/eth/operators/${uri(pool)}/summary?window=7d`,
        `/v0/eth/operators?window=7d&size=2&parentId=${uri(pool)}`,
      ],
    ],
    attestations: () => [
      `{ attestations(operatorId: ${name(pool)}, idType: POOL, first: 11) { edges { node { date } } } }`,
      [`/v1/eth/entities/${uri(pool)}/attestations?entityType=pool&limit=11`],
    ],
    slashings: () => ['{ slashings(last: 4) { totalCount } }', ['/v0/eth/slashings?size=4']],
    'sync committee rewards': () => [
      `{ syncCommitteeRewards(slot: ${slot}, first: 512) { nodes { validatorIndex } } }`,
      [`/v0/eth/blocks/${slot}/syncCommitteeRewards`],
    ],
    'sync committee rewards of a slot to come': () => [
      `{ syncCommitteeRewards(slot: ${slot + 1_000_000}) { nodes { validatorIndex } } }`,
      [`/v0/eth/blocks/${slot + 1_000_000}/syncCommitteeRewards`],
    ],
    'the Solana overview': () => ['{ solanaNetworkOverviews { window } }', ['/v1/solana/network/overview']],
    'the Solana overview of a window': () => [
      '{ solanaNetworkOverview(window: ALL) { window } }',
      ['/v1/solana/network/overview?window=all'],
    ],
    'stake authorities': () => [
      '{ stakeAuthorities(window: ALL, first: 5) { nodes { id } } }',
      ['/v1/solana/delegators/stakeAuthorities?window=all&limit=5'],
    ],
    blocks: () => ['{ blocks(first: 7) { nodes { id } } }', ['/v0/eth/blocks?size=7']],
    'a block with its rewards': () => [
      `{ block(slot: ${slot}) { syncCommitteeRewards(first: 30) { nodes { reward } } } }`,
      [`/v0/eth/blocks/${slot}`, `/v0/eth/blocks/${slot}/syncCommitteeRewards?limit=30`],
    ],
    'chain daily rewards': () => [
      '{ chainDailyRewards(first: 6) { nodes { day } } }',
      ['/v0/eth/network/chainDailyRewards?size=6'],
    ],
    'a chain day': () => [
      '{ chainDailyReward(date: "2025-10-01") { day } }',
      ['/v0/eth/network/chainDailyRewards/2025-10-01'],
    ],
    consolidations: () => [
      '{ consolidations(first: 8) { nodes { epoch } } }',
      ['/v1/eth/validators/consolidations?limit=8'],
    ],
    // In another order, which is scanned again: a ranking that is cached costs only its rows. No other test has this range.
    'a ranking of validators': () => [
      '{ validatorRanking(fromDay: 3, orderBy: { field: MISSED }, first: 4) { nodes { rank } } }',
      ['/v1/eth/validators/ranking?fromDay=3&sortBy=rewards&limit=4'],
    ],
    'consolidations by entity': () => [
      '{ operatorConsolidations(first: 4) { nodes { operatorId } } }',
      ['/v1/eth/entityConsolidations?limit=4'],
    ],
    'the capacity of consolidations': () => [
      '{ consolidationCapacities { window } }',
      ['/v1/eth/consolidationCapacity'],
    ],
    'the capacity by entity': () => [
      '{ operatorConsolidationCapacities(window: ALL, first: 3) { nodes { operatorId } } }',
      ['/v1/eth/consolidationCapacity/entity?window=all&limit=3'],
    ],
    ...Object.fromEntries(
      rewardsNetworks.map((network) => [
        `daily rewards of ${network}`,
        (): [string, string[]] => [
          `{ validatorRewards(network: ${network.toUpperCase()}, validatorId: "${definitions[network].exampleId}", first: 5) { nodes { date } }
             networkRewards(network: ${network.toUpperCase()}, first: 4) { nodes { date } } }`,
          [
            `/v1/${network}/validators/${definitions[network].exampleId}/rewards?limit=5`,
            `/v1/${network}/network/rewards?limit=4`,
          ],
        ],
      ]),
    ),
    tags: () => ['{ privateSets(first: 3) { nodes { setId } } }', ['/v1/eth/tags?limit=3']],
    'a private set and its figures': () => [
      `{ privateSet(setId: "${set}") {
          validators(first: 6) { nodes { validatorIndex } } effectiveness(first: 5) { nodes { day } }
          attestations(first: 5) { nodes { day } } proposals(first: 5) { nodes { day } } rewards(first: 5) { nodes { day } }
        } }`,
      [
        `/v1/eth/tags/${set}`,
        `/v1/eth/tags/${set}/validators?limit=6`,
        ...['effectiveness', 'attestations', 'proposals', 'rewards'].map(
          (figures) => `/v1/eth/sets/${set}/${figures}?limit=5`,
        ),
      ],
    ],
    'several of them under aliases': () => [
      '{ a: slashings(first: 2) { nodes { id } } b: slashings(first: 3) { nodes { id } } }',
      ['/v0/eth/slashings?size=2', '/v0/eth/slashings?size=3'],
    ],
    'a size that is refused': () => ['{ slashings(first: 0) { totalCount } }', ['/v0/eth/slashings?size=0']],
  };

  it.each(Object.entries(pairs))('are charged the same: %s', async (_what, pair) => {
    const [query, calls] = pair();
    const answer = await gateway.graphql(query);
    let sum = 0;
    for (const path of calls) sum += await rest(path);
    expect(unitsOf(answer)).toBe(sum);
    expect(answer.json.extensions.cost.charged).toBe(sum);
  });

  it('are compared for every path that is read', () => {
    const called = Object.values(pairs).flatMap((pair) =>
      pair()[1].map((path) => path.split('?')[0] as string),
    );
    const reads = routes.filter(
      ({ method = 'GET', path }) => method === 'GET' && !path.startsWith('/v1/tags'),
    );
    // /v0/solana has the same twins as its successor
    const twins = reads.filter(({ successor }) => !successor);
    const missing = twins.filter(
      ({ path }) => !called.some((call) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`).test(call)),
    );
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  it('are charged the same where they change something', async () => {
    const validators = members;
    const named = (pubkey: string | undefined) => `{ pubkey: "${pubkey}" }`;
    const send = async (method: string, path: string, body?: object) => {
      const answer = await gateway.fetch(path, {
        method,
        headers: {
          authorization: `Bearer ${gateway.token}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      expect(answer.status).toBeLessThan(300);
      return { units: unitsOf(answer), json: answer.json };
    };
    const made = await send('POST', '/v1/eth/tags', { name: 'a' });
    const path = `/v1/eth/tags/${made.json.id}`;
    const twin = await gateway.graphql(
      'mutation { createPrivateSet(input: { name: "a" }) { privateSet { setId } } }',
    );
    const { setId } = twin.data.createPrivateSet.privateSet;
    expect(unitsOf(twin)).toBe(made.units);
    for (const [rest, mutation] of [
      [
        () => send('PATCH', path, { name: 'b' }),
        `renamePrivateSet(input: { setId: "${setId}", name: "b" }) { privateSet { setId } }`,
      ],
      [
        () => send('POST', `${path}/validators`, { pubkeys: validators }),
        `addPrivateSetValidators(input: { setId: "${setId}", validators: [${validators.map(named)}] }) { pubkeysAdded }`,
      ],
      [
        () => send('DELETE', `${path}/validators/${validators[0]}`),
        `removePrivateSetValidators(input: { setId: "${setId}", validators: [${named(validators[0])}] }) { privateSet { setId } }`,
      ],
      [() => send('DELETE', path), `deletePrivateSet(input: { setId: "${setId}" }) { deletedSetId }`],
    ] as const) {
      const { units } = await rest();
      expect(unitsOf(await gateway.graphql(`mutation { ${mutation} }`))).toBe(units);
    }
  });

  it('are charged the same where a list is asked of each row of another', async () => {
    const query = `{ operators(window: THIRTY_DAYS, idType: POOL, first: 3) {
      nodes { operatorId attestations(first: 4) { nodes { date } } poolShares(window: THIRTY_DAYS, first: 3) { nodes { id } } }
    } }`;
    const answer = await gateway.graphql(query);
    let sum = await rest('/v0/eth/operators?window=30d&idType=pool&size=3');
    for (const { operatorId } of answer.data.operators.nodes) {
      sum += await rest(`/v1/eth/entities/${uri(operatorId)}/attestations?entityType=pool&limit=4`);
      sum += await rest(`/v0/eth/operators?window=30d&size=3&parentId=${uri(operatorId)}`);
    }
    expect(unitsOf(answer)).toBe(sum);
  });

  it('cost one thing by its global id what one operator costs, and many as much for each', async () => {
    const { data } = await gateway.graphql('{ operators(window: ALL, first: 3) { nodes { id } } }');
    const ids = data.operators.nodes.map((node: any) => node.id);
    const one = await rest(`/v0/eth/operators/${uri(pool)}/summary?window=7d`);
    expect(unitsOf(await gateway.graphql('query ($id: ID!) { node(id: $id) { id } }', { id: ids[0] }))).toBe(
      one,
    );
    const many = await gateway.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
    expect(unitsOf(many)).toBe(3 * one);
    expect(await gateway.graphql(`{ stakeAuthority(stakeAuthority: "${authority}") { id } }`)).toSatisfy(
      (answer: any) => unitsOf(answer) === one,
    );
  });
});
