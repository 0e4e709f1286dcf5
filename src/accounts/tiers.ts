/** The tiers of accounts. */
export const tiers = ['free', 'starter', 'build', 'growth', 'enterprise'] as const;
export type Tier = (typeof tiers)[number];

/**
 * Requests per second of each tier; undefined is no limit. Those of free and starter are documented (spec §8), the
 * others are this project's (decisions on accounts).
 */
export const tierRates: Record<Tier, number | undefined> = {
  free: 2,
  starter: 2,
  build: 10,
  growth: 50,
  enterprise: undefined,
};

/** Compute units that may be used, in a calendar month (UTC) or in the account's life; undefined is no limit. */
export type Allowance = { units: number | undefined; period: 'month' | 'life' };

/** Those of free and starter are documented (spec §8), the others are this project's (decisions on accounts). */
const tierAllowances: Record<Tier, Allowance> = {
  free: { units: 100_000, period: 'life' },
  starter: { units: 100_000, period: 'month' },
  build: { units: 1_000_000, period: 'month' },
  growth: { units: 4_000_000, period: 'month' },
  enterprise: { units: undefined, period: 'month' },
};

/** What an account of this tier may use: its own number of units in the tier's period, else the tier's. */
export const allowanceOf = (tier: Tier, own: number | null): Allowance =>
  own === null ? tierAllowances[tier] : { ...tierAllowances[tier], units: own };
