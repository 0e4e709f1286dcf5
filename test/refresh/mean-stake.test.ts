import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Account, accountOf } from '../support/account.ts';
import { useGateway } from '../support/gateway.ts';
import { runs, slow } from '../support/thorough.ts';
import { type Day, load, refreshed, validator, validatorDay } from './facts.ts';

const gateway = useGateway({ template: 'empty' });
const query = (text: string) => gateway.database.pool.query({ text, values: [] });
const clear = () =>
  query(`truncate validator_days, validator_day_dates, validator_months, validator_month_sums, validators, operator_summaries,
    operator_lists, operator_series, operator_history, operator_history_days, attestation_entities, private_sets, datasets cascade`);
beforeEach(clear);

const ETH = 1_000_000_000;
const APR = 2.7;
const FIRST = 1_500;
const only = { only: ['operators'] as const };
const earned = (stakeEpochs: number) => Math.round((stakeEpochs * APR) / (365 * 100 * 225));

/** A day with these effective balances (ETH) for so many epochs, which earns 2.7 % a year. */
function dayOf(index: number, day: number, ...parts: (readonly [eth: number, epochs: number])[]): Day {
  const sum = parts.reduce((all, [eth, epochs]) => all + eth * epochs, 0) * ETH;
  const end = (parts.at(-1)?.[0] ?? 0) * ETH;
  return validatorDay(index, day, {
    endEpochBalance: end,
    endEpochEffectiveBalance: end,
    sumAttestationRewards: earned(sum),
    effectiveBalanceEpochs: sum,
  });
}
const unsummed = (day: Day): Day => ({ ...day, effectiveBalanceEpochs: null }) as Day;

/** Effective balances in ETH before and after the last epoch of the third day. */
const names = ['steady', 'withdraws', 'topped up', 'absorbs'];
const stakes: readonly (readonly [before: number, after: number])[] = [
  [32, 32],
  [2_048, 32],
  [32, 2_048],
  [32, 2_048],
];
const daysOf = (of: readonly number[], change = (day: Day) => day) =>
  of.flatMap((at) =>
    stakes.map(([before, after], index) =>
      change(
        at < 2
          ? dayOf(index, FIRST + at, [before, 225])
          : dayOf(index, FIRST + at, [before, 225], [after, 0]),
      ),
    ),
  );
const validators = () =>
  load(
    gateway,
    'validators',
    names.map((nodeOperator, index) => validator(index, { nodeOperator, pool: 'P' })),
  );
const aprOf = async (
  id: string,
  window: string,
  idType = 'nodeOperator',
  from: Pick<Account, 'get'> = gateway,
) =>
  (await from.get(`/v0/eth/operators/${encodeURIComponent(id)}/summary?window=${window}&idType=${idType}`))
    .json.aprPercentage;
const figures = async (id: string) => {
  const { data, errors } = await gateway.graphql(
    `query ($id: String!) { operator(operatorId: $id, idType: NODE_OPERATOR) {
      one: summary(window: ONE_DAY) { aprPercentage change(over: ONE_DAY) { aprPercentage } }
      seven: summary(window: SEVEN_DAYS) { aprPercentage }
      history(window: ONE_DAY, first: 10) { nodes { aprPercentage } } } }`,
    { id },
  );
  expect(errors).toBeUndefined();
  return data.operator;
};
const setOf = async (account: Account, validators: readonly number[]) =>
  (await account.post('/v1/eth/tags', { name: 'set', validators })).json.id as string;

describe('the APR of a validator whose stake changes', () => {
  it.each(['1d', '7d', '30d', 'all'])(
    'is what it earned a year on the stake of each epoch, in %s',
    async (window) => {
      await validators();
      await load(gateway, 'validator-days', daysOf([0, 1, 2]));
      await refreshed(gateway, only);
      for (const name of [...names])
        expect([name, await aprOf(name, window)]).toEqual([name, expect.closeTo(APR, 4)]);
      expect(await aprOf('P', window, 'pool')).toBeCloseTo(APR, 4);
    },
  );

  slow('is the same in GraphQL, in the history and without a change since the day before', async () => {
    await validators();
    for (const at of [0, 1, 2]) {
      await load(gateway, 'validator-days', daysOf([at]));
      await refreshed(gateway, only);
    }
    for (const name of names) {
      const { one, seven, history } = await figures(name);
      expect([one.aprPercentage, seven.aprPercentage]).toEqual(Array(2).fill(expect.closeTo(APR, 4)));
      expect(one.change.aprPercentage).toBeCloseTo(0, 4);
      expect(history.nodes).toEqual(Array(3).fill({ aprPercentage: expect.closeTo(APR, 4) }));
    }
    const { data } = await gateway.graphql(
      '{ operators(window: ONE_DAY, idType: NODE_OPERATOR, where: { minApr: 2.69, maxApr: 2.71 }) { totalCount } }',
    );
    expect(data.operators.totalCount).toBe(4);
  });

  it.each(['1d', '7d', 'all'])(
    'is that of a private set of it, and of its operator, in %s',
    async (window) => {
      await validators();
      await load(gateway, 'validator-days', daysOf([0, 1]));
      const account = await accountOf(gateway);
      const sets: string[] = [];
      for (const index of [0, 1, 2, 3]) sets.push(await setOf(account, [index]));
      sets.push(await setOf(account, [0, 1, 2, 3]));
      await load(gateway, 'validator-days', daysOf([2]));
      await refreshed(gateway, only);
      for (const [at, id] of sets.entries()) {
        const ofSet = await aprOf(id, window, 'privateSet', account);
        expect(ofSet).toBeCloseTo(APR, 4);
        expect(ofSet).toBe(await aprOf(names[at] ?? 'P', window, names[at] ? 'nodeOperator' : 'pool'));
      }
    },
  );

  it('is that of a month whose days were added up', async () => {
    await validators();
    await load(gateway, 'validator-days', daysOf([0, 1, 2]));
    await load(gateway, 'validator-days', [dayOf(9, FIRST + 40, [32, 225])]);
    await refreshed(gateway, only);
    expect((await query('select 1 as row from validator_month_sums')).rows).toHaveLength(4);
    for (const name of names) expect(await aprOf(name, 'all')).toBeCloseTo(APR, 4);
  });

  it('counts the epochs of a first and a last day', async () => {
    const epochs = { startEpoch: FIRST * 225 + 200, endEpoch: FIRST * 225 + 204 };
    await load(gateway, 'validators', [
      validator(0, { activationEpoch: epochs.startEpoch, exitEpoch: epochs.endEpoch + 1 }),
      validator(1, { nodeOperator: 'steady' }),
    ]);
    const short = {
      ...{ ...epochs, totalUniqueAttestations: 5, sumCorrectHead: 5, sumCorrectTarget: 5 },
      ...{ sumCorrectSource: 5, sumInclusionDelay: 5, sumAttestationRewards: earned(5 * 32 * ETH) },
    };
    await load(gateway, 'validator-days', [validatorDay(0, FIRST, short), dayOf(1, FIRST, [32, 225])]);
    const account = await accountOf(gateway);
    const set = await setOf(account, [0]);
    await refreshed(gateway, only);
    for (const window of ['1d', 'all']) {
      expect(await aprOf('N', window)).toBeCloseTo(APR, 4);
      expect(await aprOf(set, window, 'privateSet', account)).toBe(await aprOf('N', window));
    }
  });

  slow('is the same for any days, any stakes and any order of loading, and that of plain loops', async () => {
    const part = fc.tuple(fc.integer({ min: 32, max: 2_048 }), fc.integer({ min: 1, max: 224 }));
    const made = fc.record({
      days: fc.array(
        fc.tuple(fc.nat(2), fc.nat(4), part, fc.integer({ min: 32, max: 2_048 }), fc.nat(9_000_000)),
        {
          minLength: 1,
          maxLength: 12,
        },
      ),
      turns: fc.array(fc.boolean()),
    });
    await fc.assert(
      fc.asyncProperty(made, async ({ days, turns }) => {
        await clear();
        await load(
          gateway,
          'validators',
          [0, 1, 2].map((index) => validator(index)),
        );
        const rows = new Map<string, Day>();
        for (const [index, at, [eth, epochs], after, rewards] of days)
          rows.set(`${index} ${at}`, {
            ...dayOf(index, FIRST + at, [eth, epochs], [after, 225 - epochs]),
            sumAttestationRewards: rewards,
          });
        const facts = [...rows.values()] as (Day & { effectiveBalanceEpochs: number })[];
        const parts = [facts.filter((_, at) => turns[at]), facts.filter((_, at) => !turns[at])];
        for (const part of parts) await load(gateway, 'validator-days', part);
        await refreshed(gateway, only);
        const sum = (value: (day: (typeof facts)[number]) => number) =>
          facts.reduce((all, day) => all + value(day), 0);
        const expected =
          (36_500 * 225 * sum((day) => day.sumAttestationRewards)) / sum((day) => day.effectiveBalanceEpochs);
        expect(await aprOf('P', 'all', 'pool')).toBeCloseTo(expected, 9);
      }),
      { ...runs(10), endOnFailure: true },
    );
  });
});

describe('the APR where only the balances at the ends of days are known', () => {
  const ends = (of: readonly number[]) => daysOf(of, unsummed);
  const orders: [string, number[][]][] = [
    ['together', [[0, 1, 2]]],
    ['in order', [[0], [1], [2]]],
    ['newest first', [[2], [1], [0]]],
    ['with the day before last', [[0], [2], [1]]],
  ];

  slow.each(orders)(
    'leaves out the day on which it moved by more than 1 ETH, when days come %s',
    async (_, parts) => {
      await validators();
      const account = await accountOf(gateway);
      for (const part of parts) await load(gateway, 'validator-days', ends(part));
      const sets = await Promise.all([0, 1, 2, 3].map((index) => setOf(account, [index])));
      await refreshed(gateway, only);
      for (const [index, name] of names.entries()) {
        const left = name === 'steady' ? expect.closeTo(APR, 4) : null;
        expect([name, await aprOf(name, '1d')]).toEqual([name, left]);
        for (const window of ['7d', 'all']) {
          expect(await aprOf(name, window)).toBeCloseTo(APR, 4);
          expect(await aprOf(sets[index] as string, window, 'privateSet', account)).toBe(
            await aprOf(name, window),
          );
        }
      }
      expect(await aprOf('P', '1d', 'pool')).toBeCloseTo(APR, 4);
    },
  );

  slow('takes the mean of both ends of a day on which it moved by 1 ETH, at most 1.6 % wrong', async () => {
    await load(gateway, 'validators', [validator(0)]);
    await load(gateway, 'validator-days', [
      unsummed(dayOf(0, FIRST, [32, 225])),
      unsummed(dayOf(0, FIRST + 1, [32, 225], [31, 0])),
    ]);
    await refreshed(gateway, only);
    expect(await aprOf('N', '1d')).toBeCloseTo((APR * 32) / 31.5, 4);
  });

  slow('comes right when the day before is corrected, and when the sum is imported later', async () => {
    await validators();
    const account = await accountOf(gateway);
    await load(gateway, 'validator-days', ends([0, 1, 2]));
    const set = await setOf(account, [2]);
    await refreshed(gateway, only);
    expect(await aprOf('topped up', '1d')).toBeNull();
    const before = unsummed(dayOf(2, FIRST + 1, [32, 100], [2_048, 125]));
    await load(gateway, 'validator-days', [before]);
    await load(gateway, 'validator-days', [unsummed(dayOf(2, FIRST + 2, [2_048, 225]))]);
    await refreshed(gateway, only);
    for (const apr of [await aprOf('topped up', '1d'), await aprOf(set, '1d', 'privateSet', account)])
      expect(apr).toBeCloseTo(APR, 4);
    await load(gateway, 'validator-days', daysOf([0, 1, 2]));
    await refreshed(gateway, only);
    expect(await aprOf('topped up', '7d')).toBeCloseTo(APR, 4);
    expect(await aprOf('withdraws', '1d')).toBeCloseTo(APR, 4);
  });

  it('changes nothing when the same days are imported again', async () => {
    await load(gateway, 'validator-days', ends([0, 1, 2]));
    const rows = async () => (await query('select ctid, * from validator_days order by ctid')).rows;
    const stored = await rows();
    await load(gateway, 'validator-days', ends([0, 1, 2]));
    expect(await rows()).toEqual(stored);
  });
});
