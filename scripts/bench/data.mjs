// The fixed data set, made in the database itself: the figures are functions of the row's number, so every run measures
// the same rows. Shapes follow the sample data: four clients, four relays, a tag, six delegations.
import pg from 'pg';
import { createToken } from '../../dist/accounts/tokens.js';
import { migrate } from '../../dist/db/migrate/index.js';
import { createPool } from '../../dist/db/pool.js';

const full = { operators: 2_000, authorities: 100_000, entities: 500, days: 800 };
/** A part of the data set, for quick runs and to measure how cost grows with the table. */
export const part = (share) =>
  Object.fromEntries(
    Object.entries(full).map(([name, size]) => [name, Math.max(30, Math.round(size * share))]),
  );

const windows = "unnest(array['1d', '7d', '30d', 'all']) with ordinality as w (name, n)";

const operators = `
  insert into operator_summaries (network, id_type, time_window, operator_id, validator_count, avg_correctness,
    avg_inclusion_delay, avg_uptime, avg_validator_effectiveness, client_percentages, network_penetration,
    relayer_percentages, node_operator_count, operator_tags, display_name, apr_percentage, sum_end_epoch_balance,
    sum_end_epoch_effective_balance)
  select 'mainnet', t.name, w.name,
    case t.name when 'depositAddress' then '0x' || lpad(to_hex(i), 40, '0') else t.name || ' ' || i end,
    400000 / (i + 1) + 1, 0.98 + (i % 97) / 10000.0, 1.01 + (i % 89) / 1000.0, 0.99 + (i % 83) / 10000.0,
    95 + (i % 499) / 100.0,
    '[{"client":"lighthouse","percentage":0.4},{"client":"prysm","percentage":0.3},{"client":"teku","percentage":0.2},{"client":"nimbus","percentage":0.1}]',
    0.3 / (i + 1),
    '[{"relayer":"flashbots","percentage":0.25},{"relayer":"bloxroute","percentage":0.25},{"relayer":"ultra sound","percentage":0.4},{"relayer":"no_mev_boost","percentage":0.1}]',
    case t.name when 'pool' then i % 40 end,
    '[{"name":"professional","path":null,"idType":null}]',
    'Operator ' || i, 2.8 + (i % 71) / 100.0,
    32014860472 * (400000 / (i + 1) + 1), 32000000000 * (400000 / (i + 1) + 1)
  from generate_series(0, $1::int - 1) i, ${windows},
    unnest(array['depositAddress', 'nodeOperator', 'pool', 'entity']) t (name)
  order by t.name, w.n, i`;

const operatorRanks = `
  with lists as (
    insert into operator_lists (network, id_type, time_window, pool_type, parent_type, parent_id, total)
    select distinct network, id_type, time_window, 'all', '', '', $1::int from operator_summaries
    returning list_id, id_type, time_window
  )
  insert into operator_ranks
  select list_id, row_number() over (partition by list_id order by summary_id) - 1, summary_id
  from lists join operator_summaries using (id_type, time_window)`;

const authorities = `
  insert into stake_authority_summaries (time_window, stake_authority, validator_delegates, delegations,
    staking_rewards_apy, mev_rewards_apr, delegator_apy, sum_missed_staking_rewards, pool_name, delegated_stake,
    network_penetration, aggregate_validator_effectiveness, blended_vote_commission_rate, blended_mev_commission_rate,
    sum_staking_rewards, sum_mev_rewards, sum_rewards, sum_staking_commission_paid, sum_mev_commission_paid,
    sum_commission_paid)
  select w.name, 'Stake' || translate(lpad(i::text, 39, '0'), '0', 'z'), 6, d.delegations,
    0.0612345678901234 + i % 10 / 1000.0, 0.0045678901234567, 0.0658024580135801 + i % 10 / 1000.0,
    12.345678901 / (i + 1), case when i % 100 = 0 then 'Pool ' || i end, round(5000000.123456789 / (i + 1), 9),
    round(0.0123456789012345 / (i + 1), 20), 0.98 + i % 17 / 1000.0, 0.05, 0.08, round(812.345678901 / (i + 1), 9),
    round(61.234567890 / (i + 1), 9), round(873.580246791 / (i + 1), 9), round(40.123456789 / (i + 1), 9),
    round(4.567890123 / (i + 1), 9), round(44.691346912 / (i + 1), 9)
  from generate_series(0, $1::int - 1) i, ${windows}, (
    select array_to_json(array_agg(row_to_json(v))) as delegations from generate_series(1, 6) n, lateral (
      select 'Vote' || repeat(substr('ABCDEF', n, 1), 40) as "validatorVoteAccount", 'Validator ' || n as "validatorName",
        '0.1666' as percentage
    ) v
  ) d
  order by w.n, i`;

const authorityRanks = `
  with lists as (
    insert into stake_authority_lists (time_window, list_type, total)
    select name, 'all', $1::int from ${windows} returning list_id, time_window
  )
  insert into stake_authority_ranks
  select list_id, row_number() over (partition by list_id order by summary_id) - 1, summary_id
  from lists join stake_authority_summaries using (time_window)`;

/** The first day of the data: 800 days from here end before the clock of any run. */
const FIRST_DAY = 1_000;

const entities = `
  insert into attestation_entities (network, id_type, entity_id)
  select 'mainnet', 'nodeOperator', 'nodeOperator ' || i from generate_series(0, $1::int - 1) i`;

const days = `
  insert into attestation_days
  select entity_key, false, d, date '2020-12-01' + d, 1000 + entity_key, 225000 + d, d % 97, d % 5, 224000 + d, 224500 + d,
    225000 + d, d % 900, d % 400, d % 30, d % 20, 99 + d % 100 / 100.0, 226000 + d, 32 * (d % 7),
    32014860472 * (1000 + entity_key), 32000000000 * (1000 + entity_key), d * 225, d * 225 + 224
  from generate_series(${FIRST_DAY}, ${FIRST_DAY} + $1::int - 1) d, attestation_entities`;

/** What PostGraphile makes of references that the tables do not declare. */
const references = `
  comment on table operator_summaries is
    E'@foreignKey (network, operator_id, id_type) references attestation_entities (network, entity_id, id_type)';
  comment on table operator_ranks is E'@foreignKey (summary_id) references operator_summaries (summary_id)';
  comment on table stake_authority_ranks is
    E'@foreignKey (summary_id) references stake_authority_summaries (summary_id)';
  comment on table attestation_days is E'@foreignKey (entity_key) references attestation_entities (entity_key)'`;

/** Fills a database on a server (`server.mjs`); returns its URL, a token without limits, and the seconds that it took. */
export async function fill(server, name, sizes) {
  const started = performance.now();
  const url = await server.create(name);
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set synchronous_commit = off');
    await client.query(operators, [sizes.operators]);
    await client.query(operatorRanks, [sizes.operators]);
    await client.query(authorities, [sizes.authorities]);
    await client.query(authorityRanks, [sizes.authorities]);
    await client.query(entities, [sizes.entities]);
    await client.query(
      `select attestation_parts(array(select date '2020-12-01' + d from generate_series(${FIRST_DAY}, ${FIRST_DAY} + $1::int - 1) d), false)`,
      [sizes.days],
    );
    await client.query(days, [sizes.days]);
    await client.query(references);
    await client.query('vacuum analyze');
    await client.query('checkpoint'); // not while something is measured
  } finally {
    await client.end();
  }
  const pool = createPool({ url, readOnly: false, max: 1 });
  const { token } = await createToken(pool, 'bench').finally(() => pool.end());
  return { url, token, seconds: (performance.now() - started) / 1000 };
}
