import { SECONDS_PER_DAY, SLOTS_PER_EPOCH, slotStart } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { timestampText } from '../../kernel/time.ts';
import type { Faults } from './importer.ts';

/** `expected` is in Unix seconds. */
export function momentFaults(field: string, given: string | null, expected: number, what: string): Faults {
  const begins = given === null ? null : timestampText(expected);
  return given === begins ? [] : [[field, `is ${given}; ${what} begins at ${begins}`]];
}

/** Future rows would move the chain head and every window. Allows a day, because clocks differ. */
export function futureFaults(
  field: string,
  given: number | string,
  start: number,
  what: 'a slot' | 'an epoch' | 'a day',
): Faults {
  return start > Date.now() / 1000 + SECONDS_PER_DAY
    ? [[field, `is ${given}, which has not begun; ${what} of the past is needed`]]
    : [];
}

type OfSlot = {
  network: Network;
  consensusSlot: number;
  epoch: number | null;
  blockTimestamp: string | null;
};

export function slotFaults(row: OfSlot): Faults {
  const { network, consensusSlot: slot } = row;
  const epoch = Math.floor(slot / SLOTS_PER_EPOCH);
  const start = slotStart(network, slot);
  const wrongEpoch: Faults =
    row.epoch === null || row.epoch === epoch
      ? []
      : [['epoch', `is ${row.epoch}; slot ${slot} is in epoch ${epoch}`]];
  return [
    ...wrongEpoch,
    ...momentFaults('blockTimestamp', row.blockTimestamp, start, `slot ${slot} of ${network}`),
    ...futureFaults('consensusSlot', slot, start, 'a slot'),
  ];
}
