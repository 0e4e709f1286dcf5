import type { Payload } from '../relays/client.ts';
export const GWEI = 1_000_000_000n;

/** Returns Gwei, exact to the wei. */
export function gweiText(wei: bigint): string {
  const rest = (wei % GWEI).toString().padStart(9, '0').replace(/0+$/, '');
  return `${wei / GWEI}${rest && `.${rest}`}`;
}

/** `gasPrice` is in wei. */
type Transaction = { type: number; gasUsed: bigint; gasPrice: bigint };

/** Amounts are in wei; `cost` is the price of the gas, including the base fee. */
export type LastTransaction = { from: string; to: string; value: bigint; cost: bigint };

export type ExecutionBlock = {
  feeRecipient: string;
  /** Of a builder: what it paid, in wei. The last transaction may pay more to the same address. */
  bid: { paid: bigint; feeRecipient: string } | null;
  /** In wei. */
  baseFee: bigint;
  transactions: readonly Transaction[];
  last: LastTransaction | undefined;
};

/** Burnt fees and fees by type are in wei, other amounts in Gwei. */
export type BlockFigures = {
  total_burnt_fees: string;
  total_type0_tx_fees: string;
  total_type1_tx_fees: string;
  total_type2_tx_fees: string;
  total_priority_fees: string;
  total_priority_fees_validator: string;
  baseline_mev: string;
  execution_rewards: string;
};

export type Received = {
  /** Fees and MEV are in wei. */
  fees: bigint;
  mev: bigint;
  /** False if the relay reports another amount than the block pays; the block's amount is used. */
  agrees: boolean;
};

/**
 * Follows docs/index-from-your-node.md. Fees are the payment, but at most the block's priority fees minus the
 * payment's gas cost. The rest of the payment is MEV.
 */
export function receivedOf(block: ExecutionBlock, total: bigint, payload: Payload | undefined): Received {
  const { feeRecipient, last, bid } = block;
  if (bid) {
    const { fees, mev, agrees } = divided(bid.paid, total);
    return { fees, mev: mev + (last?.to === bid.feeRecipient ? last.value : 0n), agrees };
  }
  if (payload === undefined) {
    const pays = last && last.from === feeRecipient && last.to !== feeRecipient && last.value > 0n;
    return pays ? divided(last.value, total - last.cost) : { fees: total, mev: 0n, agrees: true };
  }
  const { proposerFeeRecipient: proposer, value } = payload;
  if (proposer === feeRecipient) {
    return { fees: total, mev: value > total ? value - total : 0n, agrees: value >= total };
  }
  if (last?.to !== proposer) return divided(value, total);
  const available = last.from === feeRecipient ? total - last.cost : total;
  return { ...divided(last.value, available), agrees: last.value === value };
}

function divided(payment: bigint, available: bigint): Received {
  const most = available > 0n ? available : 0n;
  const fees = payment < most ? payment : most;
  return { fees, mev: payment - fees, agrees: true };
}

export function figuresOf(
  block: ExecutionBlock,
  payload: Payload | undefined,
): { figures: BlockFigures; agrees: boolean } {
  const byType = new Map<number, bigint>();
  let [total, gas] = [0n, 0n];
  for (const { type, gasUsed, gasPrice } of block.transactions) {
    const fee = (gasPrice - block.baseFee) * gasUsed;
    byType.set(type, (byType.get(type) ?? 0n) + fee);
    total += fee;
    gas += gasUsed;
  }
  const { fees, mev, agrees } = receivedOf(block, total, payload);
  const ofType = (type: number) => String(byType.get(type) ?? 0n);
  return {
    figures: {
      total_burnt_fees: String(gas * block.baseFee),
      total_type0_tx_fees: ofType(0),
      total_type1_tx_fees: ofType(1),
      total_type2_tx_fees: ofType(2),
      total_priority_fees: gweiText(total),
      total_priority_fees_validator: gweiText(fees),
      baseline_mev: gweiText(mev),
      execution_rewards: gweiText(fees + mev),
    },
    agrees,
  };
}
