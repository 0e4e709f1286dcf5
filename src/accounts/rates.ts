import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { serializeList } from 'structured-headers';
import type { Caller } from '../context.ts';
import { Refusal } from '../kernel/refusal.ts';

/** Seconds over which requests are counted: a tier's rate is a number per second. */
const WINDOW_SECONDS = 1;

export type Rates = {
  /** Counts one request of the caller and gives the RateLimit fields of its answer; RATE_LIMITED when over the rate. */
  take(caller: Caller): Promise<Record<string, string>>;
};

/**
 * The two fields of draft-ietf-httpapi-ratelimit-headers: what the policy is, and what is left of it for how long. Both
 * are lists of structured fields (RFC 9651) with one member, named after the policy.
 */
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

/** Counts requests by account in the memory of this process; several replicas each count their own. */
export function memoryRates(): Rates {
  // One limiter for each rate in use: accounts of a rate share it, each under its own key.
  const limiters = new Map<number, RateLimiterMemory>();
  const limiterOf = (limit: number) => {
    let limiter = limiters.get(limit);
    if (!limiter) {
      limiter = new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS });
      limiters.set(limit, limiter);
    }
    return limiter;
  };
  return {
    async take({ accountId, rateLimit }) {
      if (rateLimit === undefined) return {};
      try {
        const { remainingPoints, msBeforeNext } = await limiterOf(rateLimit).consume(accountId);
        return fields(rateLimit, remainingPoints, Math.ceil(msBeforeNext / 1000));
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        const seconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
        throw new Refusal('RATE_LIMITED', 'Too many requests', {
          headers: { 'retry-after': String(seconds), ...fields(rateLimit, 0, seconds) },
        });
      }
    },
  };
}
