import { type GraphQLObjectType, getNamedType, isLeafType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Deprecation, deprecations, hasReplacement } from '../support/deprecations.ts';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway();

describe('the deprecation reasons', () => {
  it('name a replacement that exists and is not deprecated, and a last day', () => {
    expect(deprecations.length).toBeGreaterThan(80);
    expect(
      deprecations.filter((one) => !hasReplacement(one)).map(({ name, reason }) => [name, reason]),
    ).toEqual([]);
    for (const { lastDay } of deprecations)
      expect(new Date(lastDay).toISOString().slice(0, 10)).toBe(lastDay);
  });

  it('are on no argument or input field that is required', () => {
    const required = deprecations.filter(({ argument }) => argument && String(argument.type).endsWith('!'));
    expect(required.map(({ name }) => name)).toEqual([]);
  });
});

const SET = '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';
let slot: number;
beforeAll(async () => {
  const { rows } = await gateway.database.pool.query({
    text: "select max(slot)::int as slot from sync_committee_rewards where network = 'mainnet'",
    values: [],
  });
  slot = rows[0]?.slot as number;
});

/** A query for rows of each type that has deprecated fields, with the selection in place of `{}`. */
const rowsOf: Record<string, () => string> = {
  AttestationRecord: () =>
    'attestations(operatorId: "Sample Pool Alder", idType: POOL, first: 3) { nodes {} }',
  ClientPercentage: () =>
    'operators(window: SEVEN_DAYS, idType: POOL, first: 5) { nodes { summary { clientPercentages {} } } }',
  Block: () => 'blocks(first: 40) { nodes {} }',
  ConsolidationCapacity: () => 'consolidationCapacities {}',
  ConsolidationEntity: () => 'consolidations(first: 5) { nodes { sourceEntities {} } }',
  EffectivenessRecord: () => `privateSet(setId: "${SET}") { effectiveness(first: 3) { nodes {} } }`,
  NetworkClientShare: () => 'networkOverview { clients {} }',
  NetworkReward: () => 'networkRewards(network: SOLANA, first: 3) { nodes {} }',
  Operator: () => 'operators(window: SEVEN_DAYS, idType: POOL, first: 5) { nodes {} }',
  OperatorConsolidationCapacity: () => 'operatorConsolidationCapacities(window: ALL, first: 3) { nodes {} }',
  OperatorConsolidationTotal: () => 'operatorConsolidations(first: 3) { nodes {} }',
  PrivateSet: () => `privateSet(setId: "${SET}") {}`,
  ProposalRecord: () => `privateSet(setId: "${SET}") { proposals(first: 3) { nodes {} } }`,
  RelayerPercentage: () =>
    'operators(window: SEVEN_DAYS, idType: POOL, first: 5) { nodes { summary { relayerPercentages {} } } }',
  RewardRecord: () => `privateSet(setId: "${SET}") { rewards(first: 3) { nodes {} } }`,
  SolanaNetworkOverview: () => 'solanaNetworkOverviews {}',
  StakeAuthority: () => 'stakeAuthorities(window: SEVEN_DAYS, type: POOL, first: 5) { nodes {} }',
  StakeDelegation: () =>
    'stakeAuthorities(window: SEVEN_DAYS, first: 5) { nodes { summary { delegations {} } } }',
  SyncCommitteeReward: () => `syncCommitteeRewards(slot: ${slot}, first: 3) { nodes {} }`,
  ValidatorReward: () => 'validatorRewards(network: POLYGON, validatorId: "27", first: 3) { nodes {} }',
};

/** What the replacement is selected as under the name of the deprecated field; undefined if it is no field of the row. */
function selectionOf({ parent, field, replacement }: Deprecation): string | undefined {
  const inner = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';
  const [, nested] = /^summary \{ (\w+) \}$/.exec(replacement) ?? [];
  if (nested) return `summary { value: ${nested} }`;
  if (replacement === 'summary(window:)' && field.args.length === 0)
    return `summary(window: SEVEN_DAYS) { value: ${field.name}${inner} }`;
  return parent.getFields()[replacement] && !field.args.length ? `value: ${replacement}${inner}` : undefined;
}

const rowsIn = (value: any): any[] =>
  Array.isArray(value)
    ? value.flatMap(rowsIn)
    : 'old' in value
      ? [value]
      : Object.values(value).flatMap(rowsIn);

/** Their replacement is a ratio. */
const inPercent = new Set(['NetworkClientShare.percentage']);

const roots = new Set(['Query', 'Mutation']);
const fields = deprecations.filter(
  ({ parent, argument }) => !argument && !roots.has(parent.name) && !parent.name.endsWith('Payload'),
);

describe('a deprecated field', () => {
  it.each(fields.map((one) => [one.name, one] as const))(
    'has the values of its replacement: %s',
    async (_name, one) => {
      const { parent, field } = one;
      const selection = selectionOf(one);
      if (!selection) return expect(field.args.length).toBeGreaterThan(0); // tested by its own room
      const inner = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';
      const query = rowsOf[parent.name]?.();
      if (!query) throw new Error(`rowsOf has no query for rows of ${parent.name}.`);
      const text = `{ ${query.replace('{}', `{ old: ${field.name}${inner} ${selection} }`)} }`;
      const { data, errors } = await gateway.graphql(text);
      expect(errors).toBeUndefined();
      const found = rowsIn(data);
      expect(found.length).toBeGreaterThan(0);
      for (const row of found) {
        const value = row.summary ? row.summary.value : row.value;
        if (inPercent.has(one.name)) expect(row.old / 100).toBeCloseTo(value, 12);
        // The summary shows decimals that are ratios as doubles.
        else if (typeof value === 'number' && typeof row.old === 'string')
          expect(Number(row.old)).toBe(value);
        else expect(value).toEqual(row.old);
      }
    },
  );
});

/** A root field that is deprecated has the rows of its replacement, where both take the same arguments. */
const sameArguments = deprecations.filter(({ parent, field, argument, replacement }) => {
  const other = (parent as GraphQLObjectType).getFields()[replacement];
  const names = ({ args }: { args: readonly { name: string }[] }) => args.map(({ name }) => name).join();
  return !argument && parent.name === 'Query' && other && names(field) === names(other);
});

describe('a deprecated query', () => {
  it.each(sameArguments.map((one) => [one.name, one] as const))(
    'has the rows of its replacement: %s',
    async (_name, one) => {
      const { field, replacement } = one;
      const paged = getNamedType(field.type).name.endsWith('Connection');
      const inner = paged ? '{ totalCount nodes { id } pageInfo { startCursor endCursor } }' : '{ id }';
      const { data, errors } = await gateway.graphql(
        `{ old: ${field.name} ${inner} now: ${replacement} ${inner} }`,
      );
      expect(errors).toBeUndefined();
      expect(data.now).toEqual(data.old);
    },
  );
});
