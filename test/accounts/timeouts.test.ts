import pg from 'pg';
import { expect, it } from 'vitest';
import { makeAccount, storedUsage } from '../support/accounts.ts';
import { useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

// A statement that runs into its timeout is charged for its work; other failures of the service cost nothing.

const gateway = useGateway({ settings: { STATEMENT_TIMEOUT_MS: 500 } });
const PATH = '/v0/eth/operators?window=7d&idType=pool&size=40';
const QUERY = '{ operators(window: SEVEN_DAYS, idType: POOL, first: 40) { nodes { id } } }';

async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  const locker = new pg.Client({ connectionString: gateway.database.url });
  await locker.connect();
  await locker.query('begin; lock table operator_lists in access exclusive mode');
  return await work().finally(() => locker.end());
}
const account = async () => {
  const { name, ...as } = await makeAccount(gateway, { unitAllowance: 1_000 });
  const used = async () => {
    await gateway.meter.flush();
    return (await storedUsage(gateway, name)).units;
  };
  return { as, used };
};

it.each([
  ['REST', (as: Record<string, string>) => gateway.get(PATH, as)],
  ['GraphQL', (as: Record<string, string>) => gateway.graphql(QUERY, {}, as)],
])(
  'A request of %s whose statement ran into its timeout is 503 and costs its estimate',
  async (_api, ask) => {
    const { as, used } = await account();
    const { status, headers } = await whileLocked(() => ask(as));
    expect([status, headers.get('x-service-compute-units')]).toEqual([503, '45']);
    expect(await used()).toBe(45);
  },
);

slow('A compiled query and a whole list do so too', async () => {
  const { as, used } = await account();
  for (let time = 0; time < 3; time += 1) await gateway.graphql(`# compiled\n${QUERY}`, {}, as);
  const before = await used();
  const { status, json } = await whileLocked(() => gateway.graphql(`# compiled\n${QUERY}`, {}, as));
  expect([status, json.extensions.cost]).toEqual([
    503,
    { estimated: 45, charged: 45, remaining: 1_000 - before - 45 },
  ]);
  expect(await used()).toBe(before + 45);
  const list = await whileLocked(() =>
    gateway.get(`${PATH.replace('&size=40', '')}&all`, { accept: 'text/csv', ...as }),
  );
  expect([list.status, list.headers.get('x-service-compute-units')]).toEqual([503, '205']);
});

it('Other failures of the service cost nothing', async () => {
  const { as, used } = await account();
  await gateway.database.pool.query({ text: 'alter table operator_lists rename to away', values: [] });
  const answers = [await gateway.get(PATH, as), await gateway.graphql(`# away\n${QUERY}`, {}, as)];
  await gateway.database.pool.query({ text: 'alter table away rename to operator_lists', values: [] });
  expect(answers.map(({ headers }) => headers.get('x-service-compute-units'))).toEqual(['0', '0']);
  expect(await used()).toBe(0);
});
