import { Network } from '../../chain/networks.ts';
import { ListedTotal } from '../../db/batch/readers.ts';
import { askedOperators, isMember, type OperatorScope } from '../../db/operator-members.ts';
import type { Queryable } from '../../db/pool.ts';
import { recordColumns } from '../../db/record-columns.ts';
import { type KeyColumns, keyTable, raw, rows, type Sql, selectList, sql } from '../../db/rows.ts';
import { totalOf } from '../../db/total.ts';
import { count } from '../../kernel/leaves.ts';
import { type Ends, type Range, rowsToRead } from '../../kernel/page.ts';
import type { OperatorId } from '../operators/loaders.ts';
import { Validator, validatorFields } from './record.ts';

export type ValidatorKey = { network: Network; validatorIndex: number };
export type PubkeyKey = { network: Network; validatorPubkey: string };
export const validatorColumns: KeyColumns<ValidatorKey> = {
  network: ['text', 'network'],
  validator_index: ['int', 'validatorIndex'],
};
export const pubkeyColumns: KeyColumns<PubkeyKey> = {
  network: ['text', 'network'],
  validator_pubkey: ['text', 'validatorPubkey'],
};
export type ValidatorRow = Validator & { network: Network };

const fields = recordColumns(Validator, 'v');
const select = sql`v.network, ${selectList(fields, validatorFields)}`;
const Row = Validator.extend({ network: Network });
const ListedRow = Row.extend({ list: count() });

export function validatorsByIndex(db: Queryable, keys: readonly ValidatorKey[]): Promise<ValidatorRow[]> {
  return rows(
    db,
    Row,
    sql`/* validatorsByIndex */
    select ${select}
    from ${keyTable(keys, validatorColumns)}
    join validators v using (network, validator_index)`,
  );
}

export function validatorsByPubkey(db: Queryable, keys: readonly PubkeyKey[]): Promise<ValidatorRow[]> {
  return rows(
    db,
    Row,
    sql`/* validatorsByPubkey */
    select ${select}
    from ${keyTable(keys, pubkeyColumns)}
    join validators v using (network, validator_pubkey)`,
  );
}

export const validatorOrders = ['index', 'activationEpoch', 'exitEpoch'] as const;
export type ValidatorList = {
  network: Network;
  operator: OperatorScope | null;
  slashed: boolean | null;
  order: { field: (typeof validatorOrders)[number]; ascending: boolean };
  /** Bounds of the epoch by which the list is sorted. */
  epochs: Ends;
};
/** `at`: the epoch by which the list is sorted, LAST_NUMBER if unknown; 0 in lists sorted by index. */
export type ValidatorPosition = { at: number; validatorIndex: number };

const orderColumns = {
  index: sql`v.validator_index`,
  activationEpoch: sql`coalesce(v.activation_epoch, 2147483647)`,
  exitEpoch: sql`coalesce(v.exit_epoch, 2147483647)`,
};

/** Slashed validators are rare, so each one's operator is checked. */
function matching({ network, operator, slashed, order, epochs }: ValidatorList): Sql {
  const rare = slashed === true && operator !== null;
  return sql`${
    rare
      ? sql`(select * from validators v where v.network = ${network} and v.slashed offset 0) v`
      : sql`validators v`
  }
    where v.network = ${network}
      ${operator === null ? sql`` : sql`and ${isMember('v', network, operator)}`}
      ${slashed === null ? sql`` : raw(slashed ? 'and v.slashed' : 'and not v.slashed')}
      ${order.field === 'index' ? sql`` : sql`and ${orderColumns[order.field]} between ${epochs.first}::bigint and ${epochs.last}::bigint`}`;
}

export function validatorPage(
  db: Queryable,
  list: ValidatorList,
  { after, before, ...range }: Range<ValidatorPosition>,
): Promise<ValidatorRow[]> {
  const { field, ascending } = list.order;
  const [above, below] = ascending ? [after, before] : [before, after];
  const column = orderColumns[field];
  const direction = ascending === (range.backward === true) ? sql`desc` : sql``;
  const at = ({ at, validatorIndex }: ValidatorPosition) => sql`(${at}::int, ${validatorIndex}::int)`;
  const key = field === 'index' ? sql`v.validator_index` : sql`(${column}, v.validator_index)`;
  const bound = (position: ValidatorPosition) =>
    field === 'index' ? sql`${position.validatorIndex}::int` : at(position);
  return rows(
    db,
    Row,
    sql`/* validatorPage */
    select ${select}
    from ${matching(list)}
      ${above ? sql`and ${key} > ${bound(above)}` : sql``}
      ${below ? sql`and ${key} < ${bound(below)}` : sql``}
    order by ${field === 'index' ? sql`` : sql`${column} ${direction},`} v.validator_index ${direction}
    limit ${rowsToRead(range)}`,
  );
}

export const validatorTotal = (db: Queryable, list: ValidatorList): Promise<number> =>
  totalOf(
    db,
    sql`/* validatorTotal */
    select count(*)::int as total from ${matching(list)}`,
  );

/** Empty for an `idType` to which no validator belongs. */
export function operatorValidatorPages(
  db: Queryable,
  operators: readonly OperatorId[],
  range: Range<number>,
): Promise<(ValidatorRow & { list: number })[]> {
  const order = range.backward ? sql`desc` : sql``;
  return rows(
    db,
    ListedRow,
    sql`/* operatorValidatorPages */
    select k.list, ${select}
    from ${askedOperators(operators)} k
    cross join lateral (
      select m.validator_index
      from operator_validators m
      where m.network = k.network and m.id_type = k.id_type
        and m.operator_id = k.operator_id and m.share_of = k.share_of
        and m.validator_index > ${range.after ?? -1}
        ${range.before === undefined ? sql`` : sql`and m.validator_index < ${range.before}`}
      order by m.validator_index ${order}
      limit ${rowsToRead(range)}
    ) page
    join validators v on (v.network, v.validator_index) = (k.network, page.validator_index)
    order by k.list, v.validator_index ${order}`,
  );
}

export function operatorValidatorTotals(
  db: Queryable,
  operators: readonly OperatorId[],
): Promise<ListedTotal[]> {
  return rows(
    db,
    ListedTotal,
    sql`/* operatorValidatorTotals */
    select k.list, t.total
    from ${askedOperators(operators)} k
    cross join lateral (
      select count(*)::int as total
      from operator_validators m
      where m.network = k.network and m.id_type = k.id_type
        and m.operator_id = k.operator_id and m.share_of = k.share_of
    ) t`,
  );
}

export const rowsOfValidators =
  (statement: string, table: string) =>
  (db: Queryable, validators: readonly ValidatorKey[]): Promise<ListedTotal[]> =>
    rows(
      db,
      ListedTotal,
      sql`/* ${raw(statement)} */
      select k.list::int - 1 as "list", t.total
      from ${keyTable(validators, validatorColumns)}
      cross join lateral (
        select count(*)::int as total from ${raw(table)} r
        where r.network = k.network and r.validator_index = k.validator_index
      ) t`,
    );
