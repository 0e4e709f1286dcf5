import { z } from 'zod';
import { inOnePiece, join, momentText, raw, type Sql, sql } from '../db/rows.ts';
import { type Asked, askedName, columnsOf, isForm } from '../fast-rows/row-form.ts';
import { type RowTexts, rowText, Written } from '../fast-rows/row-text.ts';
import { boundedMap } from '../kernel/bounded.ts';
import { count, leafKind } from '../kernel/leaves.ts';
import type { Expression } from './expressions.ts';
import type { PeriodQuery, Series } from './pages.ts';
import type { Granularity } from './record.ts';

/** A typed column as it goes over the wire. */
function wire<Field extends string>(series: Series<Field>, name: Field): Sql {
  const column = raw(`p."${name}"`);
  const kind = leafKind(series.record.shape[name]);
  if (kind === 'BigInt' || kind === 'Date') return sql`${column}::text`;
  return kind === 'DateTime' ? momentText(column) : column;
}

const Place = z.object({ list: count(), position: count(), total: count().nullable() });
const WrittenPlace = Place.extend(Written.shape);
type Selection = {
  /** Columns of the stored rows `a`, with what they are sorted by. */
  typed: Sql;
  /** What a page shows of them as `p`: the columns that are asked for, or the text of each. */
  shown: Sql;
  row: z.ZodType;
  /** What is made of each row, where it comes as a text. */
  decode?: (row: Record<string, unknown>) => void;
  /** The texts of rows in a form, for pages of which the rows alone are asked for. */
  texts?: RowTexts;
};
const selections = boundedMap<Selection>(500);

/**
 * What a page reads for what is asked, those used last kept: 30 days of attestations with all fields took 53 µs to put
 * together, which is a seventh of what they cost the server.
 */
export function selectionOf<Field extends string>(
  series: Series<Field>,
  { granularity, sortBy }: PeriodQuery<Field>,
  asked: Asked<Field>,
): Selection {
  const key = `${series.statement} ${granularity} ${sortBy} ${askedName(asked)}`;
  const kept = selections.get(key);
  if (kept) return kept;
  const names = [...new Set<Field>([...columnsOf(asked), ...(sortBy === 'day' ? [] : [sortBy])])];
  const typed = names.map((name) => {
    // Rows of days have no hour of their own.
    const none = name === ('hour' as Field) && granularity !== 'hour';
    return sql`, ${none ? sql`null::int` : series.fields[name][formOf(granularity)]} as ${raw(`"${name}"`)}`;
  });
  const made = { typed: all(typed), ...shownOf(series, asked) };
  selections.set(key, made);
  return made;
}

function shownOf<Field extends string>(series: Series<Field>, asked: Asked<Field>) {
  if (isForm(asked)) {
    const fields = columnsOf<Field>(asked).map((name) => [name, wire(series, name)]);
    const { column, decode, texts } = rowText(asked, Object.fromEntries(fields));
    return { shown: sql`, ${column}`, row: WrittenPlace, decode, texts };
  }
  const mask = Object.fromEntries(asked.map((name) => [name, true])) as Record<never, never>;
  return {
    shown: all(asked.map((name) => sql`, ${wire(series, name)} as ${raw(`"${name}"`)}`)),
    row: Place.extend((series.record as z.ZodObject).pick(mask).shape),
  };
}

const all = (parts: Sql[]): Sql => inOnePiece(parts.length > 0 ? join(parts, ' ') : sql``);

/** Whether a row of a page is one that is stored, or gathered of several. */
const formOf = (granularity: Granularity): keyof Expression =>
  granularity === 'hour' || granularity === 'day' ? 'stored' : 'gathered';
