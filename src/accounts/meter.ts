import type { Logger } from 'pino';
import type { Queryable } from '../db/pool.ts';
import { refuseReserved, refuseUsedUp, type Standing, standingOf } from './allowance.ts';
import type { Caller } from './caller.ts';
import { unitsForReading } from './compute-units.ts';
import { memoryRates, redisRates } from './rates.ts';
import type { Redis } from './redis.ts';
import { type TierCounts, tierCounts } from './tiers.ts';
import { monthAt, openUsage } from './usage.ts';
import type { Total } from './usage-queries.ts';

/** Numbers are compute units, except `rateRemaining`. */
export type Metering = {
  headers: Record<string, string>;
  /** Requests left in this second; null without a limit. */
  rateRemaining: number | null;
  estimated: number;
  charged: number;
  /** Whether a statement ran into its timeout. The request then costs what was estimated, although it failed. */
  timedOut: boolean;
  /** What the account has paid for this request. */
  spent: number;
  /** Excludes the cost of this request. */
  standing(): Standing;
  /** Units left after spending `units`; null without a limit. */
  remaining(units?: number): number | null;
  /** `remaining` minus reservations by other requests. */
  available(): number | null;
  /** Adds to `charged` what rows cost that were read and are not returned, if their number is known only afterwards. */
  read(rows: number): void;
  /** Reserves units until `charge`. Replaces an earlier reservation. */
  reserve(units: number): void;
  /** Like `reserve`, but throws if no unreserved units are left. The units are the estimate of the request. */
  claim(units: number): void;
  /** Counts a request that was refused for lack of units. */
  refused(): void;
  charge(units: number): void;
  /** Charges more units for the same request, after `charge`. */
  add(units: number): void;
  /** Calls `add` after `ms`, or when the meter stops. */
  addLater(units: () => number, ms: number): void;
  /** Set only for large responses. Resolves in a turn of the event loop that has time for rows that cost `units`. */
  turn?: (units: number) => Promise<void>;
};

export type Meter = {
  now: () => Date;
  /** Throws RATE_LIMITED above the rate, or ALLOWANCE_USED if no units are left. */
  admit(caller: Caller): Promise<Metering>;
  /** What this process counted since its start. */
  tiers: TierCounts;
  redisUp(): boolean | undefined;
  flush(): Promise<void>;
  stop(): Promise<void>;
};

const COUNTER_SECONDS = 40 * 86_400;

/**
 * Counts usage in memory and, while Redis answers, across gateways. Limits apply to the larger value: usage in Redis,
 * or usage in the database plus this process's unwritten usage.
 */
export async function openMeter(options: {
  db: Queryable;
  log: Logger;
  now?: () => Date;
  redis?: Redis | undefined;
}): Promise<Meter> {
  const { db, log, redis, now = () => new Date() } = options;
  const rates = redis ? redisRates(redis) : memoryRates();
  /** By account: the last value from Redis, plus what this process has charged since. */
  const reported = new Map<string, { counter: string; units: number }>();
  /** Units that the requests of an account have reserved. Concurrent requests cannot spend them. */
  const reservations = new Map<string, number>();
  const counts = tierCounts();
  const late = new Set<() => void>();
  const counterOf = (accountId: string, period: 'month' | 'life', month = monthAt(now()).name) =>
    `used:${accountId}:${period === 'life' ? period : month}`;

  /** Raises the counters in Redis, in case Redis was emptied. `month` may have ended. */
  function onTotals(month: string, totals: Total[]) {
    for (const { accountId, monthUnits, lifeUnits } of totals) {
      void redis?.raise(counterOf(accountId, 'month', month), monthUnits, COUNTER_SECONDS);
      void redis?.raise(counterOf(accountId, 'life'), lifeUnits, COUNTER_SECONDS);
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

  function addShared(shared: Redis, { accountId, allowance }: Caller, units: number) {
    if (units === 0 || allowance.units === undefined) return;
    const common = reported.get(accountId);
    if (common) common.units += units;
    void shared.add(counterOf(accountId, allowance.period), units, COUNTER_SECONDS); // the database counts too
  }

  return {
    now,
    tiers: counts,
    async admit(caller) {
      const { accountId, rateLimit, allowance, tier } = caller;
      const counted = counts[tier];
      let headers: Record<string, string> = {};
      let rateRemaining: number | null = null;
      try {
        const rate = rateLimit === undefined ? undefined : rates.take(accountId, rateLimit);
        if (redis) await Promise.all([rate, readShared(caller)]);
        if (rate) ({ headers, rateRemaining } = await rate);
        if (allowance.units !== undefined) refuseUsedUp(standing(caller));
      } catch (error) {
        const { code } = error as { code?: unknown };
        if (code === 'RATE_LIMITED') counted.refusedByRate += 1;
        if (code === 'ALLOWANCE_USED') counted.refusedByUnits += 1;
        throw error;
      }
      counted.requests += 1;
      let reserved = 0;
      const metering: Metering = {
        headers,
        rateRemaining,
        estimated: 0,
        charged: 0,
        timedOut: false,
        spent: 0,
        standing: () => standing(caller),
        remaining(units = 0) {
          const left = allowance.units === undefined ? null : standing(caller).unitsRemaining;
          return left === null ? null : Math.max(0, left - units);
        },
        available() {
          const left = metering.remaining();
          return left === null ? null : left - (reservations.get(accountId) ?? 0) + reserved;
        },
        read(rows) {
          this.charged += unitsForReading(rows); // events copy the object
        },
        reserve(units) {
          if (allowance.units === undefined || units === reserved) return;
          const all = (reservations.get(accountId) ?? 0) + units - reserved;
          reserved = units;
          if (all > 0) reservations.set(accountId, all);
          else reservations.delete(accountId);
        },
        claim(units) {
          try {
            refuseReserved(metering.available(), metering.standing);
          } catch (error) {
            metering.refused();
            throw error;
          }
          metering.estimated = units;
          metering.reserve(units);
        },
        refused() {
          counted.refusedByUnits += 1;
        },
        charge(units) {
          metering.reserve(0);
          metering.spent += units;
          counted.units += units;
          usage.add(accountId, units, now());
          if (redis) addShared(redis, caller, units);
        },
        add(units) {
          metering.spent += units;
          counted.units += units;
          usage.add(accountId, units, now(), 0);
          if (redis) addShared(redis, caller, units);
        },
        addLater(units, ms) {
          const settle = () => {
            clearTimeout(timer);
            late.delete(settle);
            metering.add(units());
          };
          const timer = setTimeout(settle, ms).unref();
          late.add(settle);
        },
      };
      return metering;
    },
    redisUp: () => redis?.up(),
    flush: usage.flush,
    async stop() {
      for (const settle of [...late]) settle();
      await usage.stop();
    },
  };
}
