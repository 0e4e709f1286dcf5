import { type Block, known, type Recording } from './recording.ts';

/** Of the withdrawals of a payload, those with this index or a higher one are of builders. */
export const BUILDERS = 1n << 40n;

export const isGloas = ({ spec }: Recording, slot: number): boolean =>
  slot >= Number(spec.GLOAS_FORK_EPOCH ?? Infinity) * 32;

const bidOf = (block: Block) => block.message.body.signed_execution_payload_bid.message;

/** The next block of a recording; undefined if there is none. */
function childOf(recording: Recording, slot: number): Block | undefined {
  const last = [...recording.blocks.keys()].at(-1) as number;
  for (let at = slot + 1; at <= last; at += 1) {
    const child = recording.blocks.get(at);
    if (child) return child;
  }
  return undefined;
}

function parentOf(recording: Recording, slot: number): number {
  let at = slot - 1;
  while (at > recording.anchor && !recording.blocks.has(at)) at -= 1;
  return at;
}

/** Whether the chain has the payload of a slot's block, as its child says. */
export function isFull(recording: Recording, slot: number): boolean {
  const block = recording.blocks.get(slot);
  if (!block || !isGloas(recording, slot)) return true;
  const child = known(childOf(recording, slot), `child of slot ${slot}`);
  return bidOf(child).parent_block_hash === bidOf(block).block_hash;
}

/** Requests of the execution layer that work in a block. */
export function requestsIn(recording: Recording, slot: number): any {
  const { body } = known(recording.blocks.get(slot), `block of slot ${slot}`).message;
  if (!isGloas(recording, slot)) return body.execution_requests;
  const full = isFull(recording, parentOf(recording, slot));
  return full ? body.parent_execution_requests : { deposits: [], consolidations: [] };
}

/** What a block withdraws. If its payload was withheld, the next payload that was revealed has it. */
export function withdrawalsIn(
  recording: Recording,
  slot: number,
): { validator_index: string; amount: string }[] {
  const block = known(recording.blocks.get(slot), `block of slot ${slot}`);
  if (!isGloas(recording, slot)) return block.message.body.execution_payload.withdrawals;
  if (!isFull(recording, parentOf(recording, slot))) return [];
  let at = block;
  while (!at.payload) at = known(childOf(recording, at.slot), `payload after slot ${slot}`);
  return at.payload.withdrawals;
}

const SELF_BUILT = '18446744073709551615';

/** What became of a builder's bid; read off the payments that the states keep of the previous epoch and this one. */
function paymentOf(recording: Recording, slot: number, full: boolean, value: bigint): string {
  if (full) return 'settled';
  if (value === 0n) return 'unpaid';
  const epoch = Math.floor(slot / 32);
  const last = known(recording.states.get((epoch + 2) * 32 - 1), `last state of epoch ${epoch + 1}`);
  const pending = last.payments.get(slot % 32);
  if (!pending || pending.amount === 0n) return 'cancelled';
  const active = last.validators.filter(
    ({ activationEpoch, exitEpoch }) => activationEpoch <= epoch + 1 && epoch + 1 < exitEpoch,
  );
  const total = active.reduce((sum, { effectiveBalance }) => sum + effectiveBalance, 0n);
  return pending.weight >= ((total / 32n) * 6n) / 10n ? 'quorum' : 'unpaid';
}

export type BidRow = {
  slot: number;
  payload: 'full' | 'empty';
  builder: { index: number; pubkey: string } | null;
  value: bigint;
  executionPayment: bigint;
  feeRecipient: string;
  payment: string | null;
};

/** What the chain made of the block of a slot since Gloas. */
export function bidRow(recording: Recording, slot: number): BidRow {
  const bid = bidOf(known(recording.blocks.get(slot), `block of slot ${slot}`));
  const full = isFull(recording, slot);
  const index = bid.builder_index === SELF_BUILT ? null : Number(bid.builder_index);
  const { builders } = known(recording.states.get(slot - (slot % 32)), `state before slot ${slot}`);
  return {
    ...{ slot, payload: full ? 'full' : 'empty' },
    builder: index === null ? null : { index, pubkey: known(builders[index], `builder ${index}`).pubkey },
    ...{ value: BigInt(bid.value), executionPayment: BigInt(bid.execution_payment) },
    feeRecipient: bid.fee_recipient.toLowerCase(),
    payment: index === null ? null : paymentOf(recording, slot, full, BigInt(bid.value)),
  };
}

/** The builders after an epoch, with their bids in it. */
export function builderRows(recording: Recording, epoch: number) {
  const { builders } = known(recording.states.get((epoch + 1) * 32), `state of epoch ${epoch + 1}`);
  const slots = Array.from({ length: 32 }, (_, place) => epoch * 32 + place);
  const bids = slots
    .filter((slot) => isGloas(recording, slot) && recording.blocks.has(slot))
    .map((slot) => bidRow(recording, slot));
  return builders.map((builder, index) => {
    const own = bids.filter((bid) => bid.builder?.pubkey === builder.pubkey);
    const sum = (chosen: (bid: BidRow) => boolean) => ({
      count: own.filter(chosen).length,
      value: own.filter(chosen).reduce((all, { value }) => all + value, 0n),
    });
    return {
      ...{ ...builder, index, balance: Number(builder.balance), bids: sum(() => true) },
      ...{
        full: sum(({ payload }) => payload === 'full'),
        withheld: sum(({ payload }) => payload === 'empty'),
      },
      paid: sum(({ payment }) => payment === 'settled' || payment === 'quorum'),
    };
  });
}
