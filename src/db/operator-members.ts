import { raw, type Sql, sql } from './rows.ts';

export const memberClasses = [
  'depositAddress',
  'withdrawalAddress',
  'nodeOperator',
  'pool',
  'poolShare',
] as const;

export type OperatorScope = { idType: (typeof memberClasses)[number]; id: string };

const columns = {
  depositAddress: 'deposit_address',
  withdrawalAddress: 'withdrawal_address',
  nodeOperator: 'node_operator',
  pool: 'pool',
};

const memberColumn = (alias: string, idType: keyof typeof columns): Sql => raw(`${alias}.${columns[idType]}`);

/** The SQL text names the column of the `idType`, so that PostgreSQL can use its index. */
export function isMember(alias: string, network: string, { idType, id }: OperatorScope): Sql {
  if (idType !== 'poolShare') return sql`${memberColumn(alias, idType)} = ${id}`;
  const part = (column: string) => sql`(
      select ${raw(column)} from operator_summaries
      where network = ${network} and operator_id = ${id} and id_type = 'poolShare' and not superseded
      order by time_window limit 1
    )`;
  return sql`${raw(`${alias}.pool`)} = ${part('pool_id')}
      and ${raw(`${alias}.node_operator`)} = ${part('node_operator_id')}`;
}

/** SQL: a table of the keys of these operators in `operator_validators`. Its column `list` is the index in `operators`. */
export const namedOperators = (
  operators: readonly { network: string; idType: string; id: string }[],
): Sql => sql`named_operators(
      ${operators.map((key) => key.network)}::text[], ${operators.map((key) => key.id)}::text[],
      ${operators.map((key) => key.idType)}::text[]
    )`;
