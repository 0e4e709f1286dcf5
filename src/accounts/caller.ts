import type { Allowance, Tier } from './tiers.ts';
export type Caller = {
  accountId: string;
  account: string;
  tokenId: string;
  tokenName: string;
  tier: Tier;
  /** Requests per second. */
  rateLimit: number | undefined;
  /** Maximum number of private sets. */
  setLimit: number | undefined;
  allowance: Allowance;
};
