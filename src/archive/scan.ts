import type { ArchivedMonth } from './catalogue.ts';
import { type Duck, withScanner } from './duckdb.ts';
import { pathOf } from './part-file.ts';
import { type DaysOfValidators, daysWithin, filesOf } from './read.ts';
import { type MonthSums, monthsToRead, pathsOfSums, summed } from './sums.ts';
import { whileUnchanged } from './unchanged.ts';

export type Scan = Omit<DaysOfValidators, 'indices'> & {
  /** Null: all. */
  members: readonly number[] | null;
  sums: MonthSums;
  /** Names of those that the statement needs. */
  needs: readonly string[];
  /** The statement, given a relation of validators with these sums, each of them once or more often. */
  statement: (archived: string) => string;
  /** Texts of its named parameters. */
  values: Record<string, string>;
  isGone: () => boolean;
};

/**
 * A statement over the sums of months of which all days are asked for, and over whole files of days of the others. Calls
 * `each` with the columns of some thousand rows at a time, in order.
 */
export async function scanMonths(
  months: readonly ArchivedMonth[],
  scan: Scan,
  each: (columns: unknown[][]) => void,
): Promise<void> {
  const { members, sums, needs, statement, values, isGone, ...within } = scan;
  const toRead = monthsToRead(months, sums, within);
  const isMember = members ? 'validator_index in (select unnest($members::integer[]))' : 'true';
  const names = needs.map((name) => `"${name}"`).join(', ');
  const parts = [
    ...(toRead.summed.length > 0
      ? [
          `select validator_index, ${names} from ${filesOf(pathsOfSums(toRead.summed))}
          where utc = ${scan.utc} and ${isMember}`,
        ]
      : []),
    ...(toRead.others.length > 0
      ? [
          `select validator_index, ${summed(sums, needs)} from ${filesOf(toRead.others.map(pathOf))} a
          where ${daysWithin(within)} and ${isMember} group by validator_index`,
        ]
      : []),
  ];
  const given = { ...values, ...(members && { members: `[${members.join(',')}]` }) };
  await whileUnchanged(toRead, () =>
    withScanner(isGone, (duck) => streamed(duck, statement(parts.join(' union all ')), given, each)),
  );
}

async function streamed(
  duck: Duck,
  text: string,
  values: Record<string, string>,
  each: (columns: unknown[][]) => void,
): Promise<void> {
  const result = await duck.stream(text, values);
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk())
    each(chunk.getColumns());
}
