import { dateOfDay, dayOfDate, epochsOfDay, SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { lockWriters } from '../../db/changes/locks.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import { finishValidatorDays } from '../../ingest/importers/validator-days.ts';
import { applyBlockFees } from './day-fees.ts';

/**
 * Adds the fees and MEV of blocks that became known while the month, such as 2024-03, was archived. Returns the number of
 * days of validators that got them.
 */
export const addFeesOfMonth = (pool: Pool, network: Network, month: string): Promise<number> =>
  transaction(pool, async (client) => {
    await lockWriters(client, ['blocks', 'validator-days'], [network]);
    const first = dayOfDate(network, `${month}-01`);
    let days = first;
    while (dateOfDay(network, days).startsWith(month)) days += 1;
    const changed: Awaited<ReturnType<typeof applyBlockFees>> = [];
    for (let day = first; day < days; day += 1) {
      // The day of either calendar begins in the epochs of the other.
      const chain = epochsOfDay(network, 'chain', day);
      const utc = epochsOfDay(network, 'utc', day);
      const firstSlot = Math.min(chain.first, utc.first) * SLOTS_PER_EPOCH;
      const lastSlot = (Math.max(chain.last, utc.last) + 1) * SLOTS_PER_EPOCH - 1;
      changed.push(...(await applyBlockFees(client, network, { firstSlot, lastSlot })));
    }
    if (changed.length === 0) return 0;
    const finished = changed.map(({ utc, date }) => ({ network, utc, day: dayOfDate(network, date) }));
    await finishValidatorDays(client, finished);
    await raisedRevision(client, 'validator-days')();
    return new Set(changed.map(({ validatorIndex, utc, date }) => `${validatorIndex} ${utc} ${date}`)).size;
  });
