import { genesisTime, type Network } from './networks.ts';

export const SECONDS_PER_SLOT = 12;
export const SLOTS_PER_EPOCH = 32;
export const EPOCHS_PER_DAY = 225;
const SECONDS_PER_EPOCH = SECONDS_PER_SLOT * SLOTS_PER_EPOCH;

/** The chain day of an epoch: day N is epochs 225N … 225N+224. */
export const chainDayOfEpoch = (epoch: number): number => Math.floor(epoch / EPOCHS_PER_DAY);

/** The first epoch of a chain day. */
export const firstEpochOfChainDay = (day: number): number => day * EPOCHS_PER_DAY;

/** When an epoch's first slot begins, in seconds since 1970. */
export const epochStart = (network: Network, epoch: number): number =>
  genesisTime[network] + epoch * SECONDS_PER_EPOCH;

/** The first epoch that starts at or after a moment (seconds since 1970); 0 for moments before genesis. */
export const firstEpochFrom = (network: Network, seconds: number): number =>
  Math.max(0, Math.ceil((seconds - genesisTime[network]) / SECONDS_PER_EPOCH));
