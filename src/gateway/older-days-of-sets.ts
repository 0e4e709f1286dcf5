import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Pool, transaction } from '../db/pool.ts';
import { completeSets, sumOlderDays } from '../resources/private-sets/set-days.ts';

const POLL_MS = 2_000;
const BUSY_MS = 250;
const AFTER_FAILURE_MS = 30_000;

/** Workers. Each keeps a core of PostgreSQL busy while a large set is created. */
const AT_ONCE = 2;

/**
 * Sums the days of validators that requests have left out. No import waits long for it, because its transactions are
 * short. Gateways of one database share the sets; what a process leaves unfinished, another one takes up.
 */
export function sumOlderDaysOfSets(pool: Pool, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
  const work = async () => {
    while (!signal.aborted) {
      try {
        const done = await transaction(pool, sumOlderDays);
        if (done !== 'nothing left') await transaction(pool, completeSets);
        if (done !== 'summed') await pause(done === 'busy' ? BUSY_MS : POLL_MS);
      } catch (err) {
        if (signal.aborted) return;
        log.warn(
          { err },
          `older days of private sets were not summed; again in ${AFTER_FAILURE_MS / 1000} s`,
        );
        await pause(AFTER_FAILURE_MS);
      }
    }
  };
  const done = Promise.all(Array.from({ length: AT_ONCE }, work));
  return {
    async stop() {
      stopping.abort();
      await done;
    },
  };
}
