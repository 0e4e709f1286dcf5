import { genesisTime, Network } from '../../chain/networks.ts';
import { ListedTotal } from '../../db/batch/readers.ts';
import { isMember, namedOperators, type OperatorScope } from '../../db/operator-members.ts';
import type { Queryable } from '../../db/pool.ts';
import { recordColumns } from '../../db/record-columns.ts';
import { beyond, type KeyColumns, keyTable, queryOf, raw, type Sql, selectList, sql } from '../../db/rows.ts';
import { totalBy } from '../../db/total.ts';
import type { Selection } from '../../fast-rows/index.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { type Ends, keysOfPage, type Range, rowsToRead } from '../../kernel/page.ts';
import { epochDays } from '../../periods/epoch-days.ts';
import { summed } from '../../periods/expressions.ts';
import { type PeriodRow, periodPages } from '../../periods/pages.ts';
import type { PeriodQuery, Series } from '../../periods/read-plan.ts';
import type { OperatorId } from '../operators/loaders.ts';
import type { SetKey } from '../private-sets/set-days.ts';
import { type PubkeyKey, pubkeyColumns, type ValidatorKey, validatorColumns } from '../validators/loaders.ts';
import { Slashing, SlashingRecord, type SlashingRecordField, slashingFields } from './record.ts';

/** `at`: slashing epoch, or penalties in Gwei. */
export type SlashingPosition = { at: number | string; validatorIndex: number };
export type SlashingRow = Slashing & { network: Network };

type SlashingFilter = {
  operator: OperatorScope | null;
  /** In Gwei, inclusive. */
  minPenalty: string | null;
  maxPenalty: string | null;
};
export const slashingOrders = ['epoch', 'penalty'] as const;
export type SlashingList = {
  network: Network;
  epochs: Ends;
  where: SlashingFilter;
  order: { field: (typeof slashingOrders)[number]; ascending: boolean };
};

const fields = recordColumns(Slashing, 's');
const select = sql`s.network, ${selectList(fields, slashingFields)}`;
const Row = Slashing.extend({ network: Network });
const ListedRow = Row.extend({ list: Leaf.count() });

const matching = ({ network, epochs, where }: Omit<SlashingList, 'order'>): Sql => sql`s.network = ${network}
      and s.slashing_epoch between ${epochs.first}::bigint and ${epochs.last}::bigint
      ${where.minPenalty === null ? sql`` : sql`and s.slashing_penalties >= ${where.minPenalty}::numeric`}
      ${where.maxPenalty === null ? sql`` : sql`and s.slashing_penalties <= ${where.maxPenalty}::numeric`}
      ${
        where.operator === null
          ? sql``
          : sql`and exists (
        select from validators v where (v.network, v.validator_index) = (s.network, s.validator_index)
          and ${isMember('v', network, where.operator)}
      )`
      }`;

type OrderField = SlashingList['order']['field'];
const columnOf = (alias: 's' | 'o', field: OrderField): Sql =>
  raw(`${alias}.${field === 'epoch' ? 'slashing_epoch' : 'slashing_penalties'}`);
const placeOf = (field: OrderField, { at, validatorIndex }: SlashingPosition): Sql[] => [
  sql`${at}::${raw(field === 'epoch' ? 'int' : 'bigint')}`,
  sql`${validatorIndex}::int`,
];

export const slashingPage = queryOf(Row, (list: SlashingList, range: Range<SlashingPosition>) => {
  const { field, ascending } = list.order;
  const { above, below, direction } = keysOfPage({ ...range, ascending });
  const [column, order] = [columnOf('s', field), raw(direction)];
  const key = [column, sql`s.validator_index`];
  return sql`/* slashingPage */
    select ${select}
    from slashings s
    where ${matching(list)}
      ${above ? beyond(key, '>', placeOf(field, above)) : sql``}
      ${below ? beyond(key, '<', placeOf(field, below)) : sql``}
    order by ${column} ${order}, s.validator_index ${order}
    limit ${rowsToRead(range)}`;
});

export const slashingTotal = totalBy(
  (list: SlashingList) => sql`/* slashingTotal */
    select count(*)::int as total from slashings s where ${matching(list)}`,
);

export const slashingsByValidator = queryOf(
  Row,
  (keys: readonly ValidatorKey[]) => sql`/* slashingsByValidator */
    select ${select}
    from ${keyTable(keys, validatorColumns)}
    join slashings s using (network, validator_index)`,
);

export const slashingsByPubkey = queryOf(
  Row,
  (keys: readonly PubkeyKey[]) => sql`/* slashingsByPubkey */
    select ${select}
    from ${keyTable(keys, pubkeyColumns)}
    join slashings s using (network, validator_pubkey)`,
);

// Reads the slashings first, because they are rare, while an operator may have half a million validators. A deep page
// costs as much as the first.
const operatorSlashings = (operators: readonly OperatorId[]) => sql`named as materialized (
      select * from ${namedOperators(operators)}
    ), owned as materialized (
      select s.network, s.validator_index, s.slashing_epoch, s.slashing_penalties, m.id_type, m.operator_id, m.share_of
      from slashings s join operator_validators m using (network, validator_index)
      where s.network = any(${[...new Set(operators.map((key) => key.network))]}::text[])
    )`;

export const operatorSlashingPages = queryOf(
  ListedRow,
  (
    operators: readonly OperatorId[],
    { field, ascending }: SlashingList['order'],
    range: Range<SlashingPosition>,
  ) => {
    const { above, below, direction } = keysOfPage({ ...range, ascending });
    const [column, order] = [columnOf('o', field), raw(direction)];
    const key = [column, sql`o.validator_index`];
    return sql`/* operatorSlashingPages */
    with ${operatorSlashings(operators)}, page as (
      select named.list, o.network, o.validator_index, row_number() over (
        partition by named.list order by ${column} ${order}, o.validator_index ${order}
      ) as place
      from named join owned o using (network, id_type, operator_id, share_of)
      where true
        ${above ? beyond(key, '>', placeOf(field, above)) : sql``}
        ${below ? beyond(key, '<', placeOf(field, below)) : sql``}
    )
    select page.list, ${select}
    from page join slashings s using (network, validator_index)
    where page.place <= ${rowsToRead(range)}
    order by page.list, page.place`;
  },
);

export const operatorSlashingTotals = queryOf(
  ListedTotal,
  (operators: readonly OperatorId[]) => sql`/* operatorSlashingTotals */
    with ${operatorSlashings(operators)}
    select named.list, count(*)::int as total
    from named join owned using (network, id_type, operator_id, share_of)
    group by named.list`,
);

/** Slashings of the validators that are in a private set now. Slashings are few, while a set may have 15,000 validators. */
const ofSet = (epochs: Ends): Sql => sql`slashings s
      where s.network = k.network and s.slashing_epoch between ${epochs.first}::bigint and ${epochs.last}::bigint
        and exists (
          select from private_set_members m
          where m.set_id = k.set_id and m.validator_index = s.validator_index and m.removed_at is null
        )`;
const setColumns: KeyColumns<SetKey> = { network: ['text', 'network'], set_id: ['uuid', 'id'] };

/** Does not check who owns the sets. */
export const setSlashingPages = queryOf(
  ListedRow,
  (
    sets: readonly SetKey[],
    { epochs, order: { field, ascending } }: Pick<SlashingList, 'epochs' | 'order'>,
    range: Range<SlashingPosition>,
  ) => {
    const { above, below, direction } = keysOfPage({ ...range, ascending });
    const [column, order] = [columnOf('s', field), raw(direction)];
    const key = [column, sql`s.validator_index`];
    return sql`/* setSlashingPages */
    select k.list::int - 1 as list, page.*
    from ${keyTable(sets, setColumns)}
    cross join lateral (
      select ${select}, row_number() over (order by ${column} ${order}, s.validator_index ${order}) as place
      from ${ofSet(epochs)}
        ${above ? beyond(key, '>', placeOf(field, above)) : sql``}
        ${below ? beyond(key, '<', placeOf(field, below)) : sql``}
      order by place limit ${rowsToRead(range)}
    ) page
    order by k.list, page.place`;
  },
);

/** Does not check who owns the sets. */
export const setSlashingTotals = queryOf(
  ListedTotal,
  (sets: readonly SetKey[], epochs: Ends) => sql`/* setSlashingTotals */
    select k.list::int - 1 as list, t.total
    from ${keyTable(sets, setColumns)}
    cross join lateral (select count(*)::int as total from ${ofSet(epochs)}) t`,
);

const series: Series<SlashingRecordField> = {
  statement: 'slashingHistory',
  record: SlashingRecord,
  fields: {
    id: sql`k.network`,
    slashingCount: { stored: sql`a.slashing_count`, gathered: sql`sum(a.slashing_count)::int` },
    sumSlashingPenalties: summed('penalties'),
    sumBalanceBeforeSlashing: summed('balance'),
  },
};

/** Epochs are those of the days, whichever epoch of a day has slashings. */
export function slashingHistoryPage(
  db: Queryable,
  list: Omit<SlashingList, 'order'>,
  query: PeriodQuery<SlashingRecordField>,
  range: Range<number>,
  selection: Selection<SlashingRecordField>,
): Promise<PeriodRow<SlashingRecord>[]> {
  const { dayOf, dateOf, firstEpoch, lastEpoch } = epochDays(list.network, query.calendar);
  const days = sql`(
    select d.*, ${dateOf(sql`d.day`)} as date, ${firstEpoch(sql`d.day`)} as start_epoch,
      ${lastEpoch(sql`d.day`)} as end_epoch
    from (
      select ${dayOf(sql`s.slashing_epoch`)} as day, count(*)::int as slashing_count,
        sum(s.slashing_penalties) as penalties, sum(s.balance_before_slashing) as balance
      from slashings s where ${matching(list)} group by 1
    ) d
  )`;
  const keys = keyTable([list], {
    network: ['text', 'network'],
    genesis: ['bigint', ({ network }: typeof list) => genesisTime[network]],
  });
  return periodPages(db, series, { keys, days, parted: false, own: sql`true` }, query, range, selection);
}
