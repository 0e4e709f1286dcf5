import { raw, type Sql, sql } from './rows.ts';

/** Epochs of a span, whose first is a multiple of it; fixed by migration 0062. */
export const SPAN = raw('15');

export const spanOf = (epoch: Sql): Sql => sql`(${epoch} - ${epoch} % ${SPAN})`;

/** The partitions, each with its first epoch. */
export const spanParts = sql`(
  select c.oid, (regexp_match(pg_get_expr(c.relpartbound, c.oid), '(\\d+)'))[1]::int as first
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'solana_stake_authority_epochs'::regclass and c.relispartition
)`;
