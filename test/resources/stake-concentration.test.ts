import { describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway();
const empty = useGateway({ template: 'empty' });

type Point = { id: string; rank: number; delegatedStake: string; ratio: number };

async function curve(window: string, args: string): Promise<Point[]> {
  gateway.statements.length = 0;
  const { data, errors } = await gateway.graphql(
    `{ solanaNetworkOverview(window: ${window}) { stakeConcentration${args} { id rank delegatedStake ratio } } }`,
  );
  expect(errors).toBeUndefined();
  return data.solanaNetworkOverview.stakeConcentration;
}

/** Stakes in units of 10^-9 SOL, largest first. */
async function stakes(window: string, where: string): Promise<bigint[]> {
  const { rows } = await gateway.database.pool.query({
    text: `select (delegated_stake * 1000000000)::bigint::text as stake from stake_authority_summaries
      where time_window = $1 and not superseded and ${where} order by delegated_stake desc`,
    values: [window],
  });
  return rows.map(({ stake }) => BigInt(stake as string));
}
const units = (sol: string) => {
  const [whole, fraction = ''] = sol.split('.');
  return BigInt(`${whole}${fraction.padEnd(9, '0')}`);
};
const sum = (amounts: bigint[]) => amounts.reduce((all, amount) => all + amount, 0n);

describe('the concentration of stake', () => {
  it.each([
    ['SEVEN_DAYS', '7d', '', 'true', 100],
    ['SEVEN_DAYS', '7d', '(type: POOL, points: 9)', 'pool_name is not null', 9],
    ['ALL', 'all', '(type: INDIVIDUAL, points: 2)', 'pool_name is null', 2],
  ] as const)(
    'in %s%s%s covers all stake authorities in one statement',
    async (window, name, args, where, most) => {
      const points = await curve(window, args);
      expect(gateway.statements.filter((statement) => statement === 'stakeConcentrations')).toHaveLength(1);
      expect(gateway.statements).toHaveLength(2);
      const all = await stakes(name, where);
      expect(points.length).toBeLessThanOrEqual(most);
      expect(points.length).toBeGreaterThan(most * 0.7);
      expect([points[0]?.rank, points.at(-1)?.rank]).toEqual([1, all.length]);
      for (const { rank, delegatedStake, ratio } of points) {
        const held = sum(all.slice(0, rank));
        expect(units(delegatedStake), `the ${rank} largest`).toBe(held);
        expect(ratio).toBeCloseTo(Number(held) / Number(sum(all)), 12);
      }
      expect(points.at(-1)?.ratio).toBe(1);
      const ranks = points.map(({ rank }) => rank);
      expect(ranks).toEqual([...new Set(ranks)].sort((one, other) => one - other));
      expect(new Set(points.map(({ id }) => id)).size).toBe(points.length);
    },
  );

  it('is that of its window, in one statement for all four', async () => {
    gateway.statements.length = 0;
    const { data } = await gateway.graphql(
      '{ solanaNetworkOverviews { window stakeConcentration(points: 2) { rank delegatedStake } } }',
    );
    expect(gateway.statements.filter((statement) => statement === 'stakeConcentrations')).toHaveLength(1);
    expect(data.solanaNetworkOverviews).toHaveLength(4);
    for (const { window, stakeConcentration } of data.solanaNetworkOverviews)
      expect(stakeConcentration).toEqual(
        (await curve(window, '(points: 2)')).map(({ rank, delegatedStake }) => ({ rank, delegatedStake })),
      );
  });

  it.each([1, 0, 101])('refuses %i points, and names how many are allowed', async (points) => {
    const { errors } = await gateway.graphql(
      `{ solanaNetworkOverview(window: ONE_DAY) { stakeConcentration(points: ${points}) { rank } } }`,
    );
    expect(errors?.[0]).toMatchObject({
      message: `points is ${points}; an integer from 2 to 100 is needed.`,
      extensions: { code: 'BAD_INPUT' },
    });
  });

  it('is empty without stake authorities', async () => {
    await empty.database.pool.query({
      text: `insert into solana_overviews select * from jsonb_populate_record(null::solana_overviews, (
        select jsonb_object_agg(column_name, case when data_type = 'text' then to_jsonb('7d'::text) else to_jsonb(1) end)
        from information_schema.columns
        where table_name = 'solana_overviews' and is_nullable = 'NO'))`,
      values: [],
    });
    const { data, errors } = await empty.graphql(
      '{ solanaNetworkOverview(window: SEVEN_DAYS) { stakeConcentration { rank } } }',
    );
    expect(errors).toBeUndefined();
    expect(data.solanaNetworkOverview.stakeConcentration).toEqual([]);
  });
});
