import { type Sql, sql } from '../../db/rows.ts';

const YEAR = sql`31536000`;

/** A quotient of numerics to 20 places; null by 0. Before it is rounded it has 40: PostgreSQL by itself stops at some 16 digits. */
export const divided = (part: Sql, whole: Sql): Sql =>
  sql`round(round((${part})::numeric, 40) / nullif(${whole}, 0), 20)`;

/** Epochs a year, of the epochs of a statement. */
export const yearly = sql`round(count(*) * ${YEAR}::numeric / sum(seconds), 20)`;

/** The yearly rate of rewards on stake × seconds, not compounded; 0 without stake. */
export const apr = (rewards: Sql, earning: Sql): Sql =>
  sql`coalesce(${divided(sql`(${rewards}) * ${YEAR}`, earning)}, 0)`;

/**
 * The same compounded by the epoch: (1 + rate ÷ n)ⁿ − 1, with `p.pace` for the n epochs of a year. Costs that are more than
 * the stake in an epoch, as validators of a few SOL have, leave nothing of it: −1.
 */
export const apy = (rewards: Sql, earning: Sql): Sql =>
  sql`round(power(greatest(1 + ${apr(rewards, earning)} / p.pace, 0), p.pace) - 1, 20)`;
