// Payloads of a chain in memory, and since Gloas the bids that promise them and the builders that are paid.
const FAR = Number.POSITIVE_INFINITY;
const SLOTS = 32;
const GWEI = 1_000_000_000;
const BUILDERS = 200;

export const hex = (value, bytes) => `0x${value.toString(16).padStart(bytes * 2, '0')}`;
export const rootOf = (slot) => hex(slot + 1, 32);
const hashOf = (slot) => hex(slot + 2 ** 40, 32);
const addressOf = (builder) => hex(builder + 0xb000, 20);
const keyOf = (builder) => hex(builder + 0xb000, 48);

/** In each epoch of Gloas, one payload is withheld, and another one comes too late for the chain. */
const [WITHHELD, LATE] = [9, 20];
export const isEmpty = (slot) => [WITHHELD, LATE].includes(slot % SLOTS);
const isRevealed = (slot) => slot % SLOTS !== WITHHELD;

/** Every tenth proposer makes the payload itself. */
const bidderOf = (slot) => (slot % 10 === 0 ? null : slot % BUILDERS);
const bidValueOf = (slot) => (bidderOf(slot) === null ? 0 : 20_000_000 + ((slot * 7_919) % 100_000_000));

/** The payload after an empty one repeats its withdrawals. */
const withdrawalsOf = (slot) => (isEmpty(slot - 1) ? slot - 1 : slot);
const paidIn = (slot) => ({ builder: slot % BUILDERS, amount: bidValueOf(slot) });
const topUpIn = (slot) => (slot % SLOTS === 3 ? { builder: slot % BUILDERS, amount: GWEI } : undefined);

export function bid(slot) {
  const parent = slot - 1;
  return {
    parentBlockHash: hashOf(isEmpty(parent) ? parent - 1 : parent),
    blockHash: hashOf(slot),
    builderIndex: bidderOf(slot),
    value: BigInt(bidValueOf(slot)),
    executionPayment: 0n,
    feeRecipient: hex(slot % 50, 20),
  };
}

/** 16 withdrawals, of which one is a builder's since Gloas. Null if the payload is withheld. */
export function payload(slot, active, gloas) {
  if (gloas && !isRevealed(slot)) return null;
  const of = gloas ? withdrawalsOf(slot) : slot;
  return {
    blockNumber: slot,
    blockHash: hashOf(slot),
    feeRecipient: hex(slot % 50, 20),
    gasUsed: 20_000_000,
    baseFeePerGas: '1000000000',
    transactions: { type0: 20, type1: 1, type2: 150, total: 180 },
    withdrawals: Array.from({ length: gloas ? 15 : 16 }, (_, at) => ({
      validatorIndex: active + ((of * 16 + at) % active),
      amount: 5_000_000,
    })),
    builderWithdrawals: gloas ? [paidIn(of)] : [],
  };
}

/** Requests in a block: `record` is that of a validator. */
export function requests(slot, record, gloas) {
  const { pubkey, withdrawalCredentials } = record;
  const signature = hex(slot, 96);
  const sourceAddress = `0x${withdrawalCredentials.slice(-40)}`;
  const topUp = gloas && topUpIn(slot);
  return {
    depositRequests: [{ pubkey, withdrawalCredentials, amount: GWEI, signature }],
    withdrawalRequests: [1, 2].map(() => ({ sourceAddress, validatorPubkey: pubkey, exits: false })),
    consolidationRequests: [{ sourceAddress, sourcePubkey: pubkey, targetPubkey: hex(slot, 48) }],
    builderDeposits: topUp
      ? [
          {
            pubkey: keyOf(topUp.builder),
            withdrawalCredentials: `0xb0${addressOf(topUp.builder).slice(2).padStart(62, '0')}`,
            amount: topUp.amount,
            signature,
          },
        ]
      : [],
  };
}

/** Builders in the state after the block of slot `last`, if they had 1,000 ETH after that of slot `first`. */
export function builders(first, last) {
  const balances = new Array(BUILDERS).fill(1_000 * GWEI);
  for (let slot = first + 1; slot <= last; slot++) {
    if (isEmpty(slot - 1)) continue;
    const { builder, amount } = paidIn(slot);
    balances[builder] -= amount;
    const topUp = topUpIn(slot);
    if (topUp) balances[topUp.builder] += topUp.amount;
  }
  return balances.map((balance, index) => ({
    index,
    pubkey: keyOf(index),
    executionAddress: addressOf(index),
    balance,
    depositEpoch: 1,
    withdrawableEpoch: FAR,
  }));
}
