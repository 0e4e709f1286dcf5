import type { Ends } from '../kernel/page.ts';
import { timestampText } from '../kernel/time.ts';
import { genesisTime, type Network } from './networks.ts';

/** Spec §4.4: a chain day is 225 epochs, counted from genesis. An epoch belongs to the UTC day of its first slot. */
export const calendars = ['chain', 'utc'] as const;
export type Calendar = (typeof calendars)[number];

export const SECONDS_PER_SLOT = 12;
export const SLOTS_PER_EPOCH = 32;
export const EPOCHS_PER_DAY = 225;
/** Of a chain day. */
export const SLOTS_PER_DAY = EPOCHS_PER_DAY * SLOTS_PER_EPOCH;
export const SECONDS_PER_EPOCH = SECONDS_PER_SLOT * SLOTS_PER_EPOCH;
export const SECONDS_PER_DAY = 86_400;
const SECONDS_PER_HOUR = 3_600;

export const FIRST_UTC_DATE = '2024-10-01';

/** Unix seconds. */
export const epochStart = (network: Network, epoch: number): number =>
  genesisTime[network] + epoch * SECONDS_PER_EPOCH;

/** Unix seconds. */
export const slotStart = (network: Network, slot: number): number =>
  genesisTime[network] + slot * SECONDS_PER_SLOT;

/** When a slot begins, as text. */
export const slotTimestamp = (network: Network, slot: number): string =>
  timestampText(slotStart(network, slot));

export const firstEpochFrom = (network: Network, seconds: number): number =>
  Math.max(0, Math.ceil((seconds - genesisTime[network]) / SECONDS_PER_EPOCH));

export const chainDayOfEpoch = (epoch: number): number => Math.floor(epoch / EPOCHS_PER_DAY);

export const firstEpochOfChainDay = (day: number): number => day * EPOCHS_PER_DAY;

/** Start of day 0, in Unix seconds. */
const origin = (network: Network, calendar: Calendar): number =>
  calendar === 'chain'
    ? genesisTime[network]
    : Math.floor(genesisTime[network] / SECONDS_PER_DAY) * SECONDS_PER_DAY;

/** Seconds from the start of day 0 to genesis. The day of an epoch is ⌊(384 × epoch + result) / 86,400⌋. */
export const secondsBeforeGenesis = (network: Network, calendar: Calendar): number =>
  genesisTime[network] - origin(network, calendar);

export const dayOfEpoch = (network: Network, calendar: Calendar, epoch: number): number =>
  Math.floor((epochStart(network, epoch) - origin(network, calendar)) / SECONDS_PER_DAY);

/** The epoch of what has not happened: the largest integer of 64 bits, as text, as beacon nodes send it. */
export const FAR_FUTURE_EPOCH = '18446744073709551615';

const epochsOf = (network: Network, calendar: Calendar, period: number, seconds: number): Ends => {
  const start = origin(network, calendar) + period * seconds;
  return { first: firstEpochFrom(network, start), last: firstEpochFrom(network, start + seconds) - 1 };
};

export const epochsOfDay = (network: Network, calendar: Calendar, day: number): Ends =>
  epochsOf(network, calendar, day, SECONDS_PER_DAY);

export const epochsOfHour = (network: Network, calendar: Calendar, hour: number): Ends =>
  epochsOf(network, calendar, hour, SECONDS_PER_HOUR);

const isoDates = new Map<number, string>();

/** Cached, because imports need it for each row. */
function isoDate(seconds: number): string {
  let known = isoDates.get(seconds);
  if (known === undefined) {
    if (isoDates.size >= 10_000) isoDates.clear();
    isoDates.set(seconds, (known = new Date(seconds * 1000).toISOString().slice(0, 10)));
  }
  return known;
}

/** In both calendars, day 0 starts on the date of genesis. */
export const dateOfDay = (network: Network, day: number): string =>
  isoDate(origin(network, 'utc') + day * SECONDS_PER_DAY);

/** Negative before genesis. */
export const dayOfDate = (network: Network, date: string): number =>
  Math.round((Date.parse(date) / 1000 - origin(network, 'utc')) / SECONDS_PER_DAY);

export const chainDayOfMoment = (network: Network, seconds: number): number =>
  Math.floor((seconds - genesisTime[network]) / SECONDS_PER_DAY);

/** Unix seconds; `end` is the start of the last slot. */
export function spanOfChainDay(network: Network, day: number) {
  const startEpoch = firstEpochOfChainDay(day);
  const nextEpoch = firstEpochOfChainDay(day + 1);
  return {
    date: dateOfDay(network, day),
    startEpoch,
    endEpoch: nextEpoch - 1,
    start: epochStart(network, startEpoch),
    end: epochStart(network, nextEpoch) - SECONDS_PER_SLOT,
  };
}
