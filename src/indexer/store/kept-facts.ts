import type pg from 'pg';
import { dayOfEpoch, epochsOfDay } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { firstOpenEpoch } from './periods.ts';

/** Facts of days that are not published are kept for 20 days at most. */
const MOST_EPOCHS = 20 * 225;

type Hour = { utc: boolean; period: number; start: number; end: number };

const firstOfDay = (network: Network, utc: boolean, day: number): number =>
  epochsOfDay(network, utc ? 'utc' : 'chain', day).first;

/** Returns the first epoch whose facts are needed: by open days, or by hours that may be written again. */
async function firstKept(client: pg.ClientBase, network: Network, epoch: number): Promise<number> {
  const open = firstOpenEpoch(network, epoch);
  const { rows } = await client.query<{ utc: boolean; day: number }>(
    `/* unpublishedDays */
    select utc, day from validator_day_dates where network = $1 and attestations_due
      and day >= case when utc then $3::int else $2::int end`,
    [
      network,
      ...(['chain', 'utc'] as const).map((calendar) =>
        dayOfEpoch(network, calendar, Math.max(0, open - MOST_EPOCHS)),
      ),
    ],
  );
  const { rows: due } = await client.query<{ first: number | null }>(
    `/* firstDueHour */
    select min(start_epoch) as first from index_periods
    where network = $1 and due and hourly and balances is not null`,
    [network],
  );
  const firsts = rows.map(({ utc, day }) => firstOfDay(network, utc, day));
  return Math.min(open, ...firsts, due[0]?.first ?? open);
}

/** Drops facts that no period needs any more, and balances of hours whose day is no longer kept as a whole. */
export async function dropFacts(
  client: pg.ClientBase,
  network: Network,
  { first, epoch }: { first: number; epoch: number },
): Promise<void> {
  const kept = Math.max(first, await firstKept(client, network, epoch));
  await client.query('/* dropClosed */ delete from index_epochs where network = $1 and epoch < $2', [
    network,
    kept,
  ]);
  const { rows: hours } = await client.query<Hour>(
    `/* keptHours */
    select utc, period, start_epoch as start, end_epoch as end from index_periods
    where network = $1 and balances is not null`,
    [network],
  );
  const gone = hours.filter(({ utc, start, end }) => {
    const day = dayOfEpoch(network, utc ? 'utc' : 'chain', start);
    // After `epoch` are hours of an index that began anew before them.
    return Math.max(first, firstOfDay(network, utc, day)) < kept || start < kept || end > epoch;
  });
  if (gone.length === 0) return;
  await client.query(
    `/* dropBalances */
    update index_periods set balances = null
    where network = $1 and hourly and (utc, period) in (select * from unnest($2::boolean[], $3::int[]))`,
    [network, gone.map(({ utc }) => utc), gone.map(({ period }) => period)],
  );
}
