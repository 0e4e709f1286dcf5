import { createHash } from 'node:crypto';
import { duckdbText } from '../../archive/duckdb.ts';
import type { MonthSums } from '../../archive/sums.ts';
import { raw, sql } from '../../db/rows.ts';
import * as figure from '../../periods/effectiveness.ts';

/**
 * Sums of effectiveness are whole numbers of 2^-44 percent, because sums of doubles depend on the order of adding. Those
 * of 14 years fit 64 bits.
 */
export const EFFECTIVENESS_UNITS = 2 ** 44;
export const UNITS = raw(`${EFFECTIVENESS_UNITS}::float8`);

/**
 * What rankings add up, as expressions over days `a` of a validator, for PostgreSQL and DuckDB. Both round halves to the
 * even number.
 */
export const validatorSums = {
  dayCount: sql`count(*) filter (where ${figure.duties} > 0)`,
  effectiveness: sql`coalesce(sum((${UNITS} * ${figure.effectiveness})::bigint), 0)`,
  rewards: sql`sum(${figure.rewards})`,
  missed: sql`sum(a.sum_missed_attestations)`,
};
export type ValidatorSumName = keyof typeof validatorSums;
export const validatorSumNames = Object.keys(validatorSums) as ValidatorSumName[];

const expressions = Object.fromEntries(
  validatorSumNames.map((name) => [name, duckdbText(validatorSums[name])]),
);
const hash = createHash('sha256').update(JSON.stringify(expressions)).digest('hex');

/** The sums that are archived with a month. */
export const archivedSumsOfValidators: MonthSums = { expressions, version: hash.slice(0, 16) };
