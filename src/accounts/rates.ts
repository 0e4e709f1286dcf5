import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { serializeList } from 'structured-headers';
import { Refusal } from '../kernel/refusal.ts';
import type { Redis } from './redis.ts';

const WINDOW_SECONDS = 1;

type Rates = {
  take(accountId: string, limit: number): Promise<{ headers: Record<string, string>; rateRemaining: number }>;
};

/** Response headers of draft-ietf-httpapi-ratelimit-headers. */
function fields(limit: number, remaining: number, seconds: number): Record<string, string> {
  const member = (parameters: [string, number][]) => serializeList([['persecond', new Map(parameters)]]);
  return {
    'ratelimit-policy': member([
      ['q', limit],
      ['w', WINDOW_SECONDS],
    ]),
    ratelimit: member([
      ['r', remaining],
      ['t', seconds],
    ]),
  };
}

/** Each gateway allows the full rate. */
export const memoryRates = (): Rates =>
  ratesOf((limit) => new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS }));

/** While Redis is down, each gateway counts alone. */
export const redisRates = ({ client }: Redis): Rates =>
  ratesOf(
    (limit) =>
      new RateLimiterRedis({
        storeClient: client,
        useRedisPackage: true,
        rejectIfRedisNotReady: true,
        keyPrefix: 'stakegraph:rate',
        points: limit,
        duration: WINDOW_SECONDS,
        insuranceLimiter: new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS }),
      }),
  );

function ratesOf(make: (limit: number) => RateLimiterAbstract): Rates {
  const limiters = new Map<number, RateLimiterAbstract>();
  const limiterOf = (limit: number) => {
    let limiter = limiters.get(limit);
    if (!limiter) limiters.set(limit, (limiter = make(limit)));
    return limiter;
  };
  return {
    async take(accountId, limit) {
      try {
        const { remainingPoints, msBeforeNext } = await limiterOf(limit).consume(accountId);
        return {
          headers: fields(limit, remainingPoints, Math.ceil(msBeforeNext / 1000)),
          rateRemaining: remainingPoints,
        };
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        const seconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
        throw new Refusal('RATE_LIMITED', 'Too many requests', {
          headers: { 'retry-after': String(seconds), ...fields(limit, 0, seconds) },
        });
      }
    },
  };
}
