import type { GraphQLResolveInfo } from 'graphql';
import type { z } from 'zod';
import { selectedOf } from '../graphql/schema/selection.ts';
import { JsonText, jsonList } from '../kernel/json-text.ts';
import { layoutFor } from './placeholders.ts';
import { isSerialized, type RowLayout, recordLayout } from './row-layout.ts';
import { FAST_ROWS } from './switch.ts';

export { columnsOrText } from './columns-or-text.ts';

/** Fields are read as columns, a layout as one text. */
export type Selection<Field extends string> = readonly Field[] | RowLayout;

/** In a compiled query, its row layout; otherwise the selected ones of `fields`. */
export const selectionFor = <Field extends string>(
  info: GraphQLResolveInfo,
  fields: readonly Field[],
  paths: string[][],
  ownId?: string,
): Selection<Field> => layoutFor(info) ?? selectedOf(info, fields, paths, ownId);

export const wholeRecord = <Field extends string>(
  record: z.ZodObject<Record<Field, z.ZodType>>,
): Selection<Field> => (FAST_ROWS ? recordLayout(record) : (Object.keys(record.shape) as Field[]));

/** For a REST body; does not change rows read as columns. */
export function bodyOf<Shown>(rows: readonly object[]): Shown[];
export function bodyOf<Shown>(row: object): Shown;
export function bodyOf(rows: object): object {
  if (!Array.isArray(rows)) return isSerialized(rows) ? new JsonText([rows.text], 1) : rows;
  return rows.every(isSerialized) ? jsonList(rows.map(({ text }) => text)) : rows;
}
