import { sql } from '../db/rows.ts';

/** SQL over a proposed block `b`: its relays; a block that was built locally has `no_mev_boost`. */
export const relayNames = sql`case when b.relays = '{}' then '{no_mev_boost}' else b.relays end`;
/** A block that came through several relays counts for each in equal parts. */
export const relayPart = sql`1::numeric / greatest(cardinality(b.relays), 1)`;
