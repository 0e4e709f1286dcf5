import { dateOfDay, dayOfEpoch } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { lockWriters } from '../../db/changes/locks.ts';
import { type Pool, type Queryable, transaction } from '../../db/pool.ts';
import { markAttestationsDue } from '../../refresh/due-days.ts';
import { unpackBalances } from './end-balances.ts';
import { writeAttestationHour } from './hour-rows.ts';
import { sumOf } from './write-periods.ts';

type Due = { utc: boolean; period: number; start: number; end: number };

const calendarOf = (utc: boolean) => (utc ? 'utc' : 'chain');

/** First epoch whose hours can be written again; undefined if there is none. */
export async function firstKeptHour(db: Queryable, network: Network): Promise<number | undefined> {
  const { rows } = await db.query({
    text: `/* firstKeptHour */
      select min(start_epoch) as first from index_periods where network = $1 and balances is not null`,
    values: [network],
  });
  return (rows[0] as { first: number | null }).first ?? undefined;
}

/** Writes the hours again whose validators have other names or addresses by now, and makes their days due. */
export async function writeDueHours(pool: Pool, network: Network, stopped: () => boolean): Promise<void> {
  const due = await transaction(pool, async (client) => {
    const { rows } = await client.query<Due>(
      `/* dueHours */
      select utc, period, start_epoch as start, end_epoch as end from index_periods
      where network = $1 and due and balances is not null order by utc, period`,
      [network],
    );
    const days = rows.map(({ utc, start }) => ({
      utc,
      date: dateOfDay(network, dayOfEpoch(network, calendarOf(utc), start)),
    }));
    if (days.length > 0) await markAttestationsDue(client, network, days);
    return rows;
  });
  for (const hour of due) {
    if (stopped()) return;
    await writeDueHour(pool, network, hour);
  }
}

/** Each hour has its own transaction, so that epochs are stored meanwhile. */
const writeDueHour = (pool: Pool, network: Network, { utc, period }: Due): Promise<void> =>
  transaction(pool, async (client) => {
    await lockWriters(client, [], [network]);
    const { rows } = await client.query<Due & { balances: Buffer }>(
      `/* takeDueHour */
      update index_periods set due = false
      where network = $1 and utc = $2 and hourly and period = $3 and due and balances is not null
      returning start_epoch as start, end_epoch as end, balances`,
      [network, utc, period],
    );
    const [hour] = rows;
    if (!hour) return;
    const at = await unpackBalances(hour.balances);
    const { sums } = await sumOf(client, network, hour.start, hour.end, at);
    const day = dayOfEpoch(network, calendarOf(utc), hour.start);
    await writeAttestationHour(client, network, { utc, day, period }, sums, at);
  });
