import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/run/schema.ts';
import { BID_SLOTS, BUILDER, importBuilders } from '../support/builders.ts';
import { useGateway } from '../support/gateway.ts';
import { everyField, Records, type Required } from '../support/records.ts';
import { rewardLists } from '../support/rewards.ts';

const windows = ['ONE_DAY', 'SEVEN_DAYS', 'THIRTY_DAYS', 'ALL'];
/** Fields below a row that need a window all get this one, whatever the window of their list. */
const inWindow =
  (window: string): Required =>
  (_owner, { name: field }, argument) => {
    if (argument === 'over') return 'SEVEN_DAYS';
    if (argument !== 'window') return undefined;
    return field === 'history' && window === 'ALL' ? 'ONE_DAY' : window;
  };

type Field = GraphQLField<unknown, unknown>;
const roots = Object.values((schema.getQueryType() as GraphQLObjectType).getFields()).filter(
  ({ name }) => !['node', 'nodes', 'viewer'].includes(name),
);
const types = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && 'id' in type.getFields(),
);
const isNode = (type: GraphQLObjectType) => type.getInterfaces().some(({ name }) => name === 'Node');

/** Arguments with which a root field finds something; other fields need none. */
let needed: Record<string, string[]>;
const gateway = useGateway();
const records = new Records();
const answered = new Map<string, number>();
const asked = new Set<string>();

const some: Record<string, string[]> = {
  granularity: ['DAY', 'WEEK', 'ALL'],
  utc: ['true'],
  fromDay: ['1800'],
  fromDate: ['"2025-10-01"'],
};
function choicesOf({ name, type }: Field['args'][number]): string[] {
  const input = getNamedType(type);
  if (name !== 'orderBy' || !isInputObjectType(input)) return some[name] ?? [];
  const fields = getNamedType(input.getFields().field?.type);
  const names = isEnumType(fields) ? fields.getValues().map((value) => value.name) : [];
  return [names[0], names.at(-1)].map((field) => `{ field: ${field}, direction: DESC }`);
}

/** The ways to ask for the rows of a root field: its windows, orders, ranges, calendars and lengths of periods. */
function waysOf({ name, args }: Field): string[] {
  const windowed = args.some((arg) => arg.name === 'window') ? windows.map((one) => `window: ${one}`) : [''];
  const choices = args.flatMap((arg) => choicesOf(arg).map((value) => `${arg.name}: ${value}`));
  return (needed[name] ?? ['']).flatMap((base) =>
    windowed.flatMap((window) =>
      ['', ...choices].map((choice) => [base, window, choice].filter((text) => text !== '').join(', ')),
    ),
  );
}

async function read(query: string, required: Required, from: string): Promise<boolean> {
  if (asked.has(query)) return false;
  asked.add(query);
  const { data, errors } = await gateway.graphql(query);
  // Such as a range that an order does not take.
  if (errors?.every(({ extensions }) => extensions?.code === 'BAD_INPUT')) return false;
  expect(errors, query).toBeUndefined();
  records.add(data, required, from);
  return true;
}

async function readRoot({ name, type }: Field, given: string, window: string) {
  const below = getNamedType(type) as GraphQLObjectType | GraphQLInterfaceType;
  const page = below.name.endsWith('Connection');
  const args = [given, ...(page ? ['first: 3'] : [])].filter((text) => text !== '').join(', ');
  const required = inWindow(window);
  const from = `${name}${args ? `(${args})` : ''}`;
  if (await read(`{ ${from} ${everyField(below, page ? 2 : 1, required)} }`, required, from))
    answered.set(name, (answered.get(name) ?? 0) + 1);
}

async function readNodes(type: GraphQLObjectType) {
  const ids = records.idsOf(type.name).slice(0, 3);
  if (ids.length === 0) return;
  const from = `nodes(ids: ${JSON.stringify(ids.map(({ id }) => id))})`;
  const required = inWindow('ALL');
  await read(`{ ${from} { ... on ${type.name} ${everyField(type, 1, required)} } }`, required, from);
}

beforeAll(async () => {
  await importBuilders(gateway);
  await gateway.graphql('mutation { createSavedView(input: { name: "a", path: "/" }) { savedView { id } } }');
  const { rows } = await gateway.database.pool.query({
    text: `select (select max(slot)::int from sync_committee_rewards where network = 'mainnet') as slot,
      (select min(validator_index) from slashings where network = 'mainnet') as slashed`,
    values: [],
  });
  const { data } = await gateway.graphql(`{
    privateSets(first: 1) { nodes { setId } }
    stakeAuthorities(window: ALL, first: 1) { nodes { stakeAuthority } }
    chainDailyRewards(first: 1) { nodes { day } }
    operators(window: ALL, idType: POOL, first: 1) { nodes { operatorId } }
  }`);
  const { slot, slashed } = rows[0] as { slot: number; slashed: number };
  const pool = [`operatorId: ${JSON.stringify(data.operators.nodes[0].operatorId)}, idType: POOL`];
  const networks = rewardLists.map(({ network, id }) => ({
    network: `network: ${network.toUpperCase()}`,
    id,
  }));
  needed = {
    attestations: pool,
    block: [`slot: ${slot}`, `slot: ${BID_SLOTS[0]}`],
    blocks: ['', `where: { payload: EMPTY }`],
    builder: [`pubkey: "${BUILDER.pubkey}"`],
    chainDailyReward: [`day: ${data.chainDailyRewards.nodes[0].day}`],
    networkRewards: networks.map(({ network }) => network),
    networkValidators: networks.map(({ network }) => network),
    operator: pool,
    operators: ['idType: POOL'],
    privateSet: [`setId: "${data.privateSets.nodes[0].setId}"`],
    search: ['query: "Alder Liquid"', 'query: "Alder Liquid", kinds: [OPERATOR]'],
    slashing: [`by: { index: ${slashed} }`],
    stakeAuthority: [`stakeAuthority: "${data.stakeAuthorities.nodes[0].stakeAuthority}"`],
    syncCommitteeRewards: [`slot: ${slot}`],
    validator: [`by: { index: ${slashed} }`],
    validatorRewards: networks.map(({ network, id }) => `${network}, validatorId: "${id}"`),
  };
  for (const root of roots)
    for (const given of waysOf(root))
      for (const window of ['SEVEN_DAYS', 'ALL']) await readRoot(root, given, window);
  for (const type of types.filter(isNode)) await readNodes(type);
});

describe('a field of an object has one value', () => {
  it('in a test that reads every field of the root, and most objects in several ways', () => {
    expect(roots.map(({ name }) => name).filter((name) => !answered.has(name))).toEqual([]);
    const once = types.filter(({ name }) => (records.idsOf(name)[0]?.queries ?? 0) < 2);
    expect(once.map(({ name }) => name)).toEqual([]);
  });

  it.each(types.map(({ name }) => name))('of %s, whichever list it was read from', (name) => {
    const conflicts = records.conflicts.filter(({ record }) => record.startsWith(`${name}:`));
    expect(conflicts.slice(0, 3)).toEqual([]);
  });
});
