import type { z } from 'zod';
import type { TimeWindow } from '../chain/windows.ts';
import { JsonText, jsonList } from '../kernel/json-text.ts';
import { recordLayout, type Selection } from './row-layout.ts';
import { FAST_ROWS } from './switch.ts';

export { columnsOrText } from './columns-or-text.ts';
export { selectedInPage, selectedInRow } from './selection.ts';
export type { Selection };

/** A summary to read in the same statement as its owner. */
export type FirstSummary<Field extends string> = { window: TimeWindow; selection: Selection<Field> };

const isSerialized = (row: object): row is { text: string } => 'text' in row;

export const wholeRecord = <Field extends string>(
  record: z.ZodObject<Record<Field, z.ZodType>>,
): Selection<Field> => (FAST_ROWS ? recordLayout(record) : (Object.keys(record.shape) as Field[]));

export function bodyOf<Shown>(rows: readonly object[]): Shown[];
export function bodyOf<Shown>(row: object): Shown;
export function bodyOf(rows: object): object {
  if (!Array.isArray(rows)) return isSerialized(rows) ? new JsonText([rows.text], 1) : rows;
  return rows.every(isSerialized) ? jsonList(rows.map(({ text }) => text)) : rows;
}
