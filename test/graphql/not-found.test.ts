import type { GraphQLObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/run/schema.ts';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway();

const ID = '00000000-0000-4000-8000-000000000000';
const globalId = Buffer.from('Slashing:mainnet:2147483647').toString('base64url');
const PUBKEY = `0x${'0'.repeat(96)}`;

type Asked = string | [args: string, message: string];

/** What a root field gives for a key that nothing has: null, a list without rows, or NOT_FOUND with what it names. */
const nothing: Record<
  string,
  { null?: string[]; empty?: Asked[]; notFound?: [args: string, message: string][] }
> = {
  attestations: {
    notFound: [['operatorId: "nobody", idType: POOL', 'Pool "nobody" was not found on mainnet.']],
  },
  block: { null: ['slot: 2147483647'] },
  blocks: { empty: ['fromSlot: 2147483647', 'network: HOLESKY, fromSlot: 2147483647'] },
  builder: { null: [`pubkey: "${PUBKEY}"`] },
  builders: { empty: ['network: HOLESKY', 'where: { exited: true }'] },
  chainDailyReward: { null: ['day: 2900000'] },
  pendingConsolidations: { empty: ['by: { index: 2147483647 }'] },
  chainDailyRewards: { empty: ['fromDay: 9000000'] },
  consolidationCapacities: {},
  consolidations: {
    empty: ['by: { index: 2147483647 }', `by: { pubkey: "${PUBKEY}" }`, 'fromDay: 9000000'],
    notFound: [['operatorId: "nobody", idType: POOL', 'Pool "nobody" was not found on mainnet.']],
  },
  consolidationHistory: { empty: ['toDate: "2020-12-31"'] },
  datasets: {},
  networkOverview: {},
  networkValidators: {
    empty: [
      'network: SOLANA, date: "2100-01-01"',
      'network: POLYGON, date: "2000-01-01", orderBy: { field: STAKE }',
    ],
  },
  networkRewards: { empty: ['network: SOLANA, fromDate: "2100-01-01"'] },
  node: { null: [`id: "${globalId}"`] },
  nodes: {},
  operator: { null: ['operatorId: "nobody"', 'operatorId: "nobody", idType: POOL'] },
  operatorConsolidationCapacities: {},
  operatorConsolidations: { empty: ['fromDay: 9000000'] },
  operators: {
    notFound: [
      ['window: ALL, parentId: "nobody"', 'Pool or node operator "nobody" was not found on mainnet.'],
    ],
  },
  privateSet: { null: [`setId: "${ID}"`] },
  privateSets: { empty: ['network: HOLESKY'] },
  savedViews: {},
  search: { empty: ['query: "zzzzzzzzzzzzzzzz"'] },
  slashing: { null: ['by: { index: 2147483647 }', `by: { pubkey: "${PUBKEY}" }`] },
  slashingHistory: {
    empty: ['fromDay: 9000000', 'where: { operator: { operatorId: "nobody", idType: POOL } }'],
  },
  slashings: { empty: ['fromEpoch: 2147483646'] },
  solanaNetworkOverview: {},
  solanaNetworkOverviews: {},
  stakeAuthorities: {},
  stakeAuthority: { null: [`stakeAuthority: "${'1'.repeat(32)}"`] },
  syncCommitteeRewards: {
    notFound: [['slot: 2147483647', 'A reward of slot 2147483647 was not found on mainnet.']],
  },
  validator: { null: ['by: { index: 2147483647 }', `by: { pubkey: "${PUBKEY}" }`] },
  validators: { empty: ['indices: [2147483647]'] },
  validatorRanking: {
    empty: [
      'fromDay: 9000000',
      'where: { indices: [2147483647] }',
      'where: { operator: { operatorId: "nobody", idType: POOL } }',
    ],
  },
  validatorRewards: {
    empty: ['network: POLYGON, validatorId: "27", fromDate: "2100-01-01"'],
    notFound: [['network: POLYGON, validatorId: "28"', 'Validator "28" was not found on polygon.']],
  },
  viewer: {},
};

const query = schema.getQueryType() as GraphQLObjectType;
const roots = Object.keys(query.getFields());
const known = Object.entries(nothing).filter(([name]) => roots.includes(name));
const isPage = (name: string) => String(query.getFields()[name]?.type).endsWith('Connection');
const ask = (name: string, args: string) =>
  gateway.graphql(`{ ${name}(${args}) ${isPage(name) ? '{ nodes { __typename } }' : '{ __typename }'} }`);
const cases = <Kind extends 'null' | 'empty' | 'notFound'>(kind: Kind) =>
  known.flatMap(([name, one]) =>
    (one[kind] ?? []).map((asked) => (typeof asked === 'string' ? [name, asked, ''] : [name, ...asked])),
  ) as [string, string, string][];

describe('what is not there', () => {
  it('is known of every root field', () => {
    expect(roots.filter((name) => !(name in nothing))).toEqual([]);
  });

  it.each(cases('null'))('is null for a single object, without an error: %s(%s)', async (name, args) => {
    const { data, errors } = await ask(name, args);
    expect([data, errors]).toEqual([{ [name]: null }, undefined]);
  });

  it.each(cases('empty'))('is a list without rows: %s(%s)', async (name, args) => {
    const { data, errors } = await ask(name, args);
    expect(errors).toBeUndefined();
    expect(isPage(name) ? data[name].nodes : data[name]).toEqual([]);
  });

  it.each(cases('notFound'))('is NOT_FOUND where a list is of it: %s(%s)', async (name, args, message) => {
    const { data, errors } = await ask(name, args);
    expect(data).toEqual({ [name]: null });
    expect(errors).toHaveLength(1);
    expect(errors?.[0]).toMatchObject({ message, path: [name], extensions: { code: 'NOT_FOUND' } });
  });

  it('is null in its place among nodes', async () => {
    const { data } = await gateway.graphql(`{ nodes(ids: ["${globalId}"]) { id } }`);
    expect(data).toEqual({ nodes: [null] });
  });
});
