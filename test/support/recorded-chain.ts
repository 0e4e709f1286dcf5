import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** Chains made by a real state transition; not part of the project, so tests of them skip where they are missing. */
const folder = fileURLToPath(new URL('../../../shared/beacon/', import.meta.url));
const recordings = {
  days: 'chain-days.ndjson.gz',
  wide: 'chain-wide.ndjson.gz',
  gloas: 'chain-gloas.ndjson.gz',
} as const;
export type RecordingName = keyof typeof recordings;
export const hasRecordings = Object.values(recordings).every((file) => existsSync(folder + file));

export type RawValidator = Record<string, string | boolean>;
export type RawCheckpoints = { finalized: [number, string]; justified: [number, string] };

export type RawState = {
  slot: number;
  balances: number[];
  checkpoints: RawCheckpoints;
  pendingConsolidations: unknown[];
  /** Undefined where it is not known what is in the queue. */
  pendingDeposits: unknown[] | undefined;
  /** Undefined before Gloas. */
  builders?: readonly RawBuilder[] | undefined;
};
export type RawBuilder = Record<string, string>;

export type RawBlock = { slot: number; version: string; root: string; text: string };
export type RawEpoch = { committees: [number, number, number[]][]; sync: number[]; proposers: number[] };

/** A chain as a node has it. What it has not is undefined. */
export type Chain = {
  spec: Record<string, unknown>;
  genesis: { genesis_time: string; genesis_validators_root: string; genesis_fork_version: string };
  /** Slot of the first state; it has a root but no block. */
  first: number;
  last: number;
  /** Slots of states, ascending. */
  states: readonly number[];
  state(slot: number): RawState | undefined;
  block(slot: number): RawBlock | undefined;
  /** Since Gloas, the payload that was revealed for the block of a slot, as JSON. */
  envelope?(slot: number): string | undefined;
  /** Of a block, or of the first slot. */
  root(slot: number): string | undefined;
  slotOfRoot(root: string): number | undefined;
  epoch(epoch: number): RawEpoch | undefined;
  validator(index: number, slot: number): RawValidator | undefined;
};

type Place = { from: number; to: number };
type Loaded = {
  meta: any;
  bytes: Buffer;
  blocks: Map<number, Place & { root: string; version: string }>;
  envelopes: Map<number, Place>;
  roots: Map<number, string>;
  slots: Map<string, number>;
  epochs: Map<number, RawEpoch>;
  states: Map<number, RawState>;
  /** Of each validator, from which slot on it has which record. */
  records: [number, RawValidator][][];
};

const envelopeLine = /^\{"slot":(\d+),"envelope":/;
const blockLine = /^\{"slot":(\d+),"version":"(\w+)","root":"(0x\w+)","block":/;

function takeState(loaded: Loaded, line: any): void {
  if (loaded.states.has(line.state)) return;
  for (const [index, record] of Object.entries(line.changed)) {
    const records = (loaded.records[Number(index)] ??= []);
    records.push([line.state, record as RawValidator]);
  }
  loaded.states.set(line.state, {
    slot: line.state,
    balances: line.balances,
    checkpoints: { finalized: [line.fin, line.finRoot], justified: [line.just, line.justRoot] },
    pendingConsolidations: line.pendingConsolidations,
    pendingDeposits: Array.isArray(line.pendingDeposits)
      ? line.pendingDeposits
      : line.pendingDeposits === 0
        ? []
        : undefined,
    builders: line.builders,
  });
}

function takeLine(loaded: Loaded, from: number, to: number): void {
  const start = loaded.bytes.toString('latin1', from, Math.min(to, from + 200));
  const block = blockLine.exec(start);
  if (block) {
    const [head, slot, version, root] = block as unknown as [string, string, string, string];
    loaded.blocks.set(Number(slot), { from: from + head.length, to: to - 1, root, version });
    loaded.roots.set(Number(slot), root);
    loaded.slots.set(root, Number(slot));
    return;
  }
  const envelope = envelopeLine.exec(start);
  if (envelope) {
    loaded.envelopes.set(Number(envelope[1]), { from: from + envelope[0].length, to: to - 1 });
    return;
  }
  const line = JSON.parse(loaded.bytes.toString('utf8', from, to));
  if (line.spec) loaded.meta = line;
  else if (line.committees) loaded.epochs.set(line.epoch, line);
  else if (line.state !== undefined) takeState(loaded, line);
  else if (line.root) {
    loaded.roots.set(line.slot, line.root);
    loaded.slots.set(line.root, line.slot);
  }
}

function load(name: RecordingName): Chain {
  const bytes = gunzipSync(readFileSync(folder + recordings[name]));
  const maps = {
    blocks: new Map(),
    envelopes: new Map(),
    roots: new Map(),
    slots: new Map(),
    epochs: new Map(),
    states: new Map(),
  };
  const loaded: Loaded = { meta: undefined, bytes, records: [], ...maps };
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    const to = end < 0 ? bytes.length : end;
    if (to > from) takeLine(loaded, from, to);
    from = to + 1;
  }
  const { spec, genesis, first } = loaded.meta;
  const states = [...loaded.states.keys()];
  return {
    ...{ spec, genesis, first, states },
    last: Math.max(...states, ...loaded.blocks.keys()),
    state: (slot) => loaded.states.get(slot),
    block(slot) {
      const at = loaded.blocks.get(slot);
      if (!at) return undefined;
      return { slot, version: at.version, root: at.root, text: bytes.toString('utf8', at.from, at.to) };
    },
    envelope(slot) {
      const at = loaded.envelopes.get(slot);
      return at && bytes.toString('utf8', at.from, at.to);
    },
    root: (slot) => loaded.roots.get(slot),
    slotOfRoot: (root) => loaded.slots.get(root),
    epoch: (epoch) => loaded.epochs.get(epoch),
    validator: (index, slot) => loaded.records[index]?.findLast(([since]) => since <= slot)?.[1],
  };
}

const chains = new Map<RecordingName, Chain>();

/** A recorded chain, read once in a process. */
export function recordedChain(name: RecordingName): Chain {
  const chain = chains.get(name) ?? load(name);
  chains.set(name, chain);
  return chain;
}
