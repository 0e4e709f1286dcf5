import { z } from 'zod';
import type { TimeWindow } from '../../chain/windows.ts';
import { ListedTotal } from '../../db/batch/readers.ts';
import type { Queryable } from '../../db/pool.ts';
import { recordColumns } from '../../db/record-columns.ts';
import { type KeyColumns, keyTable, queryOf, raw, rows, type Sql, selectList, sql } from '../../db/rows.ts';
import { solanaAsOf } from '../../db/solana-as-of.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { keysOfPage, rowsToRead } from '../../kernel/page.ts';
import { type Dates, type HistoryRange, withinDates } from '../../periods/dates.ts';
import type { OperatorKey } from '../operators/loaders.ts';
import type { StakeAuthorityKey } from '../stake-authorities/loaders.ts';
import { OperatorHistory, SolanaHistory, StakeAuthorityHistory } from './record.ts';

type Of<Key extends object> = { name: string; columns: KeyColumns<Key>; scope: readonly string[] };

/** Reads one day after another until the page is full, so a deep page costs as much as the first. */
function historyPages<Key extends object, Shape extends z.ZodRawShape>(
  of: Of<Key>,
  record: z.ZodObject<Shape>,
  asOf: Sql,
) {
  type Row = z.infer<z.ZodObject<Shape>> & { list: number };
  const fields: Record<string, Sql> = { ...recordColumns(record, 'h'), asOf };
  const select = selectList(fields, Object.keys(fields));
  const row = z.object({ ...record.shape, list: Leaf.count() });
  const name = raw(`/* ${of.name}History */`);
  return (db: Queryable, keys: readonly Key[], range: HistoryRange) => {
    const order = raw(keysOfPage(range).direction);
    const statement = sql`${name}
    select k.list::int - 1 as list, page.*
    from ${keyTable(keys, of.columns)}
    join ${raw(`${of.name}_series`)} s using (${raw(Object.keys(of.columns).join(', '))})
    cross join lateral (
      select ${select} ${daysOf(of, range)}
      order by d.date ${order}
      limit ${rowsToRead(range)}
    ) page
    order by k.list, page.date ${order}`;
    return rows(db, row, statement) as unknown as Promise<Row[]>;
  };
}

const daysOf = ({ name, scope }: Of<never>, range: Dates | HistoryRange): Sql => sql`
      from ${raw(`${name}_history_days`)} d
      cross join lateral (
        select * from ${raw(`${name}_history`)} h where h.date = d.date and h.series = s.series
        offset 0 -- one probe a day, whatever the statistics say of a day written since
      ) h
      where ${raw(scope.map((column) => `d.${column} = s.${column}`).join(' and '))}
        ${withinDates(sql`d`, range)}`;

const historyTotals = <Key extends object>(of: Of<Key>) => {
  const name = raw(`/* ${of.name}HistoryTotals */`);
  return (db: Queryable, keys: readonly Key[], dates: Dates) =>
    rows(
      db,
      ListedTotal,
      sql`${name}
    select k.list::int - 1 as list, t.total
    from ${keyTable(keys, of.columns)}
    join ${raw(`${of.name}_series`)} s using (${raw(Object.keys(of.columns).join(', '))})
    cross join lateral (select count(*)::int as total ${daysOf(of, dates)}) t`,
    );
};

const operators: Of<OperatorKey> = {
  name: 'operator',
  columns: {
    network: ['text', 'network'],
    operator_id: ['text', 'id'],
    id_type: ['text', 'idType'],
    time_window: ['text', 'timeWindow'],
  },
  scope: ['network', 'id_type', 'time_window'],
};

const stakeAuthorities: Of<StakeAuthorityKey> = {
  name: 'stake_authority',
  columns: { stake_authority: ['text', 'stakeAuthority'], time_window: ['text', 'timeWindow'] },
  scope: ['time_window'],
};

export const operatorHistoryPages = historyPages(operators, OperatorHistory, sql`h.as_of_epoch`);
export const operatorHistoryTotals = historyTotals(operators);

export const stakeAuthorityHistoryPages = historyPages(
  stakeAuthorities,
  StakeAuthorityHistory,
  solanaAsOf('h'),
);
export const stakeAuthorityHistoryTotals = historyTotals(stakeAuthorities);

const solanaFields: Record<string, Sql> = {
  ...recordColumns(SolanaHistory.omit({ asOf: true }), 'h'),
  asOf: solanaAsOf('h'),
};
const solanaSelect = selectList(solanaFields, Object.keys(solanaFields));
const SolanaRow = SolanaHistory.extend({ list: Leaf.count() });
const windowKeys = (windows: readonly TimeWindow[]) =>
  keyTable(windows, { time_window: ['text', (window) => window] });

export const solanaHistoryPages = queryOf(
  SolanaRow,
  (windows: readonly TimeWindow[], range: HistoryRange) => {
    const order = raw(keysOfPage(range).direction);
    return sql`/* solanaHistory */
    select k.list::int - 1 as list, page.*
    from ${windowKeys(windows)}
    cross join lateral (
      select ${solanaSelect} from solana_overview_history h
      where h.time_window = k.time_window ${withinDates(sql`h`, range)}
      order by h.date ${order}
      limit ${rowsToRead(range)}
    ) page
    order by k.list, page.date ${order}`;
  },
);

export const solanaHistoryTotals = queryOf(
  ListedTotal,
  (windows: readonly TimeWindow[], dates: Dates) => sql`/* solanaHistoryTotals */
    select k.list::int - 1 as list, count(*)::int as total
    from ${windowKeys(windows)}
    join solana_overview_history h using (time_window)
    where true ${withinDates(sql`h`, dates)}
    group by k.list`,
);
