import { describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { rewardLists } from '../support/rewards.ts';
import { every } from '../support/thorough.ts';

const gateway = useGateway();

const validatorSums: Record<string, string[]> = {
  avalanche: ['totalValidatorRewards', 'totalValidatorFeeRewards'],
  babylon: ['totalCommissionRewards'],
  cardano: ['totalEarnedValidatorRewards'],
  celestia: ['totalCommissionRewards'],
  polkadot: ['totalValidatorRewards'],
  polygon: ['totalValidatorRewards'],
  solana: ['totalVotingRewards', 'totalProposalRewards', 'totalMevRewards'],
};
const titleOf = (network: string) => `${network[0]?.toUpperCase()}${network.slice(1)}`;
const lists = rewardLists.flatMap(({ network, id }) =>
  [
    { field: 'validatorRewards', more: `, validatorId: "${id}"`, type: `${titleOf(network)}ValidatorReward` },
    { field: 'networkRewards', more: '', type: `${titleOf(network)}NetworkReward` },
  ].map((list) => ({ ...list, network, args: `network: ${network.toUpperCase()}${list.more}` })),
);

describe.each(every(2, lists))('$field of $network', ({ field, args, network, type }) => {
  const rows = async (more: string, select: string) => {
    const { data, statements } = await gateway.ask(
      `{ ${field}(${args}, first: 100, ${more}) { nodes { ${select} } } }`,
    );
    expect(statements).toEqual(['rewardPages']);
    return data[field].nodes;
  };

  it('have a date and an id for each', async () => {
    const found = await rows('', '__typename id date');
    expect(found).toHaveLength(90);
    expect(found.every((row: any) => row.__typename === type)).toBe(true);
    expect(new Set(found.map(({ date }: any) => date)).size).toBe(90);
    expect(new Set(found.map(({ id }: any) => id)).size).toBe(90);
    expect(await rows('orderBy: { field: VALIDATOR_REWARDS }, last: null', 'id')).toHaveLength(90);
    const alone = await rows('', 'id');
    expect(alone).toEqual(found.map(({ id }: any) => ({ id })));
  });

  it.each(['VALIDATOR_REWARDS', 'DELEGATOR_REWARDS'])(
    'are ordered by %s, on every network',
    async (order) => {
      const name = order === 'VALIDATOR_REWARDS' ? 'validatorRewards' : 'delegatorRewards';
      const found = await rows(`orderBy: { field: ${order} }`, `date ${name}`);
      const amounts = found.map((row: any) => Number(row[name]));
      expect(amounts).toEqual(amounts.toSorted((a: number, b: number) => b - a));
      const ascending = await rows(`orderBy: { field: ${order}, direction: ASC }`, `date ${name}`);
      expect(ascending.map((row: any) => Number(row[name]))).toEqual(amounts.toReversed());
      const first = await gateway.ask(
        `{ ${field}(${args}, first: 4, orderBy: { field: ${order} }) { pageInfo { endCursor } } }`,
      );
      const after = `after: "${first.data[field].pageInfo.endCursor}", orderBy: { field: ${order} }`;
      expect(await rows(after, `date ${name}`)).toEqual(found.slice(4));
    },
  );

  it('add up what validators earned', async () => {
    const fields = validatorSums[network] as string[];
    for (const row of await rows('', `validatorRewards ... on ${type} { ${fields.join(' ')} }`))
      expect(Number(row.validatorRewards)).toBeCloseTo(
        fields.reduce((sum, name) => sum + Number(row[name]), 0),
        6,
      );
  });
});

describe('rewards of sync committees', () => {
  it('have a reward, and are found again by id in one statement', async () => {
    const { rows } = await gateway.database.pool.query({
      text: "select max(slot)::int as slot from sync_committee_rewards where network = 'mainnet'",
      values: [],
    });
    const select = 'id network consensusSlot validatorIndex reward';
    const { data } = await gateway.ask(
      `{ syncCommitteeRewards(slot: ${rows[0]?.slot}, first: 150) { nodes { ${select} } } }`,
    );
    const { nodes } = data.syncCommitteeRewards;
    expect(nodes).toHaveLength(150);
    for (const { reward } of nodes) expect(reward).toMatch(/^-?\d+$/);
    const again = await gateway.ask(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on SyncCommitteeReward { ${select} } } }`,
      { ids: nodes.map(({ id }: any) => id) },
    );
    expect(again.data.nodes).toEqual(nodes);
    expect(again.statements).toEqual(['seatRewards']);
  });

  it.each(['mainnet:1', 'mainnet:1:01', 'mainnet:1:1000', 'goerli:1:1', 'mainnet:2147483648:1'])(
    'have no node of the global id %s',
    async (inner) => {
      const id = Buffer.from(`SyncCommitteeReward:${inner}`).toString('base64url');
      expect((await gateway.ask('query ($id: ID!) { node(id: $id) { id } }', { id })).data.node).toBeNull();
    },
  );
});

describe('datasets', () => {
  it('are found again by their ids in one statement', async () => {
    const { data } = await gateway.ask('{ datasets { id name revision } }');
    const ids = [...data.datasets.map(({ id }: any) => id), Buffer.from('Dataset:x').toString('base64url')];
    const again = await gateway.ask(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Dataset { id name revision } } }',
      { ids },
    );
    expect(again.data.nodes).toEqual([...data.datasets, null]);
    expect(again.statements).toEqual(['listDatasets']);
  });
});

describe('scalars', () => {
  it('say where they are specified', async () => {
    const { data } = await gateway.ask('{ __schema { types { kind name specifiedByURL } } }');
    const own = data.__schema.types.filter(
      ({ kind, name }: any) =>
        kind === 'SCALAR' && !['Int', 'Float', 'String', 'Boolean', 'ID'].includes(name),
    );
    expect(own.map(({ name }: any) => name).toSorted()).toEqual(['BigInt', 'Date', 'DateTime', 'Decimal']);
    for (const { specifiedByURL } of own) expect(specifiedByURL).toMatch(/^https:\/\//);
  });
});
