// A chain in memory, at the size of mainnet: registry, committees, blocks with votes, balances.
import mainnet from './mainnet-config.json' with { type: 'json' };
import * as payloads from './synthetic-payloads.mjs';
import { hex, rootOf } from './synthetic-payloads.mjs';

const FAR = Number.POSITIVE_INFINITY;
const SLOTS = 32;
const GWEI = 1_000_000_000;

/** The same numbers in every run. */
function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The answer of `config/spec`. */
export const configOf = (fork) =>
  fork === 'fulu'
    ? mainnet
    : {
        ...mainnet,
        GLOAS_FORK_EPOCH: '419000',
        CHURN_LIMIT_QUOTIENT_GLOAS: '32768',
        MAX_PER_EPOCH_ACTIVATION_CHURN_LIMIT_GLOAS: '256000000000',
        CONSOLIDATION_CHURN_LIMIT_QUOTIENT: '65536',
        MIN_BUILDER_WITHDRAWABILITY_DELAY: '64',
      };

/** Of `fulu` or `gloas`. The older half of the registry has exited; one of a hundred has 2,048 ETH at most. */
export class SyntheticChain {
  constructor(active, fork, first = 420_000) {
    this.active = active;
    this.fork = fork;
    this.gloas = fork === 'gloas';
    this.size = active * 2;
    this.first = first;
    this.random = random(7);
  }

  record(index) {
    const left = index < this.active;
    const large = index % 100 === 0;
    return {
      index,
      pubkey: `0x${(index * 2_654_435_761).toString(16).padStart(24, '0')}${hex(index, 36).slice(2)}`,
      withdrawalCredentials: `0x0${large ? 2 : 1}${hex(index >> 5, 31).slice(2)}`,
      effectiveBalance: left ? 0 : (large ? 64 + (index % 1_900) : 32) * GWEI,
      slashed: false,
      activationEligibilityEpoch: 1,
      activationEpoch: 2,
      exitEpoch: left ? 300_000 : FAR,
      withdrawableEpoch: left ? 300_256 : FAR,
    };
  }

  *records() {
    for (let index = 0; index < this.size; index++) yield this.record(index);
  }

  builders(epoch) {
    return this.gloas ? payloads.builders(this.first * SLOTS, epoch * SLOTS) : null;
  }

  state(epoch) {
    const balances = new Float64Array(this.size);
    for (let index = this.active; index < this.size; index++)
      balances[index] = (index % 100 === 0 ? 64 + (index % 1_900) : 32) * GWEI + this.random(GWEI / 100);
    return {
      ...{ epoch, balances, finalizedEpoch: epoch - 2, pendingConsolidations: [] },
      ...{ builders: this.builders(epoch), depositsAfterUpgrade: null },
    };
  }

  committees(epoch) {
    const members = new Uint32Array(this.active);
    for (let at = 0; at < this.active; at++) members[at] = this.active + at;
    for (let at = this.active - 1; at > 0; at--) {
      const other = this.random(at + 1);
      [members[at], members[other]] = [members[other], members[at]];
    }
    const perSlot = Math.max(1, Math.min(64, Math.floor(this.active / SLOTS / 128)));
    const count = SLOTS * perSlot;
    const offsets = Uint32Array.from({ length: count + 1 }, (_, at) =>
      Math.floor((this.active * at) / count),
    );
    return { epoch, perSlot, offsets, members };
  }

  /** A vote for a slot: `missing` of a thousand members are not in it. */
  #attestation(slot, committees, missing) {
    const { perSlot, offsets } = committees;
    const at = (slot % SLOTS) * perSlot;
    const length = offsets[at + perSlot] - offsets[at];
    const bits = new Uint8Array((length >> 3) + 1);
    bits[length >> 3] |= 1 << (length & 7);
    for (let bit = 0; bit < length; bit++) if (this.random(1000) >= missing) bits[bit >> 3] |= 1 << (bit & 7);
    const epoch = Math.floor(slot / SLOTS);
    return {
      slot,
      beaconBlockRoot: rootOf(slot),
      source: { epoch: epoch - 1, root: rootOf((epoch - 1) * SLOTS) },
      target: { epoch, root: rootOf(epoch * SLOTS) },
      committees: Array.from({ length: perSlot }, (_, index) => index),
      votesFull: false,
      aggregationBits: bits,
    };
  }

  /** Three aggregates of the slot before, and one of the slot before that: about 3.3 votes a validator an epoch. */
  block(slot, committeesOf) {
    const votes = (of, missing) => this.#attestation(of, committeesOf(Math.floor(of / SLOTS)), missing);
    return {
      slot,
      fork: this.fork,
      root: rootOf(slot),
      parentRoot: rootOf(slot - 1),
      proposerIndex: this.active + (slot % this.active),
      attestations: [votes(slot - 1, 5), votes(slot - 1, 100), votes(slot - 1, 300), votes(slot - 2, 300)],
      proposerSlashings: [],
      slashedSlots: [],
      attesterSlashings: [],
      voluntaryExits: [],
      credentialChanges: [],
      deposits: [],
      ...payloads.requests(slot, this.record(this.active + ((slot * 31) % this.active)), this.gloas),
      syncCommitteeBits: new Uint8Array(64).fill(0xfe),
      execution: payloads.payload(slot, this.active, this.gloas),
      bid: this.gloas ? payloads.bid(slot) : null,
    };
  }

  /** Since Gloas, the blocks from `slot` on, up to the first whose payload was revealed. */
  following(slot, committeesOf) {
    const blocks = [];
    while (this.gloas && !blocks.at(-1)?.execution)
      blocks.push(this.block(slot + blocks.length, committeesOf));
    return blocks;
  }

  syncCommittee() {
    return Uint32Array.from({ length: 512 }, (_, seat) => this.active + ((seat * 997) % this.active));
  }

  /** Deposits that wait, of unknown validators. */
  queue(length, slot) {
    const word = () =>
      this.random(2 ** 32)
        .toString(16)
        .padStart(8, '0');
    return Array.from({ length }, (_, at) => ({
      pubkey: `0x${Array.from({ length: 12 }, word).join('')}`,
      withdrawalCredentials: `0x01${hex(at >> 4, 31).slice(2)}`,
      amount: 32 * GWEI,
      slot,
    }));
  }
}
