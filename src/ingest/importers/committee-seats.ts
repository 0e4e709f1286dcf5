import type { Network } from '../../chain/networks.ts';
import { SourceError } from '../source/source.ts';

export type Seat = { position: number; validatorIndex: number; reward: string };
/** REST responses have no positions. */
type GivenSeat = Omit<Seat, 'position'> & { position: number | null };
export type SlotSeats = { network: Network; slot: number; given: GivenSeat[]; stored: Seat[] };

const SEATS = 512;

/**
 * A validator's n-th reward gets the position of the validator's n-th stored seat. Returns rewards without a stored
 * seat.
 */
function takeKnownSeats(given: readonly GivenSeat[], stored: readonly Seat[], seats: Map<number, Seat>) {
  const known = new Map<number, number[]>();
  for (const { position, validatorIndex } of stored) {
    if (seats.has(position)) continue;
    const own = known.get(validatorIndex);
    if (own) own.push(position);
    else known.set(validatorIndex, [position]);
  }
  return given.filter((seat) => {
    const position = known.get(seat.validatorIndex)?.shift();
    if (position !== undefined) seats.set(position, { ...seat, position });
    return position === undefined;
  });
}

export function seatsAfter({ network, slot, given, stored }: SlotSeats, replace: boolean): Seat[] {
  const seats = new Map<number, Seat>();
  for (const seat of given) {
    if (seat.position !== null) seats.set(seat.position, { ...seat, position: seat.position });
  }
  const unseated = given.filter((seat) => seat.position === null);
  const left = takeKnownSeats(unseated, stored, seats);
  if (!replace) for (const seat of stored) if (!seats.has(seat.position)) seats.set(seat.position, seat);
  let free = 0;
  for (const seat of left) {
    while (seats.has(free)) free += 1;
    if (free >= SEATS) {
      throw new SourceError(`${network}, slot ${slot}: has more than ${SEATS} rewards; nothing loaded.`);
    }
    seats.set(free, { ...seat, position: free });
  }
  return [...seats.values()].sort((a, b) => a.validatorIndex - b.validatorIndex || a.position - b.position);
}
