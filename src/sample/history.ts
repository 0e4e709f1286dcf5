import type pg from 'pg';
import { dateOfDay, EPOCHS_PER_DAY } from '../chain/calendar.ts';
import { TimeWindow, windowDays } from '../chain/windows.ts';
import { snake } from '../kernel/names.ts';
import { solanaOverviewFields } from '../resources/solana-overview/record.ts';
import { chainDaysOf, datesBefore, type Sample } from './chain.ts';
import { copyRows } from './copy.ts';
import { aprOf, meansOf, networkEth } from './model.ts';
import { daysOfEntity, entityOf, gweiOf, type Operator } from './operators.ts';
import {
  asOfSolana,
  authorityFigures,
  overviewOf,
  STAKED_SOL,
  solanaAuthorities,
  solanaEpoch,
  solanaValidators,
} from './solana.ts';

/** Days before the newest day, which the import writes itself. */
const DAYS = 89;
/** Rows per list; more would slow the first start. */
const SIZE = 40;

type Value = string | number | null;
type History = {
  name: 'operator' | 'stake_authority';
  key: readonly string[];
  scope: readonly string[];
  columns: readonly string[];
  dateOf(daysAgo: number): string;
  series: { key: string[]; scope: string[]; figuresOf(daysAgo: number): Value[] }[];
};

const windows = TimeWindow.options.filter((window) => window !== 'all');
const daysBefore = Array.from({ length: DAYS }, (_, index) => DAYS - index);

async function loadHistory(client: pg.ClientBase, of: History): Promise<void> {
  const { name, key, scope, series, dateOf } = of;
  const arrays = (columns: readonly string[], values: string[][]) =>
    columns.map((_, at) => values.map((row) => row[at]));
  const texts = (columns: readonly string[]) => columns.map((_, at) => `$${at + 1}::text[]`).join(', ');
  const { rows } = await client.query<{ series: number }>(
    `/* sampleSeries */ insert into ${name}_series (${key.join(', ')}) select * from unnest(${texts(key)}) returning series`,
    arrays(
      key,
      series.map((one) => one.key),
    ),
  );
  const dates = daysBefore.map(dateOf);
  const scopes = [...new Map(series.map((one) => [one.scope.join('/'), one.scope])).values()];
  await client.query(
    `/* sampleHistoryDays */
    insert into ${name}_history_days (${scope.join(', ')}, date)
    select s.*, d.date from unnest(${texts(scope)}) s, unnest($${scope.length + 1}::date[]) d (date)`,
    [...arrays(scope, scopes), dates],
  );
  await client.query(`/* sampleHistoryParts */ select ${name}_history_parts($1::date[])`, [dates]);
  function* stored(): Generator<Value[]> {
    for (const [day, ago] of daysBefore.entries())
      for (const [at, one] of series.entries())
        yield [dates[day] as string, rows[at]?.series as number, ...one.figuresOf(ago)];
  }
  await copyRows(client, `${name}_history`, ['date', 'series', ...of.columns], stored());
}

export async function loadOperatorHistory(
  client: pg.ClientBase,
  sample: Sample,
  operators: readonly Operator[],
) {
  const network = 'mainnet';
  const end = chainDaysOf(sample, network);
  const series = (
    ['pool', 'nodeOperator', 'poolShare', 'depositAddress', 'withdrawalAddress'] as const
  ).flatMap((idType) =>
    operators
      .filter((one) => one.network === network && one.idType === idType && one.sizes.known)
      .toSorted((a, b) => b.sizes.validators * b.sizes.ethEach - a.sizes.validators * a.sizes.ethEach)
      .slice(0, SIZE)
      .flatMap((operator) => {
        const figuresOfDays = daysOfEntity(sample, entityOf(sample, operator));
        return windows.map((window) => ({
          key: [network, operator.id, idType, window],
          scope: [network, idType, window],
          figuresOf(daysAgo: number): Value[] {
            const figures = figuresOfDays({ days: windowDays[window] as number, daysAgo });
            const whole = networkEth(sample, network, 2 * (end - daysAgo) - 1);
            return [
              figures.validators === 0 ? 0 : meansOf(figures).validatorSum / figures.validators,
              aprOf(figures),
              figures.eth / whole,
              figures.validators,
              gweiOf(figures.eth),
              (end - daysAgo) * EPOCHS_PER_DAY - 1,
            ];
          },
        }));
      }),
  );
  await loadHistory(client, {
    name: 'operator',
    dateOf: (ago) => dateOfDay(network, end - 1 - ago),
    key: ['network', 'operator_id', 'id_type', 'time_window'],
    scope: ['network', 'id_type', 'time_window'],
    columns: [
      ...[
        'avg_validator_effectiveness',
        'apr_percentage',
        'network_penetration',
        'validator_count',
        'sum_end_epoch_effective_balance',
        'as_of_epoch',
      ],
    ],
    series,
  });
}

export async function loadSolanaHistory(client: pg.ClientBase, sample: Sample): Promise<void> {
  const { asOfTime } = asOfSolana(sample);
  const time = asOfTime.slice('2025-10-31'.length);
  const series = solanaAuthorities(sample)
    .slice(0, SIZE)
    .flatMap((authority) =>
      windows.map((window) => ({
        key: [authority.stakeAuthority, window],
        scope: [window],
        figuresOf(daysAgo: number): Value[] {
          const { effectiveness, apy, stake } = authorityFigures(authority, window, daysAgo);
          return [
            solanaEpoch(sample, daysAgo),
            `${datesBefore(sample, daysAgo)}${time}`,
            effectiveness,
            apy,
            stake / STAKED_SOL,
            stake.toFixed(9),
          ];
        },
      })),
    );
  await loadHistory(client, {
    name: 'stake_authority',
    dateOf: (ago) => datesBefore(sample, ago),
    key: ['stake_authority', 'time_window'],
    scope: ['time_window'],
    columns: [
      ...[
        'as_of_epoch',
        'as_of_time',
        'aggregate_validator_effectiveness',
        'delegator_apy',
        'network_penetration',
      ],
      'delegated_stake',
    ],
    series,
  });
  const validators = solanaValidators(sample.seed);
  const fields = [...solanaOverviewFields, 'asOfEpoch', 'asOfTime'] as const;
  function* overviews(): Generator<Value[]> {
    for (const daysAgo of daysBefore) {
      for (const timeWindow of TimeWindow.options) {
        const overview = overviewOf(sample, validators, { timeWindow, daysAgo });
        yield [datesBefore(sample, daysAgo), ...fields.map((field) => overview[field])];
      }
    }
  }
  await copyRows(client, 'solana_overview_history', ['date', ...fields.map(snake)], overviews());
}
