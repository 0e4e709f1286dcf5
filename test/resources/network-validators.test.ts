import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPool, type Pool } from '../../src/db/pool.ts';
import {
  type RankedRewards,
  rankedRewards,
  rewardedValidators,
  rewardPages,
} from '../../src/resources/network-rewards/queries.ts';
import { definitions, hasStake, rewardsNetworks } from '../../src/resources/network-rewards/record.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase, useGateway } from '../support/gateway.ts';
import { rewardLists } from '../support/rewards.ts';
import { every } from '../support/thorough.ts';
import { walkKeys } from '../support/walk.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});
const query = async (text: string, values: unknown[] = []) =>
  (await gateway.database.pool.query({ text, values })).rows;
const ask = async (text: string, variables = {}) => {
  gateway.statements.length = 0;
  const { data, errors } = await gateway.graphql(text, variables);
  expect(errors).toBeUndefined();
  return data;
};
const refused = async (text: string) => {
  const { errors } = await gateway.graphql(text);
  expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
  return errors?.[0].message as string;
};
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const NEWEST = '2025-10-31';

const fields = {
  STAKE: 'stake',
  VALIDATOR_REWARDS: 'validatorRewards',
  DELEGATOR_REWARDS: 'delegatorRewards',
};
type Field = keyof typeof fields;
const lists = rewardsNetworks.flatMap((network) =>
  (Object.keys(fields) as Field[])
    .filter((field) => field !== 'STAKE' || hasStake(network))
    .map((field) => ({ network, field })),
);
const columnsOf = ({ network, field }: (typeof lists)[number]) =>
  (field === 'STAKE' ? ['totalStake'] : definitions[network].sums[fields[field] as 'validatorRewards'])
    .map(snake)
    .join(' + ');

describe.each(every(2, lists))('the validators of $network by $field', ({ network, field }) => {
  const args = (direction: string, date = NEWEST) =>
    `network: ${network.toUpperCase()}, date: "${date}", orderBy: { field: ${field}, direction: ${direction} },`;

  it.each(['ASC', 'DESC'])('of a day come once each, both ways, by cursor: %s', async (direction) => {
    const id = snake(definitions[network].idField);
    const stored = await query(
      `select ${id}::text as id from ${network}_validator_rewards where day = $1
       order by ${columnsOf({ network, field })} ${direction}, ${id} ${direction}`,
      ['2025-09-13'],
    );
    expect(stored).toHaveLength(12);
    for (const way of ['forward', 'backward'] as const)
      expect(
        await walkKeys(gateway, ['networkValidators', 'validator'], args(direction, '2025-09-13'), 2, way),
      ).toEqual(stored.map((row) => row.id));
  });

  it('are one statement, and one more with their number', async () => {
    const name = fields[field];
    const data = await ask(`{ networkValidators(${args('DESC')}) { nodes { date validator ${name} } } }`);
    expect(gateway.statements).toEqual(['rankedRewards']);
    const amounts = data.networkValidators.nodes.map((row: any) => Number(row[name]));
    expect(amounts).toEqual(amounts.toSorted((one: number, other: number) => other - one));
    const counted = await ask(`{ networkValidators(${args('DESC')} first: 1) { totalCount nodes { id } } }`);
    expect(gateway.statements).toEqual(['rankedRewards', 'rewardedValidators']);
    expect(counted.networkValidators).toMatchObject({ totalCount: 12, nodes: [{}] });
  });
});

describe('networkValidators', () => {
  it('are of the newest day by validatorRewards, largest first, unless asked for otherwise', async () => {
    const rows = 'totalCount nodes { date validator validatorRewards }';
    const [first, ordered, byDate] = await Promise.all(
      [
        'network: SOLANA',
        `network: SOLANA, orderBy: { field: VALIDATOR_REWARDS }`,
        `network: SOLANA, date: "${NEWEST}"`,
      ].map(async (args) => (await ask(`{ networkValidators(${args}) { ${rows} } }`)).networkValidators),
    );
    expect(first.nodes.map((row: any) => row.date)).toEqual(Array(12).fill(NEWEST));
    expect([ordered, byDate]).toEqual([first, first]);
    expect(await ask(`{ networkValidators(network: SOLANA, date: "2000-01-01") { ${rows} } }`)).toEqual({
      networkValidators: { totalCount: 0, nodes: [] },
    });
  });

  it('have the fields of their network, and a name and stake where it has those', async () => {
    const data = await ask(
      `{ ${rewardsNetworks
        .map(
          (network) =>
            `${network}: networkValidators(network: ${network.toUpperCase()}, first: 1) { nodes { ...R } }`,
        )
        .join(' ')} }
      fragment R on ValidatorReward { __typename id validator displayName stake
        ... on SolanaValidatorReward { voteAccount validatorName } ... on PolkadotValidatorReward { totalStake } }`,
    );
    const names = {
      avalanche: null,
      polkadot: null,
      cardano: 'Creek Kiln',
      solana: 'Summit Forge',
    };
    for (const [network, displayName] of Object.entries(names))
      expect(data[network].nodes[0].displayName).toBe(displayName);
    for (const { network, id } of rewardLists) {
      expect(data[network].nodes[0].validator).toBe(id);
      expect(data[network].nodes[0].stake !== null).toBe(hasStake(network));
    }
    expect(data.solana.nodes[0].voteAccount).toBe(data.solana.nodes[0].validator);
    expect(data.polkadot.nodes[0].totalStake).toBe(data.polkadot.nodes[0].stake);
  });

  it('tell the share of the largest, with the rewards of the network on that day', async () => {
    const data = await ask(`{
      networkValidators(network: POLYGON, date: "${NEWEST}", first: 3, orderBy: { field: STAKE }) { nodes { stake validatorRewards } }
      networkRewards(network: POLYGON, fromDate: "${NEWEST}", toDate: "${NEWEST}") { nodes { stake validatorRewards } }
      solana: networkRewards(network: SOLANA, last: 1) { nodes { stake } }
    }`);
    const [whole] = data.networkRewards.nodes;
    for (const name of ['stake', 'validatorRewards']) {
      const sum = data.networkValidators.nodes.reduce((all: number, row: any) => all + Number(row[name]), 0);
      expect(sum / Number(whole[name])).toBeGreaterThan(0.2);
      expect(sum / Number(whole[name])).toBeLessThan(0.35);
    }
    expect(data.solana.nodes).toEqual([{ stake: null }]);
  });

  it('refuse an order by stake where rewards have none, bad sizes, and cursors of other lists', async () => {
    expect(
      await refused(
        '{ networkValidators(network: SOLANA, orderBy: { field: STAKE }, first: 0) { totalCount } }',
      ),
    ).toBe(
      'orderBy.field is STAKE, which rewards of Solana do not have; one of VALIDATOR_REWARDS, DELEGATOR_REWARDS is needed. first is 0; an integer from 1 to 200 is needed.',
    );
    const page = (await ask('{ networkValidators(network: POLKADOT) { pageInfo { endCursor } } }'))
      .networkValidators;
    for (const args of [
      'network: POLYGON',
      'network: POLKADOT, orderBy: { field: STAKE }',
      `network: POLKADOT, date: "${NEWEST}"`,
      'network: POLKADOT, orderBy: { field: VALIDATOR_REWARDS, direction: ASC }',
    ])
      expect(
        await refused(`{ networkValidators(${args}, after: "${page.pageInfo.endCursor}") { totalCount } }`),
      ).toMatch(/^after is not a cursor/);
  });

  it('keep to the day of the first page, though a newer day lands, and refuse cursors of two days', async () => {
    const page = async (more: string) =>
      (
        await ask(
          `{ networkValidators(network: CELESTIA, first: 7, ${more}) { totalCount nodes { date validator } pageInfo { startCursor endCursor hasNextPage } } }`,
        )
      ).networkValidators;
    const first = await page('');
    await query(`insert into celestia_validator_rewards select (jsonb_populate_record(r, '{"day":"2025-11-01"}')).*
      from celestia_validator_rewards r where day = '${NEWEST}' limit 4`);
    const next = await page(`after: "${first.pageInfo.endCursor}"`);
    expect([...first.nodes, ...next.nodes].map((row: any) => row.date)).toEqual(Array(12).fill(NEWEST));
    expect([first.totalCount, next.totalCount, next.pageInfo.hasNextPage]).toEqual([12, 12, false]);
    const newer = await page('');
    expect([newer.nodes[0].date, newer.totalCount]).toEqual(['2025-11-01', 4]);
    expect(
      await refused(
        `{ networkValidators(network: CELESTIA, after: "${first.pageInfo.endCursor}", before: "${newer.pageInfo.endCursor}") { totalCount } }`,
      ),
    ).toBe(`before is of 2025-11-01 and after of ${NEWEST}; take both from pages of one day.`);
    const past = await page(`after: "${next.pageInfo.endCursor}"`);
    expect(past).toMatchObject({ totalCount: 12, nodes: [] });
  });
});

describe('validators of equal amounts', () => {
  const DAY = '2024-02-29';
  const letter = (at: number) => 'ABCDEFGHJK'[at];
  const ids = Array.from({ length: 40 }, (_, at) =>
    `NodeID-${letter(at % 10)}${letter(Math.floor(at / 10))}`.padEnd(31, '1'),
  );
  /** Few amounts, of different digits. */
  const amount = (at: number) => ['0', '0.00', '1.5', '1.500', '2'][at % 5] as string;
  beforeAll(async () => {
    for (const [at, id] of ids.entries())
      await query(
        `insert into avalanche_validator_rewards select (jsonb_populate_record(r, $1)).*
         from avalanche_validator_rewards r limit 1`,
        [
          JSON.stringify({
            ...{
              day: DAY,
              node_id: id,
              total_validator_rewards: amount(at),
              total_validator_fee_rewards: '0.0',
            },
            total_delegator_rewards: amount(at + 2),
          }),
        ],
      );
  });

  it.each([
    ['VALIDATOR_REWARDS', 0],
    ['DELEGATOR_REWARDS', 2],
  ] as const)('come once each, by their ids, in the direction of the order: %s', async (field, from) => {
    const ascending = ids
      .map((id, at) => ({ id, value: Number(amount(at + from)) }))
      .sort((one, other) => one.value - other.value || (one.id < other.id ? -1 : 1))
      .map(({ id }) => id);
    for (const [direction, expected] of [
      ['ASC', ascending],
      ['DESC', ascending.toReversed()],
    ] as const)
      for (const way of ['forward', 'backward'] as const) {
        const args = `network: AVALANCHE, date: "${DAY}", orderBy: { field: ${field}, direction: ${direction} },`;
        expect(await walkKeys(gateway, ['networkValidators', 'validator'], args, 7, way)).toEqual(expected);
      }
  });
});

describe('a page of the validators of a day', () => {
  let database: TestDatabase;
  let served: Pool; // plans statements as the gateway does
  const DAYS = 20;
  const VALIDATORS = 400;
  beforeAll(async () => {
    database = await createDatabase('empty');
    served = createPool({ url: database.url, readOnly: true, max: 1, prepared: true });
    for (const network of rewardsNetworks) {
      const { idField, sums } = definitions[network];
      const amounts = [
        ...sums.validatorRewards,
        ...sums.delegatorRewards,
        ...(hasStake(network) ? ['totalStake'] : []),
      ];
      const types = await database.pool.query({
        text: `select column_name as name, data_type as type from information_schema.columns
          where table_name = $1 order by ordinal_position`,
        values: [`${network}_validator_rewards`],
      });
      const sqlOf = ({ name, type }: any) => {
        if (name === 'day') return `date '2025-01-01' + d`;
        if (name === snake(idField)) return type === 'integer' ? 'v' : `'v' || v`;
        if (amounts.map(snake).includes(name)) return 'greatest(v - 200, 0)'; // half of them earned nothing
        return type === 'text' ? `'x'` : type === 'ARRAY' ? `'{}'` : '0';
      };
      const { rows } = types as { rows: any[] };
      await database.pool.query({
        text: `insert into ${network}_validator_rewards (${rows.map(({ name }) => name).join()})
          select ${rows.map(sqlOf).join()} from generate_series(0, ${DAYS - 1}) d, generate_series(1, ${VALIDATORS}) v`,
        values: [],
      });
    }
    await database.pool.query({ text: 'analyze', values: [] });
  });
  afterAll(async () => {
    await served.end();
    await database.drop();
  });

  async function planOf(read: (db: Pick<Pool, 'query'>) => Promise<unknown>): Promise<string> {
    let plan = '';
    await read({
      async query({ text, values }) {
        const { rows } = await served.query({ text: `explain (analyze, costs off) ${text}`, values });
        plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        return { rows: [] };
      },
    });
    return plan;
  }

  const cases = lists.flatMap((list) =>
    (['asc', 'desc'] as const).map((direction) => ({ ...list, direction })),
  );
  it.each(cases)(
    'reads its own rows alone, also among equals: $network $field $direction',
    async ({ network, field, direction }) => {
      const order = { field: fields[field] as RankedRewards['order']['field'], direction };
      const id = network === 'polygon' ? '77' : 'v77';
      for (const date of ['2025-01-11', null])
        for (const after of [undefined, { day: '2025-01-11', amount: '0', id }]) {
          const range = { limit: 10, ...(after && { after }) };
          const plan = await planOf((db) => rankedRewards(db, { network, date, order }, range, ['day']));
          expect(plan).toMatch(
            new RegExp(`Index.* Scan.* using ${network}_validator_rewards_\\w+ on .*\\(actual .*rows=11\\b`),
          );
          expect(plan).not.toMatch(/Sort|Seq Scan|Removed by Filter/);
        }
    },
  );

  it.each(rewardsNetworks)(
    'leaves the days of a validator of %s to their own key, and counts within an index',
    async (network) => {
      const id = network === 'polygon' ? '77' : 'v77';
      const days = { fromDate: null, toDate: null, sortBy: 'day', sortOrder: 'desc' } as const;
      const table = { network, kind: 'validator' } as const;
      const plan = await planOf((db) => rewardPages(db, table, [id], days, { limit: 10 }, ['day']));
      expect(plan).toMatch(new RegExp(`using ${network}_validator_rewards_pkey on .*\\(actual .*rows=11\\b`));
      // VACUUM marks no page as visible to all while an older snapshot is in use, for example of autovacuum.
      await eventually(async () => {
        await database.pool.query({ text: `vacuum ${network}_validator_rewards`, values: [] });
        const count = await planOf((db) => rewardedValidators(db, network, '2025-01-11'));
        expect(count).toContain(`Index Only Scan using ${network}_validator_rewards_earned`);
      }, 60_000);
    },
  );
});
