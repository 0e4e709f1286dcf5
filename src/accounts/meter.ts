import type { Logger } from 'pino';
import type { Caller } from '../context.ts';
import type { Queryable } from '../db/pool.ts';
import { monthOf, refuseUsedUp, type Standing, standingOf } from './allowance.ts';
import { type Admission, memoryRates, redisRates } from './rates.ts';
import { openUsage } from './usage.ts';
import type { Total } from './usage-queries.ts';

export type { Admission };

export type Meter = {
  /** Throws RATE_LIMITED above the rate, ALLOWANCE_USED when no units are left. */
  admit(caller: Caller): Promise<Admission>;
  /** Units left, less those reserved; null without a limit. */
  available(caller: Caller): number | null;
  /** Prevents concurrent requests from spending the same units. */
  reserve(caller: Caller, units: number): void;
  charge(caller: Caller, units: number, reserved?: number): void;
  standing(caller: Caller): Standing;
  /** Null without a limit. */
  remaining(caller: Caller): number | null;
  redisUp(): boolean | undefined;
  flush(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Enforces rates and allowances: in memory, or across replicas while Redis answers. Usage is the larger of the
 * database's (plus this process's) and Redis's.
 */
export async function openMeter(options: {
  db: Queryable;
  log: Logger;
  now: () => Date;
  redisUrl?: string | undefined;
}): Promise<Meter> {
  const { db, log, now } = options;
  const redis =
    options.redisUrl === undefined
      ? undefined
      : await (await import('./redis.ts')).openRedis(options.redisUrl, log);
  const rates = redis ? redisRates(redis) : memoryRates();
  /** By account: the value last read from Redis, plus later charges of this process. */
  const reported = new Map<string, { counter: string; units: number }>();
  const reservations = new Map<string, number>();
  const counterOf = (accountId: string, period: 'month' | 'life', month = monthOf(now())) =>
    `used:${accountId}:${period === 'life' ? period : month}`;

  /** Raises Redis's counters in case Redis was emptied. `month` may already be over. */
  function onTotals(month: string, totals: Total[]) {
    for (const { accountId, monthUnits, lifeUnits } of totals) {
      redis?.raise(counterOf(accountId, 'month', month), monthUnits);
      redis?.raise(counterOf(accountId, 'life'), lifeUnits);
    }
  }
  const usage = await openUsage({ db, log, now, ...(redis ? { onTotals } : {}) });

  const standing = ({ accountId, allowance }: Caller): Standing => {
    const at = now();
    const used = usage.used(accountId, allowance.period, at);
    const common = reported.get(accountId);
    if (common?.counter === counterOf(accountId, allowance.period)) {
      used.units = Math.max(used.units, common.units);
    }
    return standingOf(allowance, used, at);
  };

  async function readShared({ accountId, allowance }: Caller) {
    if (!redis || allowance.units === undefined) return;
    const counter = counterOf(accountId, allowance.period);
    const units = await redis.counter(counter);
    if (units !== undefined) reported.set(accountId, { counter, units });
  }

  const remaining = (caller: Caller) =>
    caller.allowance.units === undefined ? null : standing(caller).unitsRemaining;

  function reserve({ accountId, allowance }: Caller, units: number) {
    if (allowance.units === undefined || units === 0) return;
    const reserved = (reservations.get(accountId) ?? 0) + units;
    if (reserved > 0) reservations.set(accountId, reserved);
    else reservations.delete(accountId);
  }

  return {
    async admit(caller) {
      const [admission] = redis
        ? await Promise.all([rates.take(caller), readShared(caller)]) // one round trip for both
        : [await rates.take(caller)];
      if (caller.allowance.units !== undefined) refuseUsedUp(standing(caller));
      return admission;
    },
    available(caller) {
      const left = remaining(caller);
      return left === null ? null : left - (reservations.get(caller.accountId) ?? 0);
    },
    reserve,
    charge(caller, units, reserved = 0) {
      const { accountId, allowance } = caller;
      reserve(caller, -reserved);
      usage.add(accountId, units, now());
      if (!redis || units === 0 || allowance.units === undefined) return;
      const common = reported.get(accountId);
      if (common) common.units += units;
      redis.add(counterOf(accountId, allowance.period), units);
    },
    standing,
    remaining,
    redisUp: () => redis?.up(),
    flush: usage.flush,
    async stop() {
      await usage.stop();
      redis?.stop();
    },
  };
}
