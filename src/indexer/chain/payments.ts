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

/** The child of a full block pays its builder, even after the payment was dropped because it came so late. */
export function settleBuilderPayment({ payments }: Pick<World, 'payments'>, slot: number): void {
  if (payments.get(slot)?.payment !== 'cancelled') change(payments, slot, { payment: 'settled' });
}

/** A proposer that is slashed for the slot of its block owes nothing for it any more. */
export function cancelBuilderPayment({ payments }: World, proposer: number, slot: number): void {
  const pending = payments.get(slot);
  if (pending?.proposer === proposer && pending.payment === null && pending.value > 0n)
    change(payments, slot, { payment: 'cancelled' });
}

export function addWeight({ payments }: World, slot: number, increments: number): void {
  const pending = payments.get(slot);
  if (pending?.payment === null) change(payments, slot, { weight: pending.weight + increments });
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
