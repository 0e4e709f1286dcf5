import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** Recorded chains; not part of the project. Each line of a file is a block, a state or an epoch's duties. */
const folder = fileURLToPath(new URL('../../../../shared/beacon/', import.meta.url));

export type Chain = 'chain-days' | 'chain-wide' | 'chain-gloas';

/** The path of a recorded chain; undefined where the recordings are missing. */
export function recordingPath(chain: Chain): string | undefined {
  const path = `${folder}${chain}.ndjson.gz`;
  return existsSync(path) ? path : undefined;
}

/** Epochs are `Infinity` for FAR_FUTURE_EPOCH. */
export type ValidatorRecord = {
  pubkey: string;
  credentials: string;
  effectiveBalance: bigint;
  slashed: boolean;
  activationEpoch: number;
  exitEpoch: number;
  withdrawableEpoch: number;
};

export type State = {
  slot: number;
  balances: bigint[];
  validators: ValidatorRecord[];
  finalized: number;
  pendingDeposits: number;
  /** If the recording has them. */
  queue: { pubkey: string; credentials: string }[];
  /** Since Gloas. */
  builders: Builder[];
  /** Since Gloas, by slot within the previous epoch and this one (0…63); without those of no amount. */
  payments: Map<number, { weight: bigint; amount: bigint }>;
  pendingConsolidations: { source: number; target: number }[];
};

type Builder = {
  pubkey: string;
  executionAddress: string;
  balance: bigint;
  depositEpoch: number;
  withdrawableEpoch: number;
};

/** The body and the payload are the Beacon API's JSON; since Gloas, the payload that was revealed, if any. */
export type Block = { slot: number; root: string; message: any; payload?: any };

type Duties = {
  /** Members by slot and committee index. */
  committees: Map<number, number[][]>;
  sync: number[];
  proposers: number[];
};

export type Recording = {
  spec: Record<string, string>;
  genesisTime: number;
  /** The slot that the recording begins with: it has a root and a state, but no block. */
  anchor: number;
  /** By slot. */
  blocks: Map<number, Block>;
  /** Roots of blocks by slot, with that of the anchor. */
  roots: Map<number, string>;
  /** By epoch. */
  duties: Map<number, Duties>;
  /** By slot: the first and the last of each epoch. */
  states: Map<number, State>;
};

const epochNumber = (text: string) => (text === '18446744073709551615' ? Infinity : Number(text));

const validatorRecord = (given: any): ValidatorRecord => ({
  pubkey: given.pubkey,
  credentials: given.withdrawal_credentials,
  effectiveBalance: BigInt(given.effective_balance),
  slashed: given.slashed,
  activationEpoch: epochNumber(given.activation_epoch),
  exitEpoch: epochNumber(given.exit_epoch),
  withdrawableEpoch: epochNumber(given.withdrawable_epoch),
});

function stateAfter(previous: ValidatorRecord[], line: any): State {
  const validators = [...previous];
  for (const [index, given] of Object.entries(line.changed)) {
    validators[Number(index)] = validatorRecord(given);
  }
  return {
    slot: line.state,
    balances: line.balances.map(BigInt),
    validators,
    finalized: line.fin,
    pendingDeposits: line.pendingDeposits.length ?? line.pendingDeposits,
    queue: Array.isArray(line.pendingDeposits)
      ? line.pendingDeposits.map((given: any) => ({
          ...{ pubkey: given.pubkey, credentials: given.withdrawal_credentials },
        }))
      : [],
    builders: (line.builders ?? []).map((given: any) => ({
      pubkey: given.pubkey,
      executionAddress: given.execution_address.toLowerCase(),
      balance: BigInt(given.balance),
      depositEpoch: Number(given.deposit_epoch),
      withdrawableEpoch: epochNumber(given.withdrawable_epoch),
    })),
    payments: new Map(
      (line.builderPendingPayments ?? []).map(([place, given]: any) => [
        place,
        { weight: BigInt(given.weight), amount: BigInt(given.withdrawal.amount) },
      ]),
    ),
    pendingConsolidations: line.pendingConsolidations.map((given: any) => ({
      source: Number(given.source_index),
      target: Number(given.target_index),
    })),
  };
}

function dutiesOf(line: any): Duties {
  const committees: Duties['committees'] = new Map();
  for (const [slot, index, members] of line.committees) {
    if (!committees.has(slot)) committees.set(slot, []);
    (committees.get(slot) as number[][])[index] = members;
  }
  return { committees, sync: line.sync, proposers: line.proposers };
}

const read = new Map<string, Recording>();

/** Up to the first state of an epoch, if given; the same recording for all tests of a worker. */
export function readRecording(chain: Chain, upTo = Infinity): Recording {
  const name = `${chain} ${upTo}`;
  if (!read.has(name)) read.set(name, parsed(recordingPath(chain) as string, upTo));
  return read.get(name) as Recording;
}

function* linesUpTo(path: string, epoch: number): Generator<any> {
  for (const text of gunzipSync(readFileSync(path)).toString().trim().split('\n')) {
    const line = JSON.parse(text);
    yield line;
    if (line.state >= epoch * 32) return;
  }
}

function parsed(path: string, upTo: number): Recording {
  const [meta, ...lines] = linesUpTo(path, upTo);
  const recording: Recording = {
    spec: meta.spec,
    genesisTime: Number(meta.genesis.genesis_time),
    anchor: meta.first,
    blocks: new Map(),
    roots: new Map(),
    duties: new Map(),
    states: new Map(),
  };
  let validators: ValidatorRecord[] = [];
  for (const line of lines) {
    if (line.root) recording.roots.set(line.slot, line.root);
    if (line.block) {
      recording.blocks.set(line.slot, { slot: line.slot, root: line.root, message: line.block.message });
    } else if (line.envelope) {
      (recording.blocks.get(line.slot) as Block).payload = line.envelope.message.payload;
    } else if (line.committees) {
      recording.duties.set(line.epoch, dutiesOf(line));
    } else if (line.state !== undefined) {
      const state = stateAfter(validators, line);
      recording.states.set(line.state, state);
      ({ validators } = state);
    }
  }
  return recording;
}

/** `undefined` would be a fault of the recording. */
export function known<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`The recording has no ${what}`);
  return value;
}
