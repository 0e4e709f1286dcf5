import { z } from 'zod';
import * as Leaf from '../kernel/leaves.ts';
import type { Queryable } from './pool.ts';
import { queryOf, type Sql } from './rows.ts';

const Total = z.object({ total: Leaf.count() });

/** Reads the `total` that a statement returns; 0 without a row. */
export function totalBy<Args extends unknown[]>(statement: (...args: Args) => Sql) {
  const read = queryOf(Total, statement);
  return async (db: Queryable, ...args: Args): Promise<number> => (await read(db, ...args))[0]?.total ?? 0;
}
