import { type Sql, sql } from '../db/rows.ts';

const YEAR = sql`31536000`;

/**
 * Quotient with 20 places; null if `whole` is 0. Without the inner rounding to 40 places, PostgreSQL computes only
 * about 16 digits.
 */
export const divided = (part: Sql, whole: Sql): Sql =>
  sql`round(round((${part})::numeric, 40) / nullif(${whole}, 0), 20)`;

/** Epochs per year. */
export const yearly = (epochs: Sql): Sql => sql`round(${epochs} * ${YEAR}::numeric / sum(seconds), 20)`;

/** Ratio per year; 0 without stake. `earning` is stake × seconds. */
export const apr = (rewards: Sql, earning: Sql): Sql =>
  sql`coalesce(${divided(sql`(${rewards}) * ${YEAR}`, earning)}, 0)`;

/** Compounds the APR `p.pace` times a year. Returns −1 if costs exceed the stake, as for validators with a few SOL. */
export const apy = (rewards: Sql, earning: Sql): Sql =>
  sql`round(power(greatest(1 + ${apr(rewards, earning)} / p.pace, 0), p.pace) - 1, 20)`;
