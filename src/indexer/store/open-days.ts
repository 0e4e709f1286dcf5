import type pg from 'pg';
import { type Calendar, dateOfDay, SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { lockWriters } from '../../db/changes/locks.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import { ensureValidatorDayParts, finishValidatorDays } from '../../ingest/importers/validator-days.ts';
import { applyBlockFees } from './day-fees.ts';
import { type Period, periodsOf } from './periods.ts';
import type { EndBalances } from './validator-rows.ts';
import { writePeriod } from './write-periods.ts';

export type OpenDays = { epoch: number; at: EndBalances; calendars: ReadonlySet<Calendar> };

/**
 * Writes each day in its own transaction, so that writes of later epochs wait less. `takePeriod` keeps rows that
 * include a later epoch.
 */
export async function writeOpenDays(
  pool: Pool,
  network: Network,
  { epoch, at, calendars }: OpenDays,
  stopped: () => boolean = () => false,
): Promise<void> {
  const days = periodsOf(network, epoch).filter(
    ({ hourly, utc }) => !hourly && calendars.has(utc ? 'utc' : 'chain'),
  );
  for (const period of days) {
    if (stopped()) return;
    await transaction(pool, (client) => ensureValidatorDayParts(client, [dateOfDay(network, period.day)]));
    const written = await transaction(pool, async (client) => {
      const changed = await writePeriod(client, network, period, epoch, at);
      for (const dataset of changed) await raisedRevision(client, dataset)();
      return changed.length > 0;
    });
    if (written) await transaction(pool, (client) => addMissedFees(client, network, period, epoch));
  }
}

async function addMissedFees(client: pg.ClientBase, network: Network, period: Period, epoch: number) {
  await lockWriters(client, ['blocks', 'validator-days'], [network]);
  const changed = await applyBlockFees(client, network, {
    firstSlot: period.first * SLOTS_PER_EPOCH,
    lastSlot: (epoch + 1) * SLOTS_PER_EPOCH - 1,
  });
  if (changed.length === 0) return;
  await finishValidatorDays(client, [{ network, utc: period.utc, day: period.day }]);
  await raisedRevision(client, 'validator-days')();
}
