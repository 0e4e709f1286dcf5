import { type Sql, sql } from '../../db/rows.ts';

const YEAR = sql`31536000`;

/** To 20 places, null for ÷ 0. The inner 40 places force precision: PostgreSQL alone stops at about 16 digits. */
export const divided = (part: Sql, whole: Sql): Sql =>
  sql`round(round((${part})::numeric, 40) / nullif(${whole}, 0), 20)`;

/** Epochs per year. */
export const yearly = sql`round(count(*) * ${YEAR}::numeric / sum(seconds), 20)`;

/** Yearly rate on stake × seconds; 0 without stake. */
export const apr = (rewards: Sql, earning: Sql): Sql =>
  sql`coalesce(${divided(sql`(${rewards}) * ${YEAR}`, earning)}, 0)`;

/** Compounded per epoch, `p.pace` times a year; −1 when costs exceed the stake, as for validators of a few SOL. */
export const apy = (rewards: Sql, earning: Sql): Sql =>
  sql`round(power(greatest(1 + ${apr(rewards, earning)} / p.pace, 0), p.pace) - 1, 20)`;
