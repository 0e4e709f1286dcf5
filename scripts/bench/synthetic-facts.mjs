// Facts of blocks and builders for the database, from payloads of a chain in memory.
import * as payloads from './synthetic-payloads.mjs';

const isFull = ({ payload }) => payload !== 'empty';

/** Builders of empty payloads are paid by the votes. */
function bidOf(slot, builders) {
  const { builderIndex: index, value, executionPayment, feeRecipient } = payloads.bid(slot);
  const builder = index === null ? null : { index, pubkey: builders[index].pubkey };
  const payment = builder && (payloads.isEmpty(slot) ? 'quorum' : 'settled');
  return { builder, value, executionPayment, feeRecipient, payment };
}

const buildersAfter = (epoch) => payloads.builders(epoch * 32, (epoch + 1) * 32);

/** `active` validators are the newest of `size`. */
export function blockFacts(epoch, fork, { active, size }) {
  const gloas = fork === 'gloas';
  const builders = gloas ? buildersAfter(epoch) : null;
  return Array.from({ length: 32 }, (_, at) => {
    const slot = epoch * 32 + at;
    const proposerIndex = size - 1 - (slot % active);
    const full = !gloas || !payloads.isEmpty(slot);
    const block = {
      ...{ slot, fork, proposerIndex, root: payloads.rootOf(slot), parentRoot: payloads.rootOf(slot - 1) },
      execution: full ? payloads.payload(slot, active, gloas) : null,
      bid: gloas ? payloads.bid(slot) : null,
    };
    return {
      ...{ slot, proposerIndex, block, consensusRewards: 4e7 },
      payload: gloas ? (full ? 'full' : 'empty') : null,
      bid: gloas ? bidOf(slot, builders) : null,
    };
  });
}

function sumOf(facts, builder, isCounted) {
  const counted = facts.filter((one) => one.bid.builder?.index === builder && isCounted(one));
  return { count: counted.length, value: counted.reduce((sum, { bid }) => sum + bid.value, 0n) };
}

/** Null before Gloas. All bids are paid. */
export function builderFacts(facts, epoch) {
  if (facts[0].bid === null) return null;
  return buildersAfter(epoch).map((record) => ({
    ...record,
    bids: sumOf(facts, record.index, () => true),
    full: sumOf(facts, record.index, isFull),
    withheld: sumOf(facts, record.index, (one) => !isFull(one)),
    paid: sumOf(facts, record.index, () => true),
  }));
}
