import { parse } from 'lossless-json';
import type { Queryable } from '../../src/db/pool.ts';

/** The JSON of a response, of the type that the test expects. */
export const bodyOf = async <T>(response: Response | Promise<Response>): Promise<T> =>
  (await (await response).json()) as T;

/** JSON with all digits of its numbers, of the type that the test expects. */
export const parsed = <T>(text: string): T => parse(text) as T;

/** The rows of a statement, of the type that the test expects. */
export const rowsOf = async <T = Record<string, unknown>>(
  db: Queryable,
  text: string,
  values: unknown[] = [],
): Promise<T[]> => (await db.query({ text, values })).rows as T[];

/** The blocks that a statement read, by its `explain (analyze, buffers, format json)`. */
export function blocksIn(rows: Record<string, unknown>[]): number {
  const [{ 'QUERY PLAN': plans }] = rows as [{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }];
  const [{ Plan }] = plans;
  return Number(Plan['Shared Hit Blocks']) + Number(Plan['Shared Read Blocks']);
}

export type GraphqlErrors = { errors: [{ extensions: { code: string } }] };
