import type { ChainSpec } from './spec.ts';
import type { BeaconBlock, Payments, PendingPayment } from './types.ts';
import type { World } from './world.ts';

export function processExecutionPayloadBid(
  { payments }: World,
  { slot, proposerIndex, bid }: BeaconBlock,
): void {
  if (!bid || bid.builderIndex === null) return;
  payments.set(slot, { proposer: proposerIndex, value: bid.value, weight: 0, payment: null });
}

const change = (payments: Payments, slot: number, changed: Partial<PendingPayment>) => {
  const payment = payments.get(slot);
  if (payment) payments.set(slot, { ...payment, ...changed });
};

/** Payments are dropped at the end of the next epoch. A later child pays by the bid itself, which no slashing cancels. */
const isDropped = ({ slotsPerEpoch }: ChainSpec, slot: number, child: number) =>
  Math.floor(child / slotsPerEpoch) > Math.floor(slot / slotsPerEpoch) + 1;

/** The child of a full block, in slot `child`, pays the builder of the block. */
export function settleBuilderPayment(
  { payments, spec }: Pick<World, 'payments' | 'spec'>,
  slot: number,
  child: number,
): void {
  if (payments.get(slot)?.payment !== 'cancelled' || isDropped(spec, slot, child))
    change(payments, slot, { payment: 'settled' });
}

/** A proposer that is slashed for the slot of its block owes nothing for it any more. */
export function cancelBuilderPayment({ payments }: World, proposer: number, slot: number): void {
  const pending = payments.get(slot);
  if (pending?.proposer === proposer && pending.payment === null && pending.value > 0n)
    change(payments, slot, { payment: 'cancelled' });
}

export function addWeight({ payments }: World, slot: number, increments: number): void {
  const weight = payments.get(slot)?.weight ?? 0;
  change(payments, slot, { weight: weight + increments });
}

/** At the end of an epoch, the builders of the epoch before are paid whose blocks had enough votes. */
export function processBuilderPendingPayments({ payments, spec, terms, epoch }: World): void {
  const quorum = getBuilderPaymentQuorumThreshold(spec, terms.increments);
  for (const [slot, { weight, value, payment }] of payments) {
    if (payment !== null || Math.floor(slot / spec.slotsPerEpoch) !== epoch - 1) continue;
    const enough = value > 0n && BigInt(weight) * BigInt(spec.effectiveBalanceIncrement) >= quorum;
    change(payments, slot, { payment: enough ? 'quorum' : 'unpaid' });
  }
}

/** Returns Gwei. */
function getBuilderPaymentQuorumThreshold(spec: ChainSpec, increments: number): bigint {
  const total = BigInt(increments) * BigInt(spec.effectiveBalanceIncrement);
  const { builderPaymentThresholdNumerator: part, builderPaymentThresholdDenominator: of } = spec;
  return ((total / BigInt(spec.slotsPerEpoch)) * BigInt(part)) / BigInt(of);
}
