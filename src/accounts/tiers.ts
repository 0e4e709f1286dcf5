export const tiers = ['free', 'starter', 'build', 'growth', 'enterprise'] as const;
export type Tier = (typeof tiers)[number];

/** Per UTC month, or for the account's life. Undefined means no limit. */
export type Allowance = { units: number | undefined; period: 'month' | 'life' };

/** Undefined means no limit. */
export type TierLimits = {
  /** Requests per second. */
  rates: Record<Tier, number | undefined>;
  /** Compute units per period. */
  units: Record<Tier, number | undefined>;
};

/** Maximum number of private sets (spec §8, decisions on accounts). */
export const tierSets: Record<Tier, number | undefined> = {
  free: 0,
  starter: 0,
  build: 4,
  growth: 20,
  enterprise: undefined,
};

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

/** Documented limits (spec §8), which settings and accounts cannot override. */
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

export const allowanceOf = (limits: TierLimits, tier: Tier, own: number | null): Allowance => ({
  units: own ?? limits.units[tier],
  period: tier === 'free' ? 'life' : 'month',
});

export type TierCounts = Record<
  Tier,
  { requests: number; units: number; refusedByRate: number; refusedByUnits: number }
>;
export const tierCounts = (): TierCounts =>
  Object.fromEntries(
    tiers.map((tier) => [tier, { requests: 0, units: 0, refusedByRate: 0, refusedByUnits: 0 }]),
  ) as TierCounts;
