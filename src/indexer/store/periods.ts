import {
  type Calendar,
  calendars,
  dateOfDay,
  dayOfEpoch,
  epochsOfDay,
  epochsOfHour,
  FIRST_UTC_DATE,
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

/** The days and hours that the epoch is in; UTC ones only since UTC figures begin. */
export const periodsOf = (network: Network, epoch: number): Period[] =>
  calendars
    .filter((calendar) => {
      if (calendar === 'chain') return true;
      return dateOfDay(network, dayOfEpoch(network, calendar, epoch)) >= FIRST_UTC_DATE;
    })
    .flatMap((calendar) => [dayAt(network, calendar, epoch), hourAt(network, calendar, epoch)]);

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
