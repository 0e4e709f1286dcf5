import {
  type Calendar,
  calendars,
  dayOfEpoch,
  epochsOfDay,
  epochsOfHour,
  SECONDS_PER_EPOCH,
  secondsBeforeGenesis,
} from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';

/** `first` and `last` are epochs. */
export type Period = {
  utc: boolean;
  hourly: boolean;
  period: number;
  day: number;
  first: number;
  last: number;
};

const SECONDS_PER_HOUR = 3_600;

export const periodsOf = (network: Network, epoch: number): Period[] =>
  calendars.flatMap((calendar) => [dayAt(network, calendar, epoch), hourAt(network, calendar, epoch)]);

function dayAt(network: Network, calendar: Calendar, epoch: number): Period {
  const day = dayOfEpoch(network, calendar, epoch);
  return { utc: calendar === 'utc', hourly: false, period: day, day, ...epochsOfDay(network, calendar, day) };
}

function hourAt(network: Network, calendar: Calendar, epoch: number): Period {
  const day = dayOfEpoch(network, calendar, epoch);
  const seconds = epoch * SECONDS_PER_EPOCH + secondsBeforeGenesis(network, calendar);
  const hour = Math.floor(seconds / SECONDS_PER_HOUR);
  return {
    utc: calendar === 'utc',
    hourly: true,
    period: hour,
    day,
    ...epochsOfHour(network, calendar, hour),
  };
}

export const firstOpenEpoch = (network: Network, epoch: number): number =>
  Math.min(...periodsOf(network, epoch + 1).map(({ first }) => first), epoch + 1);
