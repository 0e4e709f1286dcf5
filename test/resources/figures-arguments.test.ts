import { beforeAll, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway();
let owners: Record<'Operator' | 'Validator', string>;

beforeAll(async () => {
  const { json } = await gateway.get('/v0/eth/operators?window=all&idType=pool&size=1');
  const { rows } = await gateway.database.pool.query({
    text: `select validator_index as index from validator_days
      where network = 'mainnet' group by 1 having count(distinct day) > 5 order by 1 limit 1`,
    values: [],
  });
  owners = {
    Operator: `operator(operatorId: ${JSON.stringify(json.data[0].id)}, idType: POOL)`,
    Validator: `validator(by: { index: ${rows[0]?.index} })`,
  };
});

const SELECTION = 'edges { cursor node { id day date startDay endDay validatorCount } }';

async function list(owner: string, field: string, args: string, selection = SELECTION) {
  const { data, errors } = await gateway.graphql(
    `{ owner: ${owner} { list: ${field}(${args}) { ${selection} } } }`,
  );
  expect(errors).toBeUndefined();
  return data.owner.list.edges as { cursor: string; node: any }[];
}
const nodes = async (owner: string, field: string, args: string) =>
  (await list(owner, field, args)).map(({ node }) => node);

describe.each([
  ['Operator', 'effectiveness'],
  ['Operator', 'proposals'],
  ['Operator', 'rewards'],
  ['Validator', 'attestations'],
  ['Validator', 'effectiveness'],
  ['Validator', 'proposals'],
  ['Validator', 'rewards'],
] as const)('%s.%s', (type, field) => {
  it('takes a range of days or of dates, both ends included', async () => {
    const owner = owners[type];
    const days = await nodes(owner, field, 'first: 200');
    expect(days.length).toBeGreaterThan(3);
    const [to, from] = [days[1].day, days.at(-2).day];
    const within = days.filter(({ day }) => day >= from && day <= to).map(({ day }) => day);
    const cut = await nodes(owner, field, `first: 200, fromDay: ${from}, toDay: ${to}`);
    expect(cut.map(({ day }) => day)).toEqual(within);

    const dates = await nodes(owner, field, 'first: 200, utc: true');
    const bounds = [dates.at(-2).date, dates[1].date];
    const between = await nodes(
      owner,
      field,
      `first: 200, utc: true, fromDate: "${bounds[0]}", toDate: "${bounds[1]}"`,
    );
    expect(between.map(({ date }) => date)).toEqual(dates.map(({ date }) => date).slice(1, -1));
  });

  it('takes a granularity, an order, and the page before a cursor', async () => {
    const owner = owners[type];
    const days = await list(owner, field, 'first: 200');
    const all = await nodes(owner, field, 'first: 5, granularity: ALL');
    expect(all).toHaveLength(1);
    expect([all[0].startDay, all[0].endDay]).toEqual([days.at(-1)?.node.day, days[0]?.node.day]);
    const rising = await nodes(owner, field, 'first: 200, orderBy: { field: PERIOD, direction: ASC }');
    expect(rising.map(({ id }) => id)).toEqual(days.map(({ node }) => node.id).reverse());
    const before = await nodes(owner, field, `last: 2, before: "${days[3]?.cursor}"`);
    expect(before.map(({ id }) => id)).toEqual([days[1]?.node.id, days[2]?.node.id]);
  });
});

it.each([
  ['Operator.attestations', 'attestations'],
  ['Operator.consolidations', 'consolidations'],
])('%s takes orderBy', async (_name, field) => {
  const key = field === 'attestations' ? 'PERIOD' : 'EPOCH';
  const ids = async (direction: string) =>
    (
      await list(
        owners.Operator,
        field,
        `first: 200, orderBy: { field: ${key}, direction: ${direction} }`,
        'edges { cursor node { id } }',
      )
    ).map(({ node }) => node.id);
  const rising = await ids('ASC');
  expect(await ids('DESC')).toEqual(
    field === 'attestations' ? [...rising].reverse() : expect.arrayContaining(rising),
  );
});

it('Query.attestations takes orderBy', async () => {
  const pool = /operatorId: ("[^"]+")/.exec(owners.Operator)?.[1];
  const ids = async (direction: string) => {
    const { data, errors } = await gateway.graphql(
      `{ attestations(operatorId: ${pool}, idType: POOL, first: 200, orderBy: { field: PERIOD, direction: ${direction} }) { nodes { id } } }`,
    );
    expect(errors).toBeUndefined();
    return data.attestations.nodes.map(({ id }: { id: string }) => id);
  };
  expect(await ids('DESC')).toEqual((await ids('ASC')).reverse());
});

describe('the page before a cursor', () => {
  it.each([
    ['pendingConsolidations', (page: string) => `pendingConsolidations(${page})`],
    ['networkOverview.history', (page: string) => `networkOverview { history(${page})`, '}'],
    [
      'stakeAuthority.history',
      (page: string) =>
        `stakeAuthorities(window: ONE_DAY, first: 1) { nodes { history(window: ONE_DAY, ${page})`,
      '} }',
    ],
  ] as const)('of %s has the rows before it', async (_name, field, end: string = '') => {
    const rows = async (page: string) => {
      const { data, errors } = await gateway.graphql(
        `{ ${field(page)} { edges { cursor node { id } } } ${end} }`,
      );
      expect(errors).toBeUndefined();
      const found = JSON.stringify(data);
      return [...found.matchAll(/"cursor":"([^"]+)","node":\{"id":"([^"]+)"/g)].map(([, cursor, id]) => ({
        cursor,
        id,
      }));
    };
    const first = await rows('first: 5');
    expect(first.length).toBe(5);
    const before = await rows(`last: 2, before: "${first[3]?.cursor}"`);
    expect(before.map(({ id }) => id)).toEqual([first[1]?.id, first[2]?.id]);
  });
});

it('networkOverview.history takes a range of days, and StakeAuthority.history one of dates', async () => {
  const history = async (args: string) => {
    const { data, errors } = await gateway.graphql(
      `{ networkOverview { history(first: 200${args}) { nodes { day } } } }`,
    );
    expect(errors).toBeUndefined();
    return data.networkOverview.history.nodes.map(({ day }: { day: number }) => day) as number[];
  };
  const days = await history('');
  const [from, to] = [Math.min(...days) + 2, Math.max(...days) - 2];
  expect(await history(`, fromDay: ${from}, toDay: ${to}`)).toEqual(
    days.filter((day) => day >= from && day <= to),
  );

  const dates = async (args: string) => {
    const { data, errors } = await gateway.graphql(
      `{ stakeAuthorities(window: ONE_DAY, first: 1) { nodes { history(window: ONE_DAY, first: 200${args}) { nodes { date } } } } }`,
    );
    expect(errors).toBeUndefined();
    return data.stakeAuthorities.nodes[0].history.nodes.map(({ date }: { date: string }) => date) as string[];
  };
  const all = await dates('');
  const [last, first] = [all[1], all.at(-2)] as [string, string];
  expect(await dates(`, fromDate: "${first}", toDate: "${last}"`)).toEqual(all.slice(1, -1));
});

it('privateSets has the page before a cursor', async () => {
  const page = async (args: string) => {
    const { data, errors } = await gateway.graphql(
      `{ privateSets(${args}) { edges { cursor node { id } } } }`,
    );
    expect(errors).toBeUndefined();
    return data.privateSets.edges as { cursor: string; node: { id: string } }[];
  };
  for (const set of ['first', 'second', 'third'])
    await gateway.graphql(`mutation { createPrivateSet(input: { name: "${set}" }) { userErrors { code } } }`);
  const sets = await page('first: 3');
  const before = await page(`last: 1, before: "${sets[2]?.cursor}"`);
  expect(before.map(({ node }) => node.id)).toEqual([sets[1]?.node.id]);
});
