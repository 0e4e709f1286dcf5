import { genesisTime, type Network } from './networks.ts';

/**
 * The two calendars of the Ethereum figures (spec §4.4 and the decisions on time). The chain calendar counts days of
 * 225 epochs from genesis; the UTC calendar puts an epoch into the UTC day in which its first slot falls.
 */
export const calendars = ['chain', 'utc'] as const;
export type Calendar = (typeof calendars)[number];

export const SECONDS_PER_SLOT = 12;
export const SLOTS_PER_EPOCH = 32;
export const EPOCHS_PER_DAY = 225;
export const SECONDS_PER_EPOCH = SECONDS_PER_SLOT * SLOTS_PER_EPOCH;
export const SECONDS_PER_DAY = 86_400;
const SECONDS_PER_HOUR = 3_600;

/** The first UTC date with figures in the UTC calendar (spec §4.4). */
export const FIRST_UTC_DATE = '2024-10-01';

/** When an epoch's first slot begins, in seconds since 1970. */
export const epochStart = (network: Network, epoch: number): number =>
  genesisTime[network] + epoch * SECONDS_PER_EPOCH;

/** When a slot begins, in seconds since 1970. */
export const slotStart = (network: Network, slot: number): number =>
  genesisTime[network] + slot * SECONDS_PER_SLOT;

/** The first epoch that starts at or after a moment (seconds since 1970); 0 for moments before genesis. */
export const firstEpochFrom = (network: Network, seconds: number): number =>
  Math.max(0, Math.ceil((seconds - genesisTime[network]) / SECONDS_PER_EPOCH));

/** The chain day of an epoch: day N is epochs 225N … 225N+224. The same on every network. */
export const chainDayOfEpoch = (epoch: number): number => Math.floor(epoch / EPOCHS_PER_DAY);

/** The first epoch of a chain day. */
export const firstEpochOfChainDay = (day: number): number => day * EPOCHS_PER_DAY;

/** When day 0 begins, in seconds since 1970: genesis, or midnight of its date. */
const origin = (network: Network, calendar: Calendar): number =>
  calendar === 'chain'
    ? genesisTime[network]
    : Math.floor(genesisTime[network] / SECONDS_PER_DAY) * SECONDS_PER_DAY;

/** Seconds from the start of day 0 to the start of epoch 0: an epoch's day is (384 × epoch + these) / 86,400. */
export const secondsBeforeGenesis = (network: Network, calendar: Calendar): number =>
  genesisTime[network] - origin(network, calendar);

/** The day in which an epoch starts. */
export const dayOfEpoch = (network: Network, calendar: Calendar, epoch: number): number =>
  Math.floor((epochStart(network, epoch) - origin(network, calendar)) / SECONDS_PER_DAY);

export type EpochRange = { first: number; last: number };

const epochsOf = (network: Network, calendar: Calendar, period: number, seconds: number): EpochRange => {
  const start = origin(network, calendar) + period * seconds;
  return { first: firstEpochFrom(network, start), last: firstEpochFrom(network, start + seconds) - 1 };
};

/** The epochs of a day, ends inclusive; UTC days before genesis's own date have none. */
export const epochsOfDay = (network: Network, calendar: Calendar, day: number): EpochRange =>
  epochsOf(network, calendar, day, SECONDS_PER_DAY);

/** The epochs of an hour, ends inclusive: nine or ten; none before genesis in the UTC calendar. */
export const epochsOfHour = (network: Network, calendar: Calendar, hour: number): EpochRange =>
  epochsOf(network, calendar, hour, SECONDS_PER_HOUR);

const isoDate = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

/** The UTC date on which a day starts. Day 0 of both calendars has genesis's own date, so they share this. */
export const dateOfDay = (network: Network, day: number): string =>
  isoDate(origin(network, 'utc') + day * SECONDS_PER_DAY);

/** The day that starts on a UTC date; negative before genesis. */
export const dayOfDate = (network: Network, date: string): number =>
  Math.round((Date.parse(date) / 1000 - origin(network, 'utc')) / SECONDS_PER_DAY);

/** The chain day that has begun by a moment (seconds since 1970); negative before genesis. */
export const chainDayOfMoment = (network: Network, seconds: number): number =>
  Math.floor((seconds - genesisTime[network]) / SECONDS_PER_DAY);

/** A chain day's date and epochs, and when its first and its last slot begin, in seconds since 1970. */
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
