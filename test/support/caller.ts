import type { Caller } from '../../src/accounts/caller.ts';

export const month = { units: undefined, period: 'month' } as const;
/** A caller of an account without limits, unless `limits` has some. */
export const callerOf = (accountId: string, limits: Partial<Caller> = {}): Caller => ({
  accountId,
  account: 'a',
  tokenId: 't',
  tokenName: 't',
  tier: 'enterprise',
  rateLimit: undefined,
  setLimit: undefined,
  allowance: month,
  ...limits,
});
