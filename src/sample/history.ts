import type pg from 'pg';
import { dateOfDay, EPOCHS_PER_DAY } from '../chain/calendar.ts';
import type { Importer } from '../ingest/importer/importer.ts';
import { solanaOverviewImporter } from '../ingest/importers/solana-overview.ts';

/** Days of history before the newest day, which the import writes itself. */
const DAYS = 89;
/** Rows per list; more would slow the first start. */
const SIZE = 40;

const factor = (height: number, phase: number, days: number) =>
  `(1 + ${height} * (sin(s.series * ${phase} + d / ${days}.0) - sin(s.series * ${phase})))`;

type Sample = { name: string; key: string; scope: string; date: string; where: string; figures: string };

const operators: Sample = {
  name: 'operator',
  key: 'network, operator_id, id_type, time_window',
  scope: 'network, id_type, time_window',
  date: `date '${dateOfDay('mainnet', 0)}' + as_of_epoch / ${EPOCHS_PER_DAY}`,
  where: `network = 'mainnet' and time_window <> 'all'`,
  figures: `least(avg_validator_effectiveness * ${factor(0.002, 1, 11)}, 100), apr_percentage * ${factor(0.03, 2, 17)},
    least(network_penetration * ${factor(0.05, 3, 40)}, 1), round(validator_count * ${factor(0.05, 3, 40)})::int,
    as_of_epoch - d * ${EPOCHS_PER_DAY}`,
};

const decimal = (column: string, of: string) => `least(round(${column} * ${of}::numeric, 24), 1)`;
const stakeAuthorities: Sample = {
  name: 'stake_authority',
  key: 'stake_authority, time_window',
  scope: 'time_window',
  date: `(as_of_time at time zone 'UTC')::date`,
  where: `time_window <> 'all'`,
  figures: `as_of_epoch - d / 2, as_of_time - make_interval(days => d),
    ${decimal('aggregate_validator_effectiveness', factor(0.01, 1, 11))}, ${decimal('delegator_apy', factor(0.03, 2, 17))},
    ${decimal('network_penetration', factor(0.05, 3, 40))}, round(delegated_stake * ${factor(0.05, 3, 40)}::numeric, 9)`,
};

async function addHistory(client: pg.ClientBase, { name, key, scope, date, where, figures }: Sample) {
  await client.query(
    `/* sampleSeries */
    insert into ${name}_series (${key})
    select ${key} from (
      select *, row_number() over (partition by ${scope} order by network_penetration desc nulls last, ${key}) as nth
      from staged where ${where}
    ) g where nth <= ${SIZE} order by ${scope}, nth`,
  );
  await client.query(
    `/* sampleHistoryDays */
    insert into ${name}_history_days (${scope}, date)
    select ${scope}, newest - d
    from (select distinct ${scope}, ${date} as newest from staged where ${where}) l, generate_series(1, ${DAYS}) d`,
  );
  await client.query(`select ${name}_history_parts(array(select distinct date from ${name}_history_days))`);
  await client.query(
    `/* sampleHistory */
    insert into ${name}_history
    select ${date} - d, s.series, ${figures}
    from staged join ${name}_series s using (${key}), generate_series(1, ${DAYS}) d
    order by d desc, s.series`,
  );
}

const wave = (height: number, days: number) => `(1 + ${height} * sin(d / ${days}.0))`;
const overview: Record<string, string> = {
  as_of_epoch: 'as_of_epoch - d / 2',
  as_of_time: 'as_of_time - make_interval(days => d)',
  network_effectiveness: `network_effectiveness * ${wave(0.01, 11)}`,
  delegator_apy: `delegator_apy * ${wave(0.03, 17)}`,
  total_delegated_stake: `round(total_delegated_stake * ${wave(0.05, 40)}::numeric, 9)`,
  gini_coefficient: decimal('gini_coefficient', wave(0.02, 40)),
};

export const withOverviewHistory: typeof solanaOverviewImporter = {
  ...solanaOverviewImporter,
  async merge(client, options) {
    const names = solanaOverviewImporter.columns.map(({ name }) => name);
    await client.query(
      `/* sampleOverviewHistory */
      insert into solana_overview_history (date, ${names.join(', ')})
      select ${stakeAuthorities.date} - d, ${names.map((name) => overview[name] ?? name).join(', ')}
      from staged, generate_series(1, ${DAYS}) d`,
    );
    return solanaOverviewImporter.merge(client, options);
  },
};

const withHistory = <Row, Name extends string>(
  importer: Importer<Row, Name>,
  sample: Sample,
): Importer<Row, Name> => ({
  ...importer,
  async merge(client, options) {
    await addHistory(client, sample);
    return importer.merge(client, options);
  },
});

export const withOperatorHistory = <Row, Name extends string>(importer: Importer<Row, Name>) =>
  withHistory(importer, operators);
export const withStakeAuthorityHistory = <Row, Name extends string>(importer: Importer<Row, Name>) =>
  withHistory(importer, stakeAuthorities);
