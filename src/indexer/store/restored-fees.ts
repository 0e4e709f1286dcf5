import type pg from 'pg';
import { dateOfDay, dayOfDate, epochsOfDay, SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import { finishValidatorDays } from '../../ingest/importers/validator-days.ts';
import { applyBlockFees, type FeeDay } from './day-fees.ts';

/**
 * Adds the fees and MEV of blocks that became known while the month, such as 2024-03, was archived. Call in a transaction that
 * holds the locks of writers of blocks and of days of validators. Returns the number of days of validators that got them.
 */
export async function addFeesOfMonth(
  client: pg.ClientBase,
  network: Network,
  month: string,
): Promise<number> {
  const changed: FeeDay[] = [];
  // By day: a statement for the month would read all days of all proposers of the month.
  for (let day = dayOfDate(network, `${month}-01`); dateOfDay(network, day).startsWith(month); day += 1) {
    // The day of either calendar begins in the epochs of the other.
    const [chain, utc] = [epochsOfDay(network, 'chain', day), epochsOfDay(network, 'utc', day)];
    const firstSlot = Math.min(chain.first, utc.first) * SLOTS_PER_EPOCH;
    const lastSlot = (Math.max(chain.last, utc.last) + 1) * SLOTS_PER_EPOCH - 1;
    changed.push(...(await applyBlockFees(client, network, { firstSlot, lastSlot })));
  }
  if (changed.length === 0) return 0;
  await finishValidatorDays(
    client,
    changed.map(({ utc, date }) => ({ network, utc, day: dayOfDate(network, date) })),
  );
  await raisedRevision(client, 'validator-days')();
  return changed.length;
}
