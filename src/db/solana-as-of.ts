import { z } from 'zod';
import * as Leaf from '../kernel/leaves.ts';
import { momentText, raw, type Sql, sql } from './rows.ts';

export const SolanaAsOf = z.object({ epoch: Leaf.count(), time: Leaf.timestamp() }).nullable();
export type SolanaAsOf = z.infer<typeof SolanaAsOf>;

export const solanaAsOf = (
  alias: string,
): Sql => sql`case when ${raw(alias)}.as_of_time is not null then json_build_object(
  'epoch', ${raw(alias)}.as_of_epoch, 'time', ${momentText(sql`${raw(alias)}.as_of_time at time zone 'UTC'`)}) end`;
