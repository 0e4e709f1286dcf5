import type pg from 'pg';
import { dayOfEpoch } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';

/**
 * Call after names or addresses of validators changed, the first of which was active from epoch `from` on. An index
 * writes due hours again if their facts are kept; otherwise a refresh removes those that do not add up to their day.
 */
export const markHoursDue = (client: pg.ClientBase, network: Network, from: number) =>
  client.query(
    `/* markHoursDue */
    update index_periods set due = true where network = $1 and hourly and not due and end_epoch >= $2`,
    [network, from],
  );

/** Makes days and hours due. Locks the days in the order of a refresh. */
export async function markPeriodsDue(client: pg.ClientBase, network: Network, from: number): Promise<void> {
  await markHoursDue(client, network, from);
  await client.query(
    `/* daysDue */
    update validator_day_dates d set attestations_due = true
    from (
      select utc, date from validator_day_dates
      where network = $1 and day >= case when utc then $3::int else $2::int end
      order by utc, date for update
    ) c
    where d.network = $1 and d.utc = c.utc and d.date = c.date`,
    [network, dayOfEpoch(network, 'chain', from), dayOfEpoch(network, 'utc', from)],
  );
}
