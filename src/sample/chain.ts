import { chainDayOfEpoch, dateOfDay, dayOfDate, firstEpochFrom } from '../chain/calendar.ts';
import { EARLIEST_SAMPLE_END } from '../config/kinds.ts';
import { DAY_MS } from '../kernel/time.ts';

export const networks = ['mainnet', 'hoodi', 'holesky'] as const;
export type Network = (typeof networks)[number];

/** `head` is the first epoch after the sample. */
export type Sample = { seed: number; lastDate: string; head: Record<Network, number> };

/** The last day on which Holesky was supported. */
const LAST_OF_HOLESKY = '2025-03-30';

const headAfter = (network: Network, date: string) =>
  firstEpochFrom(network, (Date.parse(date) + DAY_MS) / 1000);

export const dayBefore = (now: Date): string => new Date(now.getTime() - DAY_MS).toISOString().slice(0, 10);

/** The sample data whose last UTC day is `lastDate`: the day before today unless given. */
export function sampleUntil(lastDate = dayBefore(new Date()), seed = 1): Sample {
  const head = {
    mainnet: headAfter('mainnet', lastDate),
    hoodi: headAfter('hoodi', lastDate),
    holesky: headAfter('holesky', LAST_OF_HOLESKY),
  };
  return { seed, lastDate, head };
}

/** Chain days that are over when the sample ends, of which figures are stored. */
export const chainDaysOf = ({ head }: Sample, network: Network): number => chainDayOfEpoch(head[network]);

export const activeEth: Record<Network, number> = {
  mainnet: 35_600_000,
  hoodi: 20_800_000,
  holesky: 12_200_000,
};

export const lastIndex: Record<Network, number> = { mainnet: 2_080_000, hoodi: 702_000, holesky: 428_000 };

/** From the first possible last date to that of the sample. */
export const daysSinceFirst = ({ lastDate }: Sample): number =>
  dayOfDate('mainnet', lastDate) - dayOfDate('mainnet', EARLIEST_SAMPLE_END);

export const datesBefore = ({ lastDate }: Sample, days: number): string =>
  dateOfDay('mainnet', dayOfDate('mainnet', lastDate) - days);
