import type pg from 'pg';
import { dateOfDay, dayOfEpoch, SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import { noteChangedDays } from '../../ingest/importers/validator-months.ts';
import { markAttestationsDue } from '../../refresh/due-days.ts';
import { refreshSetDays } from '../../resources/private-sets/set-days.ts';
import { applyBlockFees } from '../store/day-fees.ts';
import { estimateMissed } from './estimate.ts';

const epochOf = (slot: number) => Math.floor(slot / SLOTS_PER_EPOCH);

/** Returns the months, such as 2024-03, of the slots whose days of validators are archived: they do not get the fees. */
export async function finishFills(
  client: pg.ClientBase,
  { network, estimateMissed: estimates }: { network: Network; estimateMissed: boolean },
  slots: readonly number[],
): Promise<string[]> {
  if (slots.length === 0) return [];
  if (estimates) await estimateMissed(client, network, [...new Set(slots.map(epochOf))]);
  const days = new Map<number, number[]>();
  for (const slot of slots) {
    const day = dayOfEpoch(network, 'chain', epochOf(slot));
    days.set(day, [...(days.get(day) ?? []), slot]);
  }
  const changed: Awaited<ReturnType<typeof applyBlockFees>> = [];
  for (const own of days.values()) {
    const range = { firstSlot: Math.min(...own), lastSlot: Math.max(...own) };
    changed.push(...(await applyBlockFees(client, network, range)));
  }
  const dates = [...days.keys()].map((day) => dateOfDay(network, day));
  await client.query(
    `/* lockDays */
    select from validator_day_dates
    where network = $1 and (not utc and date = any($2::date[]) and not rewards_due
      or (utc, date) in (select * from unnest($3::boolean[], $4::date[])))
    order by utc, date for update -- as a refresh locks them`,
    [network, dates, changed.map(({ utc }) => utc), changed.map(({ date }) => date)],
  );
  await client.query(
    `/* rewardsDue */
    update validator_day_dates set rewards_due = true
    where network = $1 and not utc and date = any($2::date[]) and not rewards_due`,
    [network, dates],
  );
  await raisedRevision(client, 'blocks')();
  const archived = await archivedMonthsOf(client, network, dates);
  if (changed.length === 0) return archived;
  await markAttestationsDue(client, network, changed);
  const changedDates = new Set(changed.map(({ date }) => date));
  await noteChangedDays(
    client,
    network,
    dates.filter((date) => changedDates.has(date)),
  );
  const { rows } = await client.query<{ date: string }>(
    `/* setsOfProposers */
    select distinct c.date::text as date
    from unnest($2::int[], $3::date[]) as c (validator_index, date)
    join private_set_members m using (validator_index)
    join private_sets s on s.set_id = m.set_id and s.network = $1
    where c.date >= m.counts_from and c.date < m.counts_until
    order by date`,
    [network, changed.map((one) => one.validatorIndex), changed.map((one) => one.date)],
  );
  if (rows.length > 0)
    await refreshSetDays(
      client,
      network,
      rows.map(({ date }) => date),
    );
  await raisedRevision(client, 'validator-days')();
  return archived;
}

async function archivedMonthsOf(
  client: pg.ClientBase,
  network: Network,
  dates: readonly string[],
): Promise<string[]> {
  const { rows } = await client.query<{ month: string }>(
    `/* archivedMonthsOf */
    select distinct to_char(date, 'YYYY-MM') as month from archived_day_dates
    where network = $1 and date = any($2::date[]) order by month`,
    [network, dates],
  );
  return rows.map(({ month }) => month);
}
