import { z } from 'zod';
import { SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import { Network } from '../../chain/networks.ts';
import { ListedTotal } from '../../db/batch/readers.ts';
import { isMember, namedOperators, type OperatorScope } from '../../db/operator-members.ts';
import type { Queryable } from '../../db/pool.ts';
import { recordColumns } from '../../db/record-columns.ts';
import {
  beyond,
  join,
  type KeyColumns,
  keyTable,
  queryOf,
  raw,
  rows,
  type Sql,
  selectList,
  sql,
} from '../../db/rows.ts';
import { totalBy } from '../../db/total.ts';
import * as Leaf from '../../kernel/leaves.ts';
import {
  type DirectedRange,
  type Ends,
  keysOfPage,
  LAST_NUMBER,
  type Range,
  rowsToRead,
} from '../../kernel/page.ts';
import type { OperatorId } from '../operators/loaders.ts';
import { Validator, validatorFields } from './record.ts';
import { activation, exit, hasStatus, partsWithStatus, type ValidatorStatus } from './status.ts';

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
const ListedRow = Row.extend({ list: Leaf.count() });
const NewestRow = z.object({ network: Network, epoch: Leaf.count().nullable() });

export const validatorsByIndex = queryOf(
  Row,
  (keys: readonly ValidatorKey[]) => sql`/* validatorsByIndex */
    select ${select}
    from ${keyTable(keys, validatorColumns)}
    join validators v using (network, validator_index)`,
);

export const validatorsByPubkey = queryOf(
  Row,
  (keys: readonly PubkeyKey[]) => sql`/* validatorsByPubkey */
    select ${select}
    from ${keyTable(keys, pubkeyColumns)}
    join validators v using (network, validator_pubkey)`,
);

export const validatorOrders = ['index', 'activationEpoch', 'exitEpoch'] as const;
export type ValidatorList = {
  network: Network;
  operator: OperatorScope | null;
  slashed: boolean | null;
  status: ValidatorStatus | null;
  order: { field: (typeof validatorOrders)[number]; ascending: boolean };
  epochs: Ends;
};
/** `at` is the epoch by which the list is sorted (LAST_NUMBER if unknown), or 0 in lists sorted by index. */
export type ValidatorPosition = { at: number; validatorIndex: number };

const orderColumns = {
  index: sql`v.validator_index`,
  activationEpoch: activation,
  exitEpoch: exit,
};

/**
 * Each item is the `from` and `where` of one part of the list. Slashed validators are rare, so their operators and
 * statuses are compared one by one.
 */
function sources(
  { network, operator, slashed, status, order, epochs }: ValidatorList,
  newest: number,
): Sql[] {
  const narrowed = slashed === true && (operator !== null || status !== null);
  const plain = narrowed
    ? sql`(select * from validators v where v.network = ${network} and v.slashed offset 0) v`
    : sql`validators v`;
  const conditions = sql`v.network = ${network}
      ${operator === null ? sql`` : sql`and ${isMember('v', network, operator)}`}
      ${slashed === null ? sql`` : raw(slashed ? 'and v.slashed' : 'and not v.slashed')}
      ${order.field === 'index' ? sql`` : sql`and ${orderColumns[order.field]} between ${epochs.first}::bigint and ${epochs.last}::bigint`}`;
  if (status === null) return [sql`${plain} where ${conditions}`];
  if (operator !== null || slashed === true)
    return [sql`${plain} where ${conditions} and ${hasStatus(status, newest)}`];
  return partsWithStatus(status, order.field, newest).map(({ condition, few }) =>
    few
      ? sql`(select v.validator_index, v.activation_epoch from validators v
        where ${conditions} and ${condition} offset 0) v where true`
      : sql`validators v where ${conditions} and ${condition}`,
  );
}

export const validatorPage = queryOf(
  Row,
  (list: ValidatorList, newest: number, { after, before, ...range }: Range<ValidatorPosition>) => {
    const { field, ascending } = list.order;
    const [above, below] = ascending ? [after, before] : [before, after];
    const column = orderColumns[field];
    const direction = ascending === (range.backward === true) ? sql`desc` : sql``;
    const past = (than: '>' | '<', { at, validatorIndex }: ValidatorPosition) =>
      field === 'index'
        ? sql`and v.validator_index ${raw(than)} ${validatorIndex}::int`
        : beyond([column, sql`v.validator_index`], than, [sql`${at}::int`, sql`${validatorIndex}::int`]);
    const page = (columns: Sql, source: Sql) => sql`select ${columns}
    from ${source}
      ${above ? past('>', above) : sql``}
      ${below ? past('<', below) : sql``}
    order by ${field === 'index' ? sql`` : sql`${column} ${direction},`} v.validator_index ${direction}
    limit ${rowsToRead(range)}`;
    const parts = sources(list, newest);
    const [only] = parts;
    return list.status === null && only
      ? sql`/* validatorPage */ ${page(select, only)}`
      : sql`/* validatorPage */
    ${page(
      select,
      sql`(
      ${join(
        parts.map((part) => sql`(${page(sql`v.validator_index`, part)})`),
        ' union all ',
      )}
    ) p join validators v on v.network = ${list.network} and v.validator_index = p.validator_index where true`,
    )}`;
  },
);

/** Kept counts, corrected by the validators whose known epochs are after the newest. */
function keptTotal({ network, slashed, status }: ValidatorList, newest: number): Sql {
  const those = sql`v.network = ${network} ${raw(slashed === null ? '' : 'and not v.slashed')}`;
  const kept = (condition: string) => sql`
      (select coalesce(sum(v.validators), 0) from validator_counts v where ${those} and ${raw(condition)})`;
  const later = (condition: Sql) => sql`
      (select count(*) from validators v where ${those} and ${condition})`;
  const starting = later(
    sql`v.activation_epoch is not null and v.exit_epoch is null and ${activation} > ${newest}::int`,
  );
  const ending = sql`v.exit_epoch is not null and v.exit_epoch > ${newest}::int`;
  if (status === null) return kept('true');
  return {
    pending: sql`${kept('not v.activated and not v.leaving')} + ${starting}
      + ${later(sql`${ending} and ${activation} > ${newest}::int`)}`,
    active: sql`${kept('v.activated and not v.leaving')} - ${starting}`,
    exiting: later(
      sql`${ending} and v.exit_epoch < ${LAST_NUMBER}::int and v.activation_epoch <= ${newest}::int`,
    ),
    exited: sql`${kept('v.leaving')} - ${later(ending)}`,
  }[status];
}

export const validatorTotal = totalBy((list: ValidatorList, newest: number) => {
  const { operator, slashed, order, epochs } = list;
  const hasAll = order.field === 'index' || (epochs.first === 0 && epochs.last === LAST_NUMBER);
  const counted =
    operator === null && slashed !== true && hasAll
      ? keptTotal(list, newest)
      : sql`(select sum(n) from (
      ${join(
        sources(list, newest).map((source) => sql`select count(*) as n from ${source}`),
        ' union all ',
      )}
    ) c)`;
  return sql`/* validatorTotal */ select (${counted})::int as total`;
});

/** The newest epoch is the later one of the newest stored slot and the newest active balance. */
export const newestEpochs = queryOf(
  NewestRow,
  (networks: readonly Network[]) => sql`/* newestEpochs */
    select k.network, greatest(
      (select h.slot / ${raw(String(SLOTS_PER_EPOCH))} from chain_heads h where h.network = k.network),
      (select b.epoch from chain_balances b where b.network = k.network order by b.epoch desc limit 1)
    ) as epoch
    from ${keyTable(networks, { network: ['text', (network) => network] })}`,
);

/** Returns no rows for an `idType` to which no validator belongs. */
export const operatorValidatorPages = queryOf(
  ListedRow,
  (operators: readonly OperatorId[], range: DirectedRange<number>) => {
    const { above, below, direction } = keysOfPage(range);
    const order = raw(direction);
    return sql`/* operatorValidatorPages */
    select k.list, ${select}
    from ${namedOperators(operators)} k
    cross join lateral (
      select m.validator_index
      from operator_validators m
      where m.network = k.network and m.id_type = k.id_type
        and m.operator_id = k.operator_id and m.share_of = k.share_of
        and m.validator_index > ${above ?? -1}
        ${below === undefined ? sql`` : sql`and m.validator_index < ${below}`}
      order by m.validator_index ${order}
      limit ${rowsToRead(range)}
    ) page
    join validators v on (v.network, v.validator_index) = (k.network, page.validator_index)
    order by k.list, v.validator_index ${order}`;
  },
);

export const operatorValidatorTotals = queryOf(
  ListedTotal,
  (operators: readonly OperatorId[]) => sql`/* operatorValidatorTotals */
    select k.list, t.total
    from ${namedOperators(operators)} k
    cross join lateral (
      select count(*)::int as total
      from operator_validators m
      where m.network = k.network and m.id_type = k.id_type
        and m.operator_id = k.operator_id and m.share_of = k.share_of
    ) t`,
);

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
