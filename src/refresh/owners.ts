import type pg from 'pg';
import type { Network } from '../chain/networks.ts';
import type { TimeWindow } from '../chain/windows.ts';
import { join, raw, type Sql, sql } from '../db/rows.ts';
import type { computedTypes } from '../ingest/importers/operator-profiles.ts';
import { APR_FACTOR } from '../periods/effectiveness.ts';
import { run } from './write.ts';

export type ComputedType = (typeof computedTypes)[number];

/** Columns of `validators`, and the column of `window_validators` with the number of the operator. */
const classes: Record<ComputedType, { columns: readonly string[]; number: string }> = {
  depositAddress: { columns: ['deposit_address'], number: 'of_deposit_address' },
  withdrawalAddress: { columns: ['withdrawal_address'], number: 'of_withdrawal_address' },
  nodeOperator: { columns: ['node_operator'], number: 'of_node_operator' },
  pool: { columns: ['pool'], number: 'of_pool' },
  poolShare: { columns: ['pool', 'node_operator'], number: 'of_pool_share' },
  validator: { columns: ['validator_index'], number: 'of_validator' },
};

/** The node operators of a pool are told by its shares. */
const numbered = (types: readonly ComputedType[]) => [
  ...new Set([...types, ...(types.includes('pool') ? (['poolShare'] as const) : [])]),
];

/** Numbers the operators of a network, because grouping a million validators by a number is cheap. */
export async function numberOperators(
  client: pg.ClientBase,
  network: Network,
  types: readonly ComputedType[],
): Promise<void> {
  const parts = numbered(types).map((type) => {
    const texts = classes[type].columns.map((name) => `v.${name}::text collate "C"`);
    const ids = texts.length === 1 ? `${texts}, '', ''` : `'', ${texts.join(', ')}`;
    const known = classes[type].columns.map((name) => `v.${name} is not null`).join(' and ');
    return sql`select distinct ${type}::text, ${raw(ids)} from validators v where v.network = ${network} and ${raw(known)}`;
  });
  await run(
    client,
    sql`/* numberOperators */
    create temp table window_operators on commit drop as
    select row_number() over ()::int as operator, o.*
    from (${join(parts, ' union all ')}) o (id_type, operator_id, pool_id, node_operator_id)`,
  );
  await client.query('/* analyzeOperators */ analyze window_operators');
}

/** SQL: the numbers of the operators of a validator `v`, and the joins that give them. */
export function ownersOf(types: readonly ComputedType[]): { columns: Sql; joins: Sql } {
  const own = numbered(types);
  const joins = own.map((type) => {
    const { columns, number } = classes[type];
    const names = columns.length === 1 ? ['operator_id'] : ['pool_id', 'node_operator_id'];
    const same = columns.map((name, at) => `${number}.${names[at]} = v.${name}::text`).join(' and ');
    return sql`left join window_operators ${raw(number)} on ${raw(number)}.id_type = ${type} and ${raw(same)}`;
  });
  const list = own.map((type) => `${classes[type].number}.operator as ${classes[type].number}`);
  return { columns: raw(list.join(', ')), joins: join(joins, ' ') };
}

export const ownerColumns = (types: readonly ComputedType[], of: string) =>
  raw(
    numbered(types)
      .map((type) => `${of}.${classes[type].number}`)
      .join(', '),
  );

/** SQL: figures of each operator of the classes, of the rows `w`. */
export const ofOperators = (
  types: readonly ComputedType[],
  figures: Sql,
  { from, by = sql`` }: { from: Sql; by?: Sql },
): Sql =>
  join(
    numbered(types).map((type) => {
      const number = raw(`w.${classes[type].number}`);
      return sql`
      select ${number} as operator, ${figures} from ${from} and ${number} is not null group by ${number}${by}`;
    }),
    ' union all ',
  );

/** Without a validator in the window, `members` is 0. Balances are those of the newest day, which is in each window. */
export async function gatherFigures(
  client: pg.ClientBase,
  types: readonly ComputedType[],
  windows: readonly TimeWindow[],
): Promise<void> {
  // An attestation is told with its correctness and its delay, or not at all.
  const mean = (name: string, known: string, window: TimeWindow) =>
    `(sum(w.${name}_${window}) / nullif(count(w.${known}_${window}), 0) / 1e15)::float8 as ${name}_${window}`;
  const ofWindow = (window: TimeWindow) => `
    count(w.uptime_${window}) as members_${window}, ${mean('correctness', 'correctness', window)},
    ${mean('delay', 'correctness', window)}, ${mean('uptime', 'uptime', window)}, ${mean('effectiveness', 'uptime', window)},
    (${APR_FACTOR} * sum(w.apr_rewards_${window}) filter (where w.uptime_${window} is not null)
      / nullif(sum(w.apr_stake_${window}) filter (where w.uptime_${window} is not null), 0))::float8 as apr_${window}`;
  await run(
    client,
    sql`/* gatherFigures */
    create temp table window_figures on commit drop as
    ${ofOperators(
      types,
      sql`count(w.balance)::int as validator_count, coalesce(sum(w.effective), 0) as effective,
      coalesce(sum(w.balance), 0) as balance, ${raw(windows.map(ofWindow).join(', '))}`,
      { from: sql`window_validators w where true` },
    )}`,
  );
  await run(
    client,
    sql`/* gatherClients */
    create temp table window_clients on commit drop as
    ${ofOperators(
      types,
      sql`w.client, ${raw(windows.map((window) => `count(w.uptime_${window})::numeric as n_${window}`).join(', '))}`,
      { from: sql`window_validators w where w.client is not null`, by: sql`, w.client` },
    )}`,
  );
  await client.query('/* analyzeFigures */ analyze window_figures, window_clients');
}
