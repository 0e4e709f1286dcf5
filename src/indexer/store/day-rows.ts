import type pg from 'pg';
import { type Calendar, dateOfDay, dayOfEpoch, SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { finishValidatorDays } from '../../ingest/importers/validator-days.ts';
import { markAttestationsDue } from '../../refresh/due-days.ts';
import { addToSums } from '../../refresh/incremental/added-amounts.ts';
import { refreshSetDays } from '../../resources/private-sets/set-days.ts';
import { applyBlockFees } from './day-fees.ts';
import type { Period } from './periods.ts';
import type { Sums } from './sums.ts';
import { copyValidatorRows, type EndBalances } from './validator-rows.ts';

/** The partition of the day must exist. */
export async function writeValidatorDays(
  client: pg.ClientBase,
  network: Network,
  period: Period,
  sums: Sums,
  at: EndBalances,
): Promise<void> {
  const { utc, day } = period;
  const date = dateOfDay(network, day);
  await client.query(
    '/* removeDay */ delete from validator_days where network = $1 and utc = $2 and date = $3',
    [...[network, utc, date]],
  );
  await copyValidatorRows(client, 'validator_days', { network, utc, day }, sums, at);
  await addLaterPenalties(client, network, { utc, date }, sums.last);
  await applyBlockFees(client, network, {
    firstSlot: sums.first * SLOTS_PER_EPOCH,
    lastSlot: (sums.last + 1) * SLOTS_PER_EPOCH - 1,
  });
  // Locks earlier days first, as a refresh does.
  if (sums.last === period.last) await latePenaltiesDue(client, network, period);
  await finishValidatorDays(client, [{ network, utc, day }]);
}

/** The deleted rows of the day included penalties of epochs after `last`, so these are added again. */
async function addLaterPenalties(
  client: pg.ClientBase,
  network: Network,
  { utc, date }: { utc: boolean; date: string },
  last: number,
): Promise<void> {
  const { rows } = await client.query<{ index: number; exit: number; amount: string }>(
    `/* laterPenalties */
    select p.validator_index as index, v.exit_epoch as exit, sum(p.amount)::bigint::text as amount
    from index_late_penalties p join validators v using (network, validator_index)
    where p.network = $1 and p.epoch > $2 and v.exit_epoch is not null
    group by p.validator_index, v.exit_epoch`,
    [network, last],
  );
  if (rows.length === 0) return;
  await client.query(
    `/* addLaterPenalties */
    update validator_days d set sum_attestation_rewards = d.sum_attestation_rewards + g.amount
    from unnest($4::int[], $5::int[], $6::bigint[]) as g (validator_index, end_epoch, amount)
    where d.network = $1 and d.utc = $2 and d.date = $3 and d.validator_index = g.validator_index
      and d.end_epoch = g.end_epoch and d.total_unique_attestations + d.sum_missed_attestations > 0`,
    [
      ...[network, utc, date, rows.map(({ index }) => index), rows.map(({ exit }) => exit - 1)],
      rows.map(({ amount }) => amount),
    ],
  );
}

/** Called once a day, because penalties of an exited validator change the same day every epoch. */
async function latePenaltiesDue(
  client: pg.ClientBase,
  network: Network,
  { utc, day, first, last }: Period,
): Promise<void> {
  const { rows } = await client.query<{ exit: number }>(
    `/* penalizedExits */
    select distinct v.exit_epoch as exit
    from index_late_penalties p join validators v using (network, validator_index)
    where p.network = $1 and p.epoch between $2 and $3 and v.exit_epoch is not null`,
    [network, first, last],
  );
  const lastDay = (exit: number) => dayOfEpoch(network, utc ? 'utc' : 'chain', exit - 1);
  const exits = rows.map(({ exit }) => exit).filter((exit) => lastDay(exit) < day);
  if (exits.length === 0) return;
  const { rows: written } = await client.query<{ day: number }>(
    `/* penalizedDays */
    select distinct p.period as day
    from unnest($3::int[], $4::int[]) as g (exit, day)
    join index_periods p on p.network = $1 and p.utc = $2 and not p.hourly and p.period = g.day
      and p.start_epoch < g.exit`,
    [network, utc, exits, exits.map(lastDay)],
  );
  const days = written.map((one) => ({ utc, date: dateOfDay(network, one.day) }));
  await markAttestationsDue(client, network, days);
}

export type LatePenalty = { validator: number; amount: number; exitEpoch: number };

/** Adds new penalties to each validator's last active day, if that day is over and the index wrote it. */
export async function addLatePenalties(
  client: pg.ClientBase,
  network: Network,
  epoch: number,
  penalties: readonly LatePenalty[],
): Promise<boolean> {
  if (penalties.length === 0) return false;
  const lastDay = (calendar: Calendar) => (one: LatePenalty) => {
    const day = dayOfEpoch(network, calendar, one.exitEpoch - 1);
    return day < dayOfEpoch(network, calendar, epoch) ? day : null;
  };
  const { rows: fresh } = await client.query<{ index: number; utc: boolean; date: string; amount: string }>(
    `/* freshPenalties */
    with given as (
      select * from unnest($3::int[], $4::bigint[], $5::int[], $6::int[], $7::int[])
        as g (validator_index, amount, chain_day, utc_day, exit_epoch)
    ), fresh as (
      insert into index_late_penalties (network, validator_index, epoch, amount)
      select $1, validator_index, $2, amount from given
      on conflict (network, validator_index, epoch) do nothing
      returning validator_index
    )
    select f.validator_index as index, o.utc, t.date::text as date, g.amount::text as amount
    from fresh f
    join given g using (validator_index)
    cross join lateral (values (false, g.chain_day), (true, g.utc_day)) as o (utc, day)
    join index_periods p on p.network = $1 and p.utc = o.utc and not p.hourly and p.period = o.day
      and p.start_epoch < g.exit_epoch
    join validator_day_dates t on t.network = $1 and t.utc = o.utc and t.day = o.day`,
    [
      ...[network, epoch, penalties.map((one) => one.validator), penalties.map((one) => one.amount)],
      ...[penalties.map(lastDay('chain')), penalties.map(lastDay('utc'))],
      penalties.map((one) => one.exitEpoch),
    ],
  );
  if (fresh.length === 0) return false;
  // A statement of its own, because Citus updates no distributed table by a join with a local one.
  const { rows: updated } = await client.query<{ index: number; utc: boolean; day: number }>(
    `/* addLatePenalties */
    update validator_days d set sum_attestation_rewards = d.sum_attestation_rewards + g.amount
    from unnest($2::int[], $3::boolean[], $4::date[], $5::bigint[]) as g (validator_index, utc, date, amount)
    where d.network = $1 and d.utc = g.utc and d.validator_index = g.validator_index and d.date = g.date
      and d.date = any($6::date[])
    returning d.validator_index as index, d.utc, d.day`,
    [
      ...[network, fresh.map(({ index }) => index), fresh.map(({ utc }) => utc)],
      ...[fresh.map(({ date }) => date), fresh.map(({ amount }) => amount)],
      [...new Set(fresh.map(({ date }) => date))],
    ],
  );
  if (updated.length === 0) return false;
  const rows = updated.map(({ day, ...row }) => ({ ...row, date: dateOfDay(network, day) }));
  const amounts = new Map(penalties.map(({ validator, amount }) => [validator, amount]));
  await addToSums(
    client,
    network,
    rows
      .filter(({ utc }) => !utc)
      .map(({ index, date }) => ({ validator: index, date, amount: amounts.get(index) as number })),
  );
  const { rows: sets } = await client.query<{ validator_index: number }>(
    `/* setsOfPenalties */
    select distinct m.validator_index from private_set_members m join private_sets s using (set_id)
    where s.network = $1 and m.validator_index = any($2)`,
    [network, rows.map(({ index }) => index)],
  );
  const members = new Set(sets.map((row) => row.validator_index));
  const dates = new Set(rows.filter(({ index }) => members.has(index)).map(({ date }) => date));
  if (dates.size > 0) await refreshSetDays(client, network, [...dates]);
  return true;
}
