import { z } from 'zod';
import * as Leaf from '../kernel/leaves.ts';
import type { Queryable } from './pool.ts';
import { rows, type Sql } from './rows.ts';

const Total = z.object({ total: Leaf.count() });

export async function totalOf(db: Queryable, statement: Sql): Promise<number> {
  return (await rows(db, Total, statement))[0]?.total ?? 0;
}
