import fc from 'fast-check';
import pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { dateOfDay, dayOfDate } from '../../src/chain/calendar.ts';
import { finishValidatorDays } from '../../src/ingest/importers/validator-days.ts';
import { noteChangedDays, sumDueMonth } from '../../src/ingest/importers/validator-months.ts';
import { addToSums } from '../../src/refresh/incremental/added-amounts.ts';
import { refresh } from '../../src/refresh/index.ts';
import { useGateway } from '../support/gateway.ts';
import { runs, slow } from '../support/thorough.ts';
import { rowsOf } from '../support/typed.ts';
import {
  type Day,
  load,
  published,
  randomDay,
  refreshed,
  syncDay,
  validator,
  validatorDay,
} from './facts.ts';

const gateway = useGateway({ template: 'empty' });
const query = <T = Record<string, unknown>>(text: string) => rowsOf<T>(gateway.database.pool, text);
const clear = () =>
  query(`truncate validator_days, validator_day_dates, validator_months, validator_month_sums, validators, operator_summaries,
    operator_lists, operator_series, operator_history, operator_history_days, datasets cascade`);
beforeEach(clear);

const only = { only: ['operators'] as const, networks: ['mainnet'] as const, windows: ['all'] as const };
const day = (date: string) => dayOfDate('mainnet', date);
const monthOf = ({ day }: Day) => `${dateOfDay('mainnet', day).slice(0, 7)}-01`;
const client = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const own = new pg.Client({ connectionString: gateway.database.url });
  await own.connect();
  return work(own).finally(() => own.end());
};

const months = () => query('select month::text as month, due from validator_months order by month');
const operators = async () => (await published(gateway)).operators.map(({ row }: any) => row);
const sums = () =>
  query<{ row: Record<string, unknown> }>(
    'select to_jsonb(s) as row from validator_month_sums s join validator_months using (network, month) where not due order by month, validator_index',
  );

/** Sums of the months before that of the newest day, computed with plain loops. */
function reference(facts: readonly Day[]) {
  const last = facts.map(monthOf).sort().at(-1);
  const found = new Map<string, any>();
  for (const fact of facts) {
    const month = monthOf(fact);
    if (month === last || fact.totalUniqueAttestations + fact.sumMissedAttestations === 0) continue;
    const key = `${month} ${String(fact.validatorIndex).padStart(3, '0')}`;
    const sum = found.get(key) ?? {
      ...{ network: 'mainnet', month, validator_index: fact.validatorIndex, end_epoch: 0 },
      ...{ total_unique_attestations: 0, sum_missed_attestations: 0, sum_correct_head: 0 },
      ...{ sum_correct_target: 0, sum_correct_source: 0, sum_inclusion_delay: 0 },
      ...{ proposed_count: 0, missed_proposal_count: 0, apr_rewards: 0, apr_stake: 0 },
    };
    found.set(key, {
      ...sum,
      end_epoch: Math.max(sum.end_epoch, fact.endEpoch),
      total_unique_attestations: sum.total_unique_attestations + fact.totalUniqueAttestations,
      sum_missed_attestations: sum.sum_missed_attestations + fact.sumMissedAttestations,
      sum_correct_head: sum.sum_correct_head + fact.sumCorrectHead,
      sum_correct_target: sum.sum_correct_target + fact.sumCorrectTarget,
      sum_correct_source: sum.sum_correct_source + fact.sumCorrectSource,
      sum_inclusion_delay: sum.sum_inclusion_delay + fact.sumInclusionDelay,
      proposed_count: sum.proposed_count + fact.proposedCount,
      missed_proposal_count: sum.missed_proposal_count + fact.missedProposalCount,
      apr_rewards:
        sum.apr_rewards +
        fact.sumAttestationRewards +
        fact.sumSyncCommitteeRewards +
        fact.sumProposerRewards +
        fact.sumPriorityFees +
        fact.sumBaselineMev,
      apr_stake: sum.apr_stake + Number(fact.effectiveBalanceEpochs),
    });
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** Days of four months, more than 90 of which may be stored. */
const FIRST = day('2025-01-20');
const anyDay = fc
  .record({ index: fc.nat(3), at: fc.nat(110), sync: fc.boolean() })
  .chain(
    ({ index, at, sync }): fc.Arbitrary<Day> =>
      sync && at % 7 === 0 ? fc.constant(syncDay(index, FIRST + at)) : randomDay(index, FIRST + at),
  );
const daily = fc
  .record({ from: fc.nat(8), count: fc.integer({ min: 92, max: 102 }), index: fc.nat(3) })
  .map(({ from, count, index }) =>
    Array.from({ length: count }, (_, at) =>
      validatorDay(index, FIRST + from + at, {
        sumAttestationRewards: 1_000 + at,
        sumCorrectHead: 225 - (at % 9),
        effectiveBalanceEpochs: 225 * 32_000_000_000,
      }),
    ),
  );
const batch = fc.oneof(daily, fc.array(anyDay, { minLength: 1, maxLength: 12 }));
const step = fc.oneof(
  { weight: 4, arbitrary: batch.map((rows) => ({ rows })) },
  { weight: 1, arbitrary: fc.nat(110).map((at) => ({ removed: FIRST + at })) },
  { weight: 2, arbitrary: fc.constant({ refresh: true as const }) },
);

describe('sums by month', () => {
  slow(
    'are what plain loops over the days give, whatever is imported, corrected and removed in between',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
          await clear();
          await load(
            gateway,
            'validators',
            [0, 1, 2, 3].map((index) => validator(index, { pool: index % 2 ? 'P' : 'Q' })),
          );
          const stored = new Map<string, Day>();
          for (const one of steps) {
            if ('rows' in one) {
              const rows = [
                ...new Map(one.rows.map((row) => [`${row.validatorIndex} ${row.day}`, row])).entries(),
              ];
              for (const [key, row] of rows) stored.set(key, row);
              await load(
                gateway,
                'validator-days',
                rows.map(([, row]) => row),
              );
            } else if ('removed' in one) {
              const gone = [...stored].filter(([, row]) => row.day === one.removed);
              for (const [key] of gone) stored.delete(key);
              if (gone.length === 0) continue;
              await query(`delete from validator_days where date = '${dateOfDay('mainnet', one.removed)}'`);
              await client((own) =>
                finishValidatorDays(own, [{ network: 'mainnet', utc: false, day: one.removed }]),
              );
            } else await refreshed(gateway, only);
          }
          if (stored.size === 0) return;
          await refreshed(gateway, only);
          // a day whose rows were removed is still a day that is stored
          const [{ newest } = { newest: '' }] = await query<{ newest: string }>(
            `select date_trunc('month', max(date))::date::text as newest from validator_day_dates`,
          );
          const facts = [...stored.values()];
          const wanted = reference([...facts, validatorDay(9, day(newest))]);
          expect((await sums()).map(({ row }) => row)).toEqual(wanted);
          const found = await operators();
          await query('truncate validator_months, validator_month_sums');
          await refreshed(gateway, only);
          expect(await operators()).toEqual(found);
        }),
        { ...runs(10), endOnFailure: true },
      );
    },
  );

  const january = Array.from({ length: 31 }, (_, at) => validatorDay(1, day('2025-01-01') + at));
  const others = ['2025-02-01', '2025-02-02', '2025-03-01'].map((date) => validatorDay(1, day(date)));

  it('are stored for the months before that of the newest day, and read in place of their days', async () => {
    await load(gateway, 'validators', [validator(1)]);
    await load(gateway, 'validator-days', [...january, ...others]);
    expect((await months()).map(({ due }) => due)).toEqual([true, true, true]);
    await refreshed(gateway, only);
    expect(await months()).toEqual([
      { month: '2025-01-01', due: false },
      { month: '2025-02-01', due: false },
      { month: '2025-03-01', due: true },
    ]);
    const before = await operators();
    await query(`update validator_days set sum_correct_head = 0 where date < '2025-03-01'`); // without noteChangedDays
    await refreshed(gateway, only);
    expect(await operators()).toEqual(before);
    await client((own) => noteChangedDays(own, 'mainnet', ['2025-01-31']));
    await refreshed(gateway, only);
    expect(await operators()).not.toEqual(before);
  });

  it('are computed again for a month whose days an import corrects, and for no other', async () => {
    await load(gateway, 'validators', [validator(1)]);
    await load(gateway, 'validator-days', [...january, ...others]);
    await refreshed(gateway, only);
    await load(gateway, 'validator-days', [...january, ...others]); // the same rows again
    expect((await months()).map(({ due }) => due)).toEqual([false, false, true]);
    await load(gateway, 'validator-days', [validatorDay(1, day('2025-02-02'), { sumAttestationRewards: 7 })]);
    expect((await months()).map(({ due }) => due)).toEqual([false, true, true]);
    await refreshed(gateway, only);
    const [, february] = await sums();
    expect(february?.row).toMatchObject({ month: '2025-02-01', apr_rewards: 2_500_007 });
  });

  slow('stay, and stay in the window all, when the days of their month are dropped', async () => {
    await load(gateway, 'validators', [validator(1), validator(2, { pool: 'Q' })]);
    const left = january.map((row) => ({ ...row, validatorIndex: 2, sumCorrectHead: 100 }));
    await load(gateway, 'validator-days', [...january, ...left, ...others]);
    const covered = async () =>
      (
        await query(`select validator_sums_cover('mainnet', month::date) as covered
        from unnest(array['2024-12-01', '2025-01-01', '2025-03-01']) as month`)
      ).map((row) => row.covered);
    expect(await covered()).toEqual([true, false, false]); // nothing is stored of December
    await refreshed(gateway, only);
    expect(await covered()).toEqual([true, true, false]);
    const [found, kept] = [await operators(), await sums()];
    await query(
      `drop table validator_days_2025_01; delete from validator_day_dates where date < '2025-02-01'`,
    );
    expect(await covered()).toEqual([true, true, false]);
    await refreshed(gateway, only);
    const { apr_percentage: _, ...figures } = found.find((row) => row.operator_id === 'P');
    expect((await operators()).find((row) => row.operator_id === 'P')).toMatchObject(figures);
    expect((await operators()).length).toBe(found.length);
    expect(await sums()).toEqual(kept);
    const published = await operators();
    await client((own) => noteChangedDays(own, 'mainnet', ['2025-01-31']));
    await refreshed(gateway, only);
    expect(await operators()).toEqual(published);
  });

  it('are due again if an import commits while they are computed', async () => {
    await load(gateway, 'validator-days', [...january, ...others]);
    await client(async (own) => {
      await own.query('begin');
      expect(await sumDueMonth(own, 'mainnet')).toBe(true);
      const loaded = load(gateway, 'validator-days', [validatorDay(2, day('2025-01-05'))]);
      await own.query('commit');
      await loaded;
    });
    expect((await months())[0]).toEqual({ month: '2025-01-01', due: true });
  });

  it('take amounts that are added to the rewards of a day', async () => {
    await load(gateway, 'validator-days', [...january, ...others]);
    await refreshed(gateway, only);
    const added = { validator: 1, date: '2025-01-31', amount: -500 };
    await client((own) => addToSums(own, 'mainnet', [added, { ...added, date: '2025-03-01' }]));
    expect((await sums()).map(({ row }) => row.apr_rewards)).toEqual([31 * 2_500_000 - 500, 2 * 2_500_000]);
    expect((await months()).map(({ due }) => due)).toEqual([false, false, true]);
  });

  it('are left for the next refresh when a refresh is stopped', async () => {
    await load(gateway, 'validator-days', [...january, ...others]);
    let asked = 0;
    const options = { ...only, types: [], wait: true, allDays: false, jobs: 1 };
    expect(
      await refresh(
        gateway.database.pool,
        options,
        () => expect.unreachable(),
        () => (asked += 1) > 1,
      ),
    ).toBe(false);
    expect((await months()).map(({ due }) => due)).toEqual([false, true, true]);
  });
});
