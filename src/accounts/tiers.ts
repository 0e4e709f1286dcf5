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

/** Private sets of each tier (spec §8 for build and growth, else decisions on accounts); undefined is no limit. */
export const tierSets: Record<Tier, number | undefined> = {
  free: 0,
  starter: 0,
  build: 4,
  growth: 20,
  enterprise: undefined,
};
