import { SECONDS_PER_DAY, SLOTS_PER_EPOCH, slotStart } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import { timestampText } from '../kernel/time.ts';
import type { Faults } from './importer.ts';

/** `expected` is in Unix seconds. */
export function* momentFaults(field: string, given: string | null, expected: number, what: string): Faults {
  if (given === null) return;
  const begins = timestampText(expected);
  if (given !== begins) yield [field, `is ${given}; ${what} begins at ${begins}`];
}

/** Future rows would move the chain head and every window. Allows a day, because clocks differ. */
export function* futureFaults(
  field: string,
  given: number | string,
  start: number,
  what: 'a slot' | 'an epoch' | 'a day',
): Faults {
  if (start > Date.now() / 1000 + SECONDS_PER_DAY)
    yield [field, `is ${given}, which has not begun; ${what} of the past is needed`];
}

type OfSlot = {
  network: Network;
  consensusSlot: number;
  epoch: number | null;
  blockTimestamp: string | null;
};

export function* slotFaults(row: OfSlot): Faults {
  const { network, consensusSlot: slot } = row;
  const epoch = Math.floor(slot / SLOTS_PER_EPOCH);
  if (row.epoch !== null && row.epoch !== epoch)
    yield ['epoch', `is ${row.epoch}; slot ${slot} is in epoch ${epoch}`];
  const start = slotStart(network, slot);
  yield* momentFaults('blockTimestamp', row.blockTimestamp, start, `slot ${slot} of ${network}`);
  yield* futureFaults('consensusSlot', slot, start, 'a slot');
}
