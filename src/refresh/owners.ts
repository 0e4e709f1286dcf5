import type pg from 'pg';
import type { Network } from '../chain/networks.ts';
import type { TimeWindow } from '../chain/windows.ts';
import { join, raw, type Sql, sql } from '../db/rows.ts';
import type { computedTypes } from '../ingest/importers/operator-profiles.ts';
import { APR_FACTOR } from '../periods/effectiveness.ts';
import { run } from './write.ts';

export type ComputedType = (typeof computedTypes)[number];

/** Columns of `validators`, and the column of `owner_operators` with the number of the operator. */
const classes: Record<ComputedType, { columns: readonly string[]; number: string }> = {
  depositAddress: { columns: ['deposit_address'], number: 'of_deposit_address' },
  withdrawalAddress: { columns: ['withdrawal_address'], number: 'of_withdrawal_address' },
  nodeOperator: { columns: ['node_operator'], number: 'of_node_operator' },
  pool: { columns: ['pool'], number: 'of_pool' },
  poolShare: { columns: ['pool', 'node_operator'], number: 'of_pool_share' },
  validator: { columns: ['validator_index'], number: 'of_validator' },
};

/** The node operators of a pool are counted from its shares. */
const numbered = (types: readonly ComputedType[]) => [
  ...new Set([...types, ...(types.includes('pool') ? (['poolShare'] as const) : [])]),
];

/**
 * Fills `owners`, a row for each combination of operators that validators have, and `owned` with the owner of each validator.
 * A network has far fewer owners than validators, so sums by owner make those by operator cheap: each validator has six.
 */
export async function gatherOwners(
  client: pg.ClientBase,
  network: Network,
  types: readonly ComputedType[],
): Promise<void> {
  const columns = raw(
    ['deposit_address', 'withdrawal_address', 'node_operator', 'pool']
      .concat(types.includes('validator') ? ['validator_index'] : [])
      .join(', '),
  );
  await run(
    client,
    sql`/* gatherOwners */
    create temp table owners on commit drop as
    select row_number() over ()::int as owner, ${columns}, array_agg(validator_index) as validators
    from validators where network = ${network} group by ${columns}`,
  );
  await client.query(
    `/* gatherOwned */
    create temp table owned on commit drop as select owner, unnest(validators) as validator_index from owners;
    analyze owners, owned`,
  );
}

/** Numbers the operators of `owners`, because grouping by a number is cheap. */
export async function numberOperators(client: pg.ClientBase, types: readonly ComputedType[]): Promise<void> {
  const own = numbered(types);
  const parts = own.map((type) => {
    const texts = classes[type].columns.map((name) => `${name}::text collate "C"`);
    const ids = texts.length === 1 ? `${texts}, '', ''` : `'', ${texts.join(', ')}`;
    const known = classes[type].columns.map((name) => `${name} is not null`).join(' and ');
    return sql`select distinct ${type}::text, ${raw(ids)} from owners where ${raw(known)}`;
  });
  await run(
    client,
    sql`/* numberOperators */
    create temp table window_operators on commit drop as
    select row_number() over ()::int as operator, o.*
    from (${join(parts, ' union all ')}) o (id_type, operator_id, pool_id, node_operator_id)`,
  );
  await client.query('/* analyzeOperators */ analyze window_operators');
  const joins = own.map((type) => {
    const { columns, number } = classes[type];
    const names = columns.length === 1 ? ['operator_id'] : ['pool_id', 'node_operator_id'];
    const same = columns.map((name, at) => `${number}.${names[at]} = o.${name}::text`).join(' and ');
    return sql`left join window_operators ${raw(number)} on ${raw(number)}.id_type = ${type} and ${raw(same)}`;
  });
  const list = own.map((type) => `${classes[type].number}.operator as ${classes[type].number}`);
  await run(
    client,
    sql`/* operatorsOfOwners */
    create temp table owner_operators on commit drop as
    select o.owner, ${raw(list.join(', '))} from owners o ${join(joins, ' ')}`,
  );
  await client.query('/* analyzeOperatorsOfOwners */ analyze owner_operators');
}

/** SQL: figures of each operator of the classes, of the rows `w`, which have an owner. */
export const ofOperators = (
  types: readonly ComputedType[],
  figures: Sql,
  { from, by = sql`` }: { from: Sql; by?: Sql },
): Sql =>
  join(
    numbered(types).map((type) => {
      const number = raw(`o.${classes[type].number}`);
      return sql`
      select ${number} as operator, ${figures} from ${from} w join owner_operators o using (owner)
      where ${number} is not null group by ${number}${by}`;
    }),
    ' union all ',
  );

const means = ['correctness', 'delay', 'uptime', 'effectiveness'] as const;
const counted = ['proposals', 'missed'] as const;

/** Without a validator in the window, `members` is 0. Balances are those of the newest day, which is in each window. */
export async function gatherFigures(
  client: pg.ClientBase,
  types: readonly ComputedType[],
  windows: readonly TimeWindow[],
): Promise<void> {
  const sums = windows.flatMap((window) => [
    ...[...means, ...counted].map((name) => [`${name}_${window}`, `sum(w.${name}_${window})`]),
    // An attestation has both a correctness and a delay, or neither.
    [`attested_${window}`, `count(w.correctness_${window})`],
    [`members_${window}`, `count(w.uptime_${window})`],
    ...['apr_rewards', 'apr_stake'].map((name) => [
      `${name}_${window}`,
      `sum(w.${name}_${window}) filter (where w.uptime_${window} is not null)`,
    ]),
  ]);
  await run(
    client,
    sql`/* figuresOfOwners */
    create temp table owner_figures on commit drop as
    select w.owner, count(w.balance) as validator_count, sum(w.effective) as effective, sum(w.balance) as balance,
      ${raw(sums.map(([name, sum]) => `${sum} as ${name}`).join(', '))}
    from window_validators w where w.owner is not null group by w.owner`,
  );
  const mean = (name: string, of: string, window: TimeWindow) =>
    `(sum(w.${name}_${window}) / nullif(sum(w.${of}_${window}), 0) / 1e15)::float8 as ${name}_${window}`;
  const ofWindow = (window: TimeWindow) => `
    sum(w.members_${window}) as members_${window}, ${mean('correctness', 'attested', window)},
    ${mean('delay', 'attested', window)}, ${mean('uptime', 'members', window)}, ${mean('effectiveness', 'members', window)},
    (${APR_FACTOR} * sum(w.apr_rewards_${window}) / nullif(sum(w.apr_stake_${window}), 0))::float8 as apr_${window},
    ${counted.map((name) => `coalesce(sum(w.${name}_${window}), 0)::bigint as ${name}_${window}`).join(', ')}`;
  await run(
    client,
    sql`/* gatherFigures */
    create temp table window_figures on commit drop as
    ${ofOperators(
      types,
      sql`sum(w.validator_count)::int as validator_count, coalesce(sum(w.effective), 0) as effective,
      coalesce(sum(w.balance), 0) as balance, ${raw(windows.map(ofWindow).join(', '))}`,
      { from: sql`owner_figures` },
    )}`,
  );
  const counts = (of: (window: TimeWindow) => string) =>
    raw(windows.map((window) => `${of(window)} as n_${window}`).join(', '));
  await run(
    client,
    sql`/* clientsOfOwners */
    create temp table owner_clients on commit drop as
    select w.owner, w.client, ${counts((window) => `count(w.uptime_${window})`)}
    from window_validators w where w.owner is not null and w.client is not null group by w.owner, w.client`,
  );
  await run(
    client,
    sql`/* gatherClients */
    create temp table window_clients on commit drop as
    ${ofOperators(types, sql`w.client, ${counts((window) => `sum(w.n_${window})`)}`, {
      from: sql`owner_clients`,
      by: sql`, w.client`,
    })}`,
  );
  await client.query('/* analyzeFigures */ analyze window_figures, window_clients');
}
