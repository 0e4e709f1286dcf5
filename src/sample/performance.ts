import type { Network } from '../chain/networks.ts';
import type { OperatorSummary } from '../resources/operators/record.ts';
import { between, chance, noise, type Random } from './random.ts';

type Performance = Pick<
  OperatorSummary,
  'avgCorrectness' | 'avgInclusionDelay' | 'avgUptime' | 'avgValidatorEffectiveness' | 'aprPercentage'
>;

/** What an operator is like over all windows. */
export type Quality = { correctness: number; uptime: number; delay: number; apr: number | null };

const idle: Performance = {
  avgCorrectness: 0,
  avgInclusionDelay: null,
  avgUptime: 0,
  avgValidatorEffectiveness: 0,
  aprPercentage: null,
};

/**
 * Draws what an operator of so many validators is like: most do nearly all of their duties, some do badly,
 * more on test networks.
 */
export function qualityOf(random: Random, network: Network, validators: number): Quality {
  const test = network !== 'mainnet';
  const large = !test && validators > 5_000;
  const careless = chance(random, test ? 0.25 : 0.05) && !large;
  // the fourth power leaves most close to the best and lets a few fall behind
  const lapse = random() ** 4 * (test ? 0.08 : 0.02);
  const uptime = careless ? between(random, test ? 0.3 : 0.8, 0.985) : 0.9998 - lapse;
  const correctness = careless ? between(random, 0.88, 0.985) : 0.9955 - random() ** 2 * 0.012;
  const delay = careless ? between(random, 1.05, 1.6) : 1.012 + random() ** 3 * 0.05;
  const apr = chance(random, test ? 0.35 : 0.04) && !large ? null : between(random, 2.6, test ? 3.1 : 3.6);
  return { correctness, uptime, delay, apr };
}

const blend = (pool: number, operator: number): number => pool * 0.8 + operator * 0.2;

/** What a share is like: much like its pool, a little like the operator that runs it. */
export const qualityOfShare = (pool: Quality, operator: Quality): Quality => ({
  correctness: blend(pool.correctness, operator.correctness),
  uptime: blend(pool.uptime, operator.uptime),
  delay: blend(pool.delay, operator.delay),
  apr: pool.apr === null ? null : blend(pool.apr, operator.apr ?? pool.apr),
});

/** How far a window's figures stray from what is usual: short windows more than long ones. */
const spread = (days: number): number => 1 / Math.sqrt(Math.min(days, 60));

/** The figures of an operator over so many days; of one without validators there is nothing to say. */
export function performanceOf(
  random: Random,
  quality: Quality,
  window: { days: number; validators: number },
): Performance {
  const stray = () => noise(random) * spread(window.days);
  const [correct, up, late, earned] = [stray(), stray(), stray(), stray()];
  if (window.validators === 0) return idle;
  const avgUptime = away(quality.uptime, up);
  const avgCorrectness = away(quality.correctness, correct);
  const avgInclusionDelay = 1 + (quality.delay - 1) * (1 + late * 0.2);
  const avgValidatorEffectiveness = (100 * avgUptime * avgCorrectness) / avgInclusionDelay;
  // a missed duty costs about as much as three quarters of a performed one earn
  const kept = avgUptime - (1 - avgUptime) * 0.75;
  const apr = quality.apr === null ? null : Math.round((quality.apr + earned * 0.25) * kept * 100) / 100;
  return { avgCorrectness, avgInclusionDelay, avgUptime, avgValidatorEffectiveness, aprPercentage: apr };
}

/** A ratio a little off: the swing is largest in the middle and never leaves 0..1. */
const away = (ratio: number, stray: number): number => ratio + stray * 0.2 * ratio * (1 - ratio);
