import { z } from 'zod';
import type { Bounds } from '../chain/bounds.ts';
import type { Calendar } from '../chain/calendar.ts';
import { inOnePiece, join, momentText, raw, type Sql, sql } from '../db/rows.ts';
import { columnsOrText, type Selection } from '../fast-rows/index.ts';
import { boundedMap } from '../kernel/bounded.ts';
import * as Leaf from '../kernel/leaves.ts';
import { type Expression, periodKeys } from './expressions.ts';
import type { Granularity, PeriodKeyField } from './record.ts';

export type PeriodQuery<Field extends string> = Bounds & {
  granularity: Granularity;
  calendar: Calendar;
  /** `day` means the period, whatever its length. */
  sortBy: Field | 'day';
  sortOrder: 'asc' | 'desc';
};

/** The fields of `PeriodKeys` are those of every series. SQL alone is of rows of each length. */
export type Series<Field extends string> = {
  statement: string;
  record: z.ZodObject<Record<Field, z.ZodType>>;
  fields: Record<Exclude<Field, PeriodKeyField>, Expression | Sql>;
};

function wire(series: Series<string>, name: string): Sql {
  const column = raw(`p."${name}"`);
  const kind = Leaf.leafKind(series.record.shape[name] as z.ZodType);
  if (kind === 'BigInt' || kind === 'Date') return sql`${column}::text`;
  return kind === 'DateTime' ? momentText(column) : column;
}

const Place = z.object({ list: Leaf.count(), position: Leaf.count(), total: Leaf.count().nullable() });
type ReadPlan = Omit<ReturnType<typeof columnsOrText>, 'row'> & {
  typed: Sql;
  row: z.ZodType;
};
const plans = boundedMap<ReadPlan>(500);

/** Plans are cached, because making one took a seventh of the server's work. */
export function readPlan<Field extends string>(
  series: Series<Field>,
  { granularity, sortBy }: PeriodQuery<Field>,
  selection: Selection<Field>,
): ReadPlan {
  const key = JSON.stringify([series.statement, granularity, sortBy, selection]);
  const known = plans.get(key);
  if (known) return known;
  const names = Object.keys(series.record.shape) as Field[];
  const fields = Object.fromEntries(names.map((name) => [name, wire(series, name)]));
  const reader = columnsOrText(selection, { record: series.record as z.ZodObject, fields });
  const form = granularity === 'hour' || granularity === 'day' ? 'stored' : 'gathered';
  const expressions: Record<string, Expression | Sql> = { ...periodKeys, ...series.fields };
  const typed = [...new Set([...reader.names, ...(sortBy === 'day' ? [] : [sortBy])])].map((name) => {
    const none = name === 'hour' && granularity !== 'hour';
    const expression = expressions[name] as Expression | Sql;
    const value = 'gathered' in expression ? expression[form] : expression;
    return sql`, ${none ? sql`null::int` : value} as ${raw(`"${name}"`)}`;
  });
  const plan = {
    ...reader,
    typed: inOnePiece(typed.length > 0 ? join(typed, ' ') : sql``),
    columns: reader.columns.sql === '' ? sql`` : sql`, ${reader.columns}`,
    row: Place.extend(reader.row.shape),
  };
  plans.set(key, plan);
  return plan;
}
