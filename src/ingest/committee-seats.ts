import type { Network } from '../chain/networks.ts';
import { SourceError } from './source/source.ts';

/** What a seat of the sync committee earned, as it is stored. */
export type Seat = { position: number; validatorIndex: number; reward: string };
/** The same as it comes in: a REST body does not tell the seats. */
type GivenSeat = Omit<Seat, 'position'> & { position: number | null };
export type SlotSeats = { network: Network; slot: number; given: GivenSeat[]; stored: Seat[] };

const SEATS = 512;

/** The n-th reward of a validator without a seat takes the seat that the n-th stored one has. */
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

/**
 * The seats of a slot as they are stored after an import: given ones over stored ones, which stay unless they are
 * replaced. Rewards without a seat keep the one they have or take the first free one, in the order given. Throws
 * SourceError when there are more than a committee has.
 */
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
  // The order of the list: the place in it is the rank.
  return [...seats.values()].sort((a, b) => a.validatorIndex - b.validatorIndex || a.position - b.position);
}
