import fc from 'fast-check';
import pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { dateOfDay, dayOfDate } from '../../src/chain/calendar.ts';
import { TimeWindow } from '../../src/chain/windows.ts';
import { finishValidatorDays } from '../../src/ingest/importers/validator-days.ts';
import { addToSums } from '../../src/refresh/incremental/added-amounts.ts';
import { keepSums } from '../../src/refresh/incremental/kept-sums.ts';
import { eventually } from '../support/eventually.ts';
import { useGateway } from '../support/gateway.ts';
import { recordQueries } from '../support/sent.ts';
import { runs, slow } from '../support/thorough.ts';
import { rowsOf } from '../support/typed.ts';
import {
  block,
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
  query(`truncate validator_days, validator_day_dates, validator_months, validator_month_sums, validators, validator_clients,
    operator_profiles, blocks, chain_balances, operator_summaries, operator_lists, operator_series, operator_history,
    operator_history_days, network_clients, kept_sums, window_sums, datasets cascade`);
beforeEach(clear);

const only = { only: ['operators'] as const, networks: ['mainnet'] as const };
const day = (date: string) => dayOfDate('mainnet', date);
const client = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const own = new pg.Client({ connectionString: gateway.database.url });
  await own.connect();
  return work(own).finally(() => own.end());
};
const clients = () => query('select * from network_clients order by client');
const all = async () => ({ ...(await published(gateway)), clients: await clients() });

/** The names of the statements of a refresh. */
async function statementsOf(change: Parameters<typeof refreshed>[1] = {}): Promise<string[]> {
  const names: string[] = [];
  const stop = recordQueries((text) => names.push(/\/\* (\w+) \*\//.exec(text)?.[1] ?? text));
  try {
    await refreshed(gateway, { ...only, ...change });
  } finally {
    stop();
  }
  return names;
}

/** Computes all windows from all days, which shall give what is published. */
async function expectSameAnew(): Promise<void> {
  const before = await all();
  const reports = await refreshed(gateway, { ...only, allDays: true });
  expect(await all()).toEqual(before);
  for (const { inserted, updated, removed } of reports)
    expect({ inserted, updated, removed }).toEqual({ inserted: 0, updated: 0, removed: 0 });
}

/** 65 days of three months, so that months are summed and days leave each window. */
const FIRST = day('2025-01-20');
const INDICES = [0, 1, 2, 3, 4, 5];
const NEWEST = 65;
const anyDay = (at: fc.Arbitrary<number>) =>
  fc
    .record({ index: fc.constantFrom(...INDICES), at, sync: fc.boolean() })
    .chain(
      ({ index, at, sync }): fc.Arbitrary<Day> =>
        sync && at % 7 === 0 ? fc.constant(syncDay(index, FIRST + at)) : randomDay(index, FIRST + at),
    );
const owned = fc
  .record({
    index: fc.constantFrom(...INDICES),
    pool: fc.option(fc.constantFrom('P', 'Q')),
    nodeOperator: fc.option(fc.constantFrom('N', 'O')),
    exitEpoch: fc.option(fc.integer({ min: FIRST * 225, max: (FIRST + NEWEST) * 225 })),
  })
  .map(({ index, ...change }) => validator(index, change));
const step = fc.oneof(
  // a new day of most validators
  { weight: 6, arbitrary: fc.subarray(INDICES, { minLength: 1 }).map((indices) => ({ next: indices })) },
  // corrections and late rows
  {
    weight: 3,
    arbitrary: fc.array(anyDay(fc.nat(NEWEST)), { minLength: 1, maxLength: 4 }).map((rows) => ({ rows })),
  },
  { weight: 1, arbitrary: fc.nat(NEWEST).map((at) => ({ removed: FIRST + at })) },
  {
    weight: 1,
    arbitrary: fc
      .record({ index: fc.constantFrom(...INDICES), at: fc.nat(NEWEST) })
      .map((penalty) => ({ penalty })),
  },
  { weight: 2, arbitrary: owned.map((labels) => ({ labels })) },
  {
    weight: 1,
    arbitrary: fc
      .record({ index: fc.constantFrom(...INDICES), client: fc.constantFrom('a', 'b') })
      .map((runs) => ({ runs })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({
        index: fc.constantFrom(...INDICES),
        slot: fc.nat(NEWEST * 7_200),
        relay: fc.constantFrom('r', 's'),
      })
      .map((proposed) => ({ proposed })),
  },
  { weight: 5, arbitrary: fc.constant({ refresh: true as const }) },
);

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** Gives the newest day after the step. */
async function take(one: Step, newest: number): Promise<number> {
  if ('next' in one) {
    const rows = one.next.map((index) =>
      validatorDay(index, newest + 1, {
        sumAttestationRewards: 1_000 * index + newest,
        sumCorrectHead: 225 - (newest % 9),
      }),
    );
    await load(gateway, 'validator-days', rows);
    return newest + 1;
  }
  if ('rows' in one) {
    const rows = [...new Map(one.rows.map((row) => [`${row.validatorIndex} ${row.day}`, row])).values()];
    const stored = rows.filter((row) => row.day <= newest);
    if (stored.length > 0) await load(gateway, 'validator-days', stored);
  } else if ('removed' in one) {
    if (one.removed > newest) return newest;
    await query(`delete from validator_days where date = '${dateOfDay('mainnet', one.removed)}'`);
    await client((own) => finishValidatorDays(own, [{ network: 'mainnet', utc: false, day: one.removed }]));
    await query(`select raise_revision('validator-days')`);
  } else if ('penalty' in one) {
    const date = dateOfDay('mainnet', FIRST + one.penalty.at);
    await client(async (own) => {
      await own.query('begin');
      const { rowCount } = await own.query(
        `update validator_days set sum_attestation_rewards = sum_attestation_rewards - 500
        where date = $1 and validator_index = $2 and not utc and total_unique_attestations + sum_missed_attestations > 0
          and effective_balance_epochs is not null`,
        [date, one.penalty.index],
      );
      if (rowCount) await addToSums(own, 'mainnet', [{ validator: one.penalty.index, date, amount: -500 }]);
      await own.query(`select raise_revision('validator-days')`);
      await own.query('commit');
    });
  } else if ('labels' in one) await load(gateway, 'validators', [one.labels]);
  else if ('runs' in one)
    await load(gateway, 'validator-clients', [{ validatorIndex: one.runs.index, client: one.runs.client }]);
  else if ('proposed' in one)
    await load(gateway, 'blocks', [
      block({
        consensusSlot: FIRST * 7_200 + one.proposed.slot,
        validatorIndex: one.proposed.index,
        relays: [one.proposed.relay],
      }),
    ]);
  else {
    await refreshed(gateway, only);
    await expectSameAnew();
  }
  return newest;
}

describe('windows of operators', () => {
  slow(
    'are those of all days, whatever was imported, corrected, relabelled and removed between refreshes',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 6, maxLength: 14 }),
          fc.constantFrom(4, 33, 60),
          async (steps, stored) => {
            await clear();
            await load(
              gateway,
              'validators',
              INDICES.map((index) => validator(index, { pool: index % 2 ? 'P' : 'Q' })),
            );
            const days = Array.from({ length: stored }, (_, at) =>
              INDICES.filter((index) => (index + at) % 5 > 0).map((index) =>
                validatorDay(index, FIRST + at, {
                  sumAttestationRewards: 1_000 + at,
                  effectiveBalanceEpochs: 225 * 32_000_000_000,
                }),
              ),
            );
            await load(gateway, 'validator-days', days.flat());
            await refreshed(gateway, only);
            let newest = FIRST + stored - 1;
            for (const one of steps) newest = await take(one, newest);
            await refreshed(gateway, only);
            await expectSameAnew();
          },
        ),
        { ...runs(8), endOnFailure: true },
      );
    },
  );
});

describe('a refresh', () => {
  const stored = (days: number) =>
    Array.from({ length: days }, (_, at) => INDICES.map((index) => validatorDay(index, FIRST + at))).flat();
  const fill = async (days: number) => {
    await load(
      gateway,
      'validators',
      INDICES.map((index) => validator(index)),
    );
    await load(gateway, 'validator-days', stored(days));
    await refreshed(gateway, only);
  };

  it('computes no window again whose facts are the same, and tells the same of it', async () => {
    await fill(3);
    const [before, raised] = [await all(), await query('select name, revision from datasets order by name')];
    const names = await statementsOf();
    expect(names).not.toContain('gatherValidators');
    expect(names).toContain('computedWindows');
    const reports = await refreshed(gateway, only);
    expect(
      reports.map(({ window, state, rows, facts, inserted }) => ({ window, state, rows, facts, inserted })),
    ).toEqual(
      ['1d', '7d', '30d', 'all'].map((window) => ({ window, state: 'done', rows: 4, facts: 6, inserted: 0 })),
    );
    expect(await all()).toEqual(before);
    expect(await query('select name, revision from datasets order by name')).toEqual(raised);
    expect(await statementsOf({ allDays: true })).toContain('gatherValidators');
    expect(await statementsOf({ types: ['pool'] })).toContain('gatherValidators');
  });

  const profile = { id: 'P', idType: 'pool', operatorTags: [], displayName: 'A pool', poolType: null };
  const changes: Record<string, () => Promise<unknown>> = {
    'a day': () => load(gateway, 'validator-days', [validatorDay(1, FIRST, { sumCorrectHead: 9 })]),
    'a label': () => load(gateway, 'validators', [validator(1, { pool: 'Q' })]),
    'a client': () => load(gateway, 'validator-clients', [{ validatorIndex: 1, client: 'lodestar' }]),
    'a profile': () => load(gateway, 'operator-profiles', [profile]),
    'a block': () =>
      load(gateway, 'blocks', [block({ consensusSlot: FIRST * 7_200, validatorIndex: 1, relays: ['r'] })]),
    'a balance of the chain': () =>
      load(gateway, 'chain-balances', [{ epoch: FIRST * 225, totalActiveBalance: 400_000_000_000_000 }]),
    'rows that were changed with SQL, and a raised revision': async () => {
      await query(`update validators set pool = 'R'`);
      await query(`select raise_revision('validators')`);
    },
  };
  slow.each(Object.keys(changes))('computes all windows again after a change of %s', async (what) => {
    await fill(3);
    await changes[what]?.();
    const names = await statementsOf();
    expect(names.filter((name) => name === 'stageSelected')).toHaveLength(4);
    await expectSameAnew();
  });

  slow('computes again what an import changed that committed while it ran', async () => {
    await fill(3);
    await load(gateway, 'validators', [validator(1, { pool: 'Q' })]);
    await client(async (own) => {
      await own.query(`begin; update validators set pool = 'R'; select raise_revision('validators')`);
      await refreshed(gateway, only);
      await own.query('commit');
    });
    expect(await statementsOf()).toContain('gatherValidators');
    await expectSameAnew();
  });

  it('adds a new day to the sums of the others, and sums them again only after a correction of one of them', async () => {
    await fill(35);
    await load(
      gateway,
      'validator-days',
      INDICES.map((index) => validatorDay(index, FIRST + 35)),
    );
    const added = await statementsOf();
    expect(added).toContain('replaceSums');
    expect(added).not.toContain('windowDays');
    await load(gateway, 'validator-days', [validatorDay(1, FIRST + 36, { sumCorrectHead: 1 })]);
    expect(await statementsOf()).not.toContain('windowDays');
    await load(gateway, 'validator-days', [validatorDay(1, FIRST + 36, { sumCorrectHead: 2 })]);
    const corrected = await statementsOf(); // of the newest day, which is in no sum yet
    expect(corrected).not.toContain('replaceSums');
    await load(gateway, 'validator-days', [validatorDay(1, FIRST + 30, { sumCorrectHead: 2 })]);
    expect(await statementsOf()).toContain('windowDays');
    await expectSameAnew();
  });

  const keep = (own: pg.ClientBase) =>
    keepSums(own, 'mainnet', { windows: TimeWindow.options, wait: true, anew: false });

  slow('does not keep sums of days that changed while it read them', async () => {
    await fill(10);
    await load(gateway, 'validator-days', [validatorDay(1, FIRST + 10)]);
    const kept = await query('select * from kept_sums');
    await client(async (own) => {
      await own.query('begin');
      const during: typeof own.query = async (text: any, values?: any) => {
        const result = await own.query(text, values);
        if (String(text).includes('replaceSums'))
          await load(gateway, 'validator-days', [validatorDay(1, FIRST + 8, { sumCorrectHead: 1 })]);
        return result as any;
      };
      expect(await keep(Object.create(own, { query: { value: during } }))).toBe(false);
      await own.query('rollback');
    });
    expect(await query('select * from kept_sums')).toEqual(kept);
    await refreshed(gateway, only);
    await expectSameAnew();
  });

  slow('adds to the kept sums what an index adds to a past day meanwhile', async () => {
    await fill(10);
    await load(gateway, 'validator-days', [validatorDay(1, FIRST + 10)]);
    const date = dateOfDay('mainnet', FIRST + 5);
    await client(async (own) => {
      await own.query('begin');
      expect(await keep(own)).toBe(true);
      const adding = client(async (index) => {
        await index.query(`begin; update validator_days set sum_attestation_rewards = sum_attestation_rewards - 7
          where validator_index = 2 and date = '${date}'`);
        await addToSums(index, 'mainnet', [{ validator: 2, date, amount: -7 }]);
        await index.query(`select raise_revision('validator-days')`);
        await index.query('commit');
      });
      await eventually(async () => {
        const waiting = await query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        expect(waiting).toHaveLength(1);
      });
      await own.query('commit');
      await adding;
    });
    expect(await statementsOf()).not.toContain('windowDays');
    await expectSameAnew();
  });
});

describe('lists of operators', () => {
  const counts = () =>
    query(
      `select (select count(*)::int from operator_ranks) as ranks, (select count(*)::int from operator_orders) as orders`,
    );

  it('are deleted with their ranks and orders', async () => {
    await load(gateway, 'validators', [validator(1)]);
    await load(gateway, 'validator-days', [validatorDay(1, FIRST)]);
    await refreshed(gateway, only);
    expect(await counts()).not.toEqual([{ ranks: 0, orders: 0 }]);
    await query('delete from operator_lists');
    expect(await counts()).toEqual([{ ranks: 0, orders: 0 }]);
  });

  it('are refused if a rank has no summary', async () => {
    await query(`insert into operator_lists (network, id_type, time_window, pool_type, parent_type, parent_id, total)
      values ('mainnet', 'pool', '1d', 'all', '', '', 2)`);
    await expect(query('select store_operator_orders()')).rejects.toThrow(
      'the current lists of operator_lists have 2 rows, but 0 ranks with a summary',
    );
  });
});
