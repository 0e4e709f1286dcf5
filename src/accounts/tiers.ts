/** The tiers of accounts. */
export const tiers = ['free', 'starter', 'build', 'growth', 'enterprise'] as const;
export type Tier = (typeof tiers)[number];

/** Compute units that may be used, in a calendar month (UTC) or in the account's life; undefined is no limit. */
export type Allowance = { units: number | undefined; period: 'month' | 'life' };

/** What accounts of each tier may do where they have no limits of their own; undefined is no limit. */
export type TierLimits = {
  /** Requests per second. */
  rates: Record<Tier, number | undefined>;
  /** Compute units, in the tier's period. */
  units: Record<Tier, number | undefined>;
};

/** Private sets of each tier (spec §8 for build and growth, else decisions on accounts); undefined is no limit. */
export const tierSets: Record<Tier, number | undefined> = {
  free: 0,
  starter: 0,
  build: 4,
  growth: 20,
  enterprise: undefined,
};

/**
 * The limits of the settings `TIER_RATES` and `TIER_UNITS`, each a list like `build=20`. The allowances of free and
 * starter and the rate of starter are documented (spec §8) and cannot be set.
 */
export const tierLimits = (settings: { TIER_RATES: string[]; TIER_UNITS: string[] }): TierLimits => ({
  rates: {
    free: 2,
    starter: 2,
    build: 10,
    growth: 50,
    enterprise: undefined,
    ...numbers(settings.TIER_RATES),
  },
  units: {
    free: 100_000,
    starter: 100_000,
    build: 1_000_000,
    growth: 4_000_000,
    enterprise: undefined,
    ...numbers(settings.TIER_UNITS),
  },
});

/** What an account of the tier may not have of its own, since spec §8 documents it. */
export const fixedLimits: Partial<Record<Tier, readonly ('rate' | 'units')[]>> = {
  free: ['units'],
  starter: ['rate', 'units'],
};

const numbers = (list: string[]): Record<string, number> =>
  Object.fromEntries(
    list.map((item) => {
      const [tier = '', number] = item.split('=');
      return [tier, Number(number)];
    }),
  );

/** What an account of this tier may use: its own number of units in the tier's period, else the tier's. */
export const allowanceOf = (limits: TierLimits, tier: Tier, own: number | null): Allowance => ({
  units: own ?? limits.units[tier],
  period: tier === 'free' ? 'life' : 'month',
});
