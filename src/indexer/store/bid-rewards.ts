import type { BidPayment, SlotFacts } from '../chain/types.ts';

/** Amounts are in Gwei; null if the beacon node does not report them. */
type BidRewards = { rewards: bigint | null; missed: bigint | null; fees: bigint | null; mev: bigint | null };

const NOT_TOLD: BidRewards = { rewards: null, missed: null, fees: null, mev: null };

/**
 * What a proposer earned with a payload, as far as a beacon node reports it: the bid of a builder, if it was paid. An
 * execution node reports the fees of a full payload; an empty one has none.
 */
export function bidRewards({ bid, payload }: SlotFacts): BidRewards {
  if (bid === null || payload === null || payload === 'unknown') return NOT_TOLD;
  const isEmpty = payload === 'empty';
  if (bid.builder === null)
    return isEmpty ? { ...NOT_TOLD, rewards: 0n, fees: 0n, mev: 0n } : { ...NOT_TOLD, missed: 0n };
  const isPaid = wasPaid(bid);
  if (isPaid === null) return NOT_TOLD;
  const rewards = isPaid ? bid.value : 0n;
  return {
    ...{ rewards, missed: bid.value - rewards },
    fees: isEmpty ? 0n : null,
    mev: isEmpty ? rewards : null,
  };
}

/** The protocol keeps no payment of a bid of 0. */
function wasPaid({ value, payment }: { value: bigint; payment: BidPayment | null }): boolean | null {
  if (value === 0n) return true;
  return payment && (payment === 'settled' || payment === 'quorum');
}
