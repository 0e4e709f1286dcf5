import type pg from 'pg';
import { dateOfDay } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { withinDates } from '../merge/staging.ts';

export type StagedDay = { network: Network; utc: boolean; day: number; date: string };
/** `unsummed`: rows of the day lack `effectiveBalanceEpochs`. */
export type SummedDay = StagedDay & { unsummed: boolean };

const keyOf = ({ network, utc, day }: StagedDay) => `${network} ${utc} ${day}`;
const withStep = (days: readonly StagedDay[], step: number) =>
  days.map(({ network, utc, day }) => ({
    ...{ network, utc, day: day + step },
    date: dateOfDay(network, day + step),
  }));

/** Stored days among these. */
async function storedOf(client: pg.ClientBase, days: readonly StagedDay[]): Promise<StagedDay[]> {
  if (days.length === 0) return [];
  const { rows } = await client.query<StagedDay>(
    `/* storedDays */
    select network, utc, day, date::text as date from validator_day_dates
    where (network, utc, day) in (select * from unnest($1::text[], $2::boolean[], $3::int[]))`,
    [days.map((one) => one.network), days.map((one) => one.utc), days.map((one) => one.day)],
  );
  return rows;
}

/** SQL: the effective balance at the end of the day `before`, or null if the day `own` ends with the same. */
const startOf = (before: string, own: string) =>
  `nullif(${before}.end_epoch_effective_balance, ${own}.end_epoch_effective_balance)`;
const sameValidator = (one: string, other: string) =>
  `${one}.network = ${other}.network and ${one}.utc = ${other}.utc and ${one}.validator_index = ${other}.validator_index`;

/** Sets the balance at the start of staged days whose day before is stored. Call before the merge. */
export async function startFromStored(
  client: pg.ClientBase,
  from: string,
  days: readonly SummedDay[],
): Promise<void> {
  const before = await storedOf(
    client,
    withStep(
      days.filter((one) => one.unsummed),
      -1,
    ),
  );
  if (before.length === 0) return;
  const within = withinDates(
    'p.date',
    before.map(({ date }) => date),
  );
  await client.query(
    `/* startFromStored */
    update ${from} s set start_effective_balance = ${startOf('p', 's')} from validator_days p
    where ${sameValidator('p', 's')} and p.date = s.date - 1 and ${within.text}
      and s.effective_balance_epochs is null and p.end_epoch_effective_balance <> s.end_epoch_effective_balance`,
    within.values,
  );
}

/**
 * Sets the balance at the start of the days after the merged ones, which may have been imported first. Call after the merge.
 * Returns the days whose rows may have changed.
 */
export async function startOfNextDays(
  client: pg.ClientBase,
  from: string,
  days: readonly SummedDay[],
): Promise<StagedDay[]> {
  const staged = new Map(days.map((one) => [keyOf(one), one]));
  const after = withStep(days, 1);
  const next = [
    ...after.filter((one) => staged.get(keyOf(one))?.unsummed),
    ...(await storedOf(
      client,
      after.filter((one) => !staged.has(keyOf(one))),
    )),
  ];
  if (next.length === 0) return [];
  const within = withinDates(
    't.date',
    next.map(({ date }) => date),
  );
  const { rowCount } = await client.query(
    `/* startOfNextDays */
    update validator_days t set start_effective_balance = ${startOf('s', 't')} from ${from} s
    where ${sameValidator('t', 's')} and t.date = s.date + 1 and ${within.text}
      and t.effective_balance_epochs is null and t.start_effective_balance is distinct from ${startOf('s', 't')}`,
    within.values,
  );
  return rowCount ? next : [];
}
