import mainnet from '../../../scripts/bench/mainnet-config.json' with { type: 'json' };
import type { StartInput } from '../../../src/indexer/chain/begin.ts';
import { Chain, ReconcileError } from '../../../src/indexer/chain/index.ts';
import type { Resume } from '../../../src/indexer/chain/saved.ts';
import { parseSpec } from '../../../src/indexer/chain/spec.ts';
import type {
  BeaconBlock,
  Committees,
  DepositRequest,
  EpochFacts,
  EpochInput,
  EpochState,
  ValidatorRecord,
} from '../../../src/indexer/chain/types.ts';

/** Mainnet's constants; Fulu at 411,392. */
export const spec = parseSpec(mainnet);

export const ETH = 1_000_000_000;
export const FIRST = 420_000;
const SLOTS = 32;
const FAR = Number.POSITIVE_INFINITY;

export const rootOf = (slot: number) => `0x${slot.toString(16).padStart(64, '0')}`;
export const pubkeyOf = (index: number) => `0x${(index + 1).toString(16).padStart(96, '0')}`;
export const addressOf = (index: number) => `0x${(index + 1).toString(16).padStart(40, '0')}`;

export const recordOf = (index: number, change: Partial<ValidatorRecord> = {}): ValidatorRecord => ({
  index,
  pubkey: pubkeyOf(index),
  withdrawalCredentials: `0x01${'00'.repeat(11)}${addressOf(index).slice(2)}`,
  effectiveBalance: 32 * ETH,
  slashed: false,
  activationEligibilityEpoch: 0,
  activationEpoch: 0,
  exitEpoch: FAR,
  withdrawableEpoch: FAR,
  ...change,
});

export const blockOf = (slot: number, change: Partial<BeaconBlock> = {}): BeaconBlock => ({
  slot,
  fork: 'fulu',
  root: rootOf(slot),
  parentRoot: rootOf(slot - 1),
  proposerIndex: 0,
  attestations: [],
  proposerSlashings: [],
  slashedSlots: [],
  attesterSlashings: [],
  voluntaryExits: [],
  credentialChanges: [],
  deposits: [],
  depositRequests: [],
  withdrawalRequests: [],
  consolidationRequests: [],
  builderDeposits: [],
  syncCommitteeBits: new Uint8Array(64).fill(255),
  execution: null,
  bid: null,
  ...change,
});

export const depositOf = (index: number, amount: number): Omit<DepositRequest, 'slot'> => ({
  pubkey: pubkeyOf(index),
  withdrawalCredentials: recordOf(index).withdrawalCredentials,
  amount,
  signature: '0x',
});

/** One committee in each slot, of the validators that are active. */
export function committeesOf(epoch: number, records: readonly ValidatorRecord[]): Committees {
  const active = records.filter((v) => v.activationEpoch <= epoch && epoch < v.exitEpoch);
  return {
    epoch,
    perSlot: 1,
    offsets: Uint32Array.from({ length: SLOTS + 1 }, (_, at) => Math.floor((active.length * at) / SLOTS)),
    members: Uint32Array.from(active, ({ index }) => index),
  };
}

/** Remembers the copy that an epoch is applied to. */
class Noted extends Float64Array {
  static last: Noted | undefined;

  constructor(...given: [any]) {
    super(...given);
    if (typeof given[0] === 'number') Noted.last = this;
  }
}

type Changes = {
  /** By slot within the epoch. */
  blocks?: Record<number, Partial<BeaconBlock>>;
  nextFirst?: Partial<BeaconBlock>;
  /** By validator, as of the next state. */
  records?: Record<number, Partial<ValidatorRecord>>;
  input?: Partial<EpochInput>;
};

/** A chain of a few validators whose node agrees with the rules: a test says what is in blocks. */
export class SmallChain {
  chain: Chain;
  readonly start: StartInput;
  records: ValidatorRecord[];
  private state: EpochState;
  private first: BeaconBlock;

  constructor(
    records: ValidatorRecord[],
    {
      balances = records.map((v) => v.effectiveBalance),
      first = {} as Partial<BeaconBlock>,
      deposits = [] as DepositRequest[],
    } = {},
  ) {
    this.records = records;
    this.state = {
      epoch: FIRST,
      balances: Float64Array.from(balances),
      finalizedEpoch: FIRST - 2,
      pendingConsolidations: [],
      ...{ builders: null, depositsAfterUpgrade: null },
    };
    this.first = blockOf(FIRST * SLOTS, first);
    this.start = {
      state: this.state,
      records,
      pendingDeposits: deposits,
      syncCommittee: new Uint32Array(512),
      before: {
        blocks: Array.from({ length: SLOTS }, (_, at) => blockOf((FIRST - 1) * SLOTS + at)),
        committees: committeesOf(FIRST - 1, records),
        firstBlock: this.first,
        ...{ earlier: null, following: [] },
      },
    };
    this.chain = Chain.begin(spec, this.start);
  }

  /** What the node reports after a restart. */
  resume(): Resume {
    const committees = committeesOf(this.state.epoch - 1, this.records);
    return { state: this.state, committees, records: this.records };
  }

  /** The same chain after a restart. */
  restored(state = this.state): SmallChain {
    const chain = Chain.restore(spec, this.chain.save(), { ...this.resume(), state });
    return Object.assign(Object.create(SmallChain.prototype), this, { chain });
  }

  /** The input of the next epoch, with the balances that the rules give. */
  input({ blocks = {}, nextFirst = {}, records = {}, input = {} }: Changes = {}): EpochInput {
    const { epoch } = this.chain;
    const first = epoch * SLOTS;
    const size = Math.max(this.records.length, ...Object.keys(records).map((index) => Number(index) + 1));
    const after = Array.from({ length: size }, (_, index) => ({
      ...(this.records[index] ?? recordOf(index)),
      ...records[index],
    }));
    const balances = new Float64Array(size);
    balances.set(this.state.balances);
    return this.settled({
      epoch,
      blocks: Array.from({ length: SLOTS }, (_, at) =>
        at === 0 ? this.first : blockOf(first + at, blocks[at]),
      ),
      committees: committeesOf(epoch, this.records),
      syncCommittee: new Uint32Array(512),
      nextSyncCommittee: new Uint32Array(512),
      proposers: new Uint32Array(SLOTS),
      next: {
        ...{ epoch: epoch + 1, balances, finalizedEpoch: epoch - 1, pendingConsolidations: [] },
        ...{ builders: null, depositsAfterUpgrade: null },
      },
      following: [],
      nextFirstBlock: blockOf(first + SLOTS, nextFirst),
      records: after,
      ...input,
    });
  }

  /** Takes the balances of the next state from those that a copy of the chain computes. */
  private settled(input: EpochInput): EpochInput {
    const trial = this.restored(this.noted).chain;
    for (;;)
      try {
        trial.step(input);
        return input;
      } catch (error) {
        if (!(error instanceof ReconcileError)) throw error;
        const { validatorIndex: index, gwei, message } = error;
        if (message.includes('effective')) (input.records[index] as ValidatorRecord).effectiveBalance -= gwei;
        else input.next.balances.set(Noted.last as Noted);
      }
  }

  private get noted(): EpochState {
    return { ...this.state, balances: new Noted(this.state.balances) };
  }

  step(changes: Changes | EpochInput = {}): EpochFacts | undefined {
    const input = 'epoch' in changes ? changes : this.input(changes);
    const facts = this.chain.step(input);
    this.records = [...input.records];
    this.state = input.next;
    this.first = input.nextFirstBlock as BeaconBlock;
    return facts;
  }

  balance(index: number): number {
    return this.state.balances[index] as number;
  }
}
