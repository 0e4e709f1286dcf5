import {
  type Calendar,
  dateOfDay,
  epochStart,
  epochsOfDay,
  epochsOfHour,
  FIRST_UTC_DATE,
} from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { futureFaults } from './given-time.ts';
import { type Faults, isFaultless } from './importer.ts';

/** In the 23rd century. The limit prevents partitions for absurd days. */
export const MAX_DAY = 100_000;

type Period = {
  network: Network;
  calendar: Calendar;
  day: number;
  hour: number | null;
  startEpoch: number;
  endEpoch: number;
};

let last: Period | undefined;

/** Rows of a file often have the period of the row before. */
export function periodFaults(row: Period): Faults {
  if (last && isSame(row, last)) return [];
  if (!isFaultless(faultsOf(row))) return faultsOf(row);
  const { network, calendar, day, hour, startEpoch, endEpoch } = row;
  last = { network, calendar, day, hour, startEpoch, endEpoch };
  return [];
}

const isSame = (one: Period, other: Period) =>
  one.day === other.day &&
  one.hour === other.hour &&
  one.calendar === other.calendar &&
  one.network === other.network &&
  one.startEpoch === other.startEpoch &&
  one.endEpoch === other.endEpoch;

function* faultsOf(row: Period): Faults {
  const { network, calendar, hour, day } = row;
  if (hour !== null && Math.floor(hour / 24) !== day) yield ['hour', `is ${hour}, not an hour of day ${day}`];
  const epochs = hour === null ? epochsOfDay(network, calendar, day) : epochsOfHour(network, calendar, hour);
  for (const name of ['startEpoch', 'endEpoch'] as const) {
    if (row[name] < epochs.first || row[name] > epochs.last) {
      yield [name, `is ${row[name]}; the period holds epochs ${epochs.first} to ${epochs.last}`];
    }
  }
  if (row.startEpoch > row.endEpoch)
    yield ['startEpoch', `is ${row.startEpoch}, after endEpoch ${row.endEpoch}`];
  if (calendar === 'utc' && dateOfDay(network, day) < FIRST_UTC_DATE) {
    yield ['day', `is ${day} (${dateOfDay(network, day)}); UTC figures begin on ${FIRST_UTC_DATE}`];
  }
  yield* futureFaults('startEpoch', row.startEpoch, epochStart(network, row.startEpoch), 'an epoch');
}
