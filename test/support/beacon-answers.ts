import { createHash } from 'node:crypto';
import type { Chain, RawState, RawValidator } from './recorded-chain.ts';

/** What a node is asked for and does not have. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What a node pretends; the chain stays what it is. */
export type View = {
  chain: Chain;
  head: number;
  /** First slot of another branch, which the node takes for canonical. */
  branch: number | undefined;
  /** Blocks of the other branch have the slashings, too. */
  branchSlashes: boolean;
  prune: number | undefined;
  lie: { validator: number; gwei: number; epoch: number | undefined } | undefined;
  shuffled: boolean;
  /** With `states/{id}/proposer_lookahead` from Fulu on. */
  lookahead: boolean;
  /** Proposer duties of epochs before the head's are refused, as by some nodes. */
  recentDuties: boolean;
  pendingDeposits: boolean;
  /** With POST `states/{id}/builders` from Gloas on. */
  tellsBuilders: boolean;
  /** With v2 of proposer duties. */
  dutiesV2: boolean;
};

const SLOTS = 32;
const FAR = 18446744073709551615n;
const zero = `0x${'00'.repeat(32)}`;

export const finalityAt = ({ chain, head }: View): RawState => {
  const slot = chain.states.findLast((at) => at <= head && at % SLOTS === 0) ?? chain.first;
  return chain.state(slot) as RawState;
};

export const branchRoot = (root: string): string =>
  `0x${createHash('sha256').update(`another branch ${root}`).digest('hex')}`;

const onBranch = (view: View, slot: number): boolean => view.branch !== undefined && slot >= view.branch;

/** Slot of the newest block at or before `slot`. */
export function blockSlot({ chain }: View, slot: number): number {
  let at = slot;
  while (at > chain.first && !chain.block(at)) at -= 1;
  return at;
}

export function rootAt(view: View, slot: number): string {
  const root = view.chain.root(slot) ?? zero;
  return onBranch(view, slot) ? branchRoot(root) : root;
}

function slotOfRoot(view: View, root: string): number | undefined {
  const slot = view.chain.slotOfRoot(root);
  if (slot !== undefined) return onBranch(view, slot) ? undefined : slot;
  for (let at = view.branch ?? Number.POSITIVE_INFINITY; at <= view.head; at += 1)
    if (view.chain.block(at) && rootAt(view, at) === root) return at;
  return undefined;
}

export function slotOfBlock(view: View, id: string): number {
  const { chain, head } = view;
  if (id === 'head') return blockSlot(view, head);
  const { finalized, justified } = finalityAt(view).checkpoints;
  if (id === 'finalized') return blockSlot(view, Math.max(chain.first, finalized[0] * SLOTS));
  if (id === 'justified') return blockSlot(view, Math.max(chain.first, justified[0] * SLOTS));
  const named = id.startsWith('0x');
  if (!named && !/^\d+$/.test(id) && id !== 'genesis') throw new Refused(400, `Invalid block id ${id}`);
  const slot = named ? slotOfRoot(view, id) : Number(id);
  if (slot === undefined || !(slot <= head) || !chain.block(slot))
    throw new Refused(404, `NOT_FOUND: no block at ${id}`);
  return slot;
}

export function stateOf(view: View, id: string): RawState {
  const { chain, head, prune } = view;
  const { finalized, justified } = finalityAt(view).checkpoints;
  let slot = Number(id);
  if (id === 'head') slot = chain.states.findLast((at) => at <= head) ?? chain.first;
  else if (id === 'finalized') slot = finalized[0] * SLOTS;
  else if (id === 'justified') slot = justified[0] * SLOTS;
  else if (!/^\d+$/.test(id)) throw new Refused(id === 'genesis' ? 404 : 400, `Invalid state id ${id}`);
  const state = slot <= head ? chain.state(slot) : undefined;
  if (!state || (prune !== undefined && slot < head - prune * SLOTS))
    throw new Refused(404, `NOT_FOUND: state ${id}`);
  return state;
}

/** JSON text of the block; on another branch with roots and attestations of its own. */
export function blockText(view: View, slot: number): { version: string; text: string } {
  const block = view.chain.block(slot);
  if (!block) throw new Refused(404, `NOT_FOUND: no block at ${slot}`);
  if (!onBranch(view, slot)) return block;
  const value = JSON.parse(block.text);
  value.message.parent_root = rootAt(view, blockSlot(view, slot - 1));
  value.message.body.graffiti = `0x${Buffer.from('another branch').toString('hex').padEnd(64, '0')}`;
  value.message.body.attestations = value.message.body.attestations.slice(1);
  const bid = value.message.body.signed_execution_payload_bid?.message;
  // The other branch begins by passing over the payload of the block before it.
  if (bid && blockSlot(view, slot - 1) < (view.branch ?? 0)) bid.parent_block_hash = zero;
  if (!view.branchSlashes) value.message.body.proposer_slashings = value.message.body.attester_slashings = [];
  return { version: block.version, text: JSON.stringify(value) };
}

/** JSON text of the payload of a block, whose root on another branch is another one. */
export function envelopeText(view: View, slot: number): string {
  const text = view.chain.envelope?.(slot);
  if (!text) throw new Refused(404, 'NOT_FOUND: no payload was revealed');
  return text.replace(view.chain.root(slot) as string, rootAt(view, slot));
}

export function buildersAt(state: RawState, ids: readonly string[]) {
  if (!state.builders) throw new Refused(400, 'the state is prior to Gloas');
  return state.builders
    .map((builder, index) => ({ index: String(index), status: 'active', builder }))
    .filter(({ index, builder }) => !ids.length || ids.includes(index) || ids.includes(builder.pubkey ?? ''));
}

export function headerOf(view: View, slot: number) {
  const { message, signature } = JSON.parse(blockText(view, slot).text);
  const { body: _, ...fields } = message;
  const header = { message: { ...fields, body_root: zero }, signature };
  return { root: rootAt(view, slot), canonical: true, header };
}

function statusOf(record: RawValidator, balance: number, at: number): string {
  const n = (key: string) => BigInt(record[key] as string);
  const epoch = BigInt(at);
  if (n('activation_epoch') > epoch)
    return n('activation_eligibility_epoch') === FAR ? 'pending_initialized' : 'pending_queued';
  if (epoch < n('exit_epoch')) {
    if (n('exit_epoch') === FAR) return 'active_ongoing';
    return record.slashed ? 'active_slashed' : 'active_exiting';
  }
  if (epoch < n('withdrawable_epoch')) return record.slashed ? 'exited_slashed' : 'exited_unslashed';
  return balance > 0 ? 'withdrawal_possible' : 'withdrawal_done';
}

const shuffledBy = <T>(rows: T[], seed: number): T[] => {
  let x = seed;
  for (let i = rows.length - 1; i > 0; i -= 1) {
    x = (x * 1103515245 + 12345) & 0x7fffffff;
    const j = x % (i + 1);
    [rows[i], rows[j]] = [rows[j] as T, rows[i] as T];
  }
  return rows;
};

const balanceOf = ({ lie }: View, state: RawState, index: number): number => {
  const told = state.balances[index] as number;
  const lies = lie?.validator === index && (lie.epoch ?? state.slot / SLOTS) === state.slot / SLOTS;
  return lies ? told + lie.gwei : told;
};

export function balancesAt(view: View, state: RawState, ids: readonly string[]) {
  const asked = new Set(ids);
  const rows = state.balances.flatMap((_, index) =>
    asked.size === 0 || asked.has(String(index))
      ? [{ index: String(index), balance: String(balanceOf(view, state, index)) }]
      : [],
  );
  return view.shuffled ? shuffledBy(rows, state.slot + 1) : rows;
}

export function validatorsAt(view: View, state: RawState, ids: readonly string[]) {
  const asked = new Set(ids);
  const rows = state.balances.flatMap((_, index) => {
    const validator = view.chain.validator(index, state.slot);
    if (!validator) return [];
    if (asked.size > 0 && !asked.has(String(index)) && !asked.has(validator.pubkey as string)) return [];
    const balance = balanceOf(view, state, index);
    const status = statusOf(validator, balance, Math.floor(state.slot / SLOTS));
    return [{ index: String(index), balance: String(balance), status, validator }];
  });
  return view.shuffled ? shuffledBy(rows, state.slot + 1) : rows;
}

export function epochOf(view: View, state: RawState, asked: string | null) {
  const epoch = asked === null ? Math.floor(state.slot / SLOTS) : Number(asked);
  const found = view.chain.epoch(epoch);
  if (!found || epoch * SLOTS > view.head + SLOTS)
    throw new Refused(400, `epoch ${asked} is out of range of the state`);
  return found;
}

export function proposerDuties(view: View, epoch: number) {
  const found = view.chain.epoch(epoch);
  const recent = !view.recentDuties || epoch >= Math.floor(view.head / SLOTS);
  if (!found || !recent || epoch * SLOTS > view.head + SLOTS)
    throw new Refused(400, `epoch ${epoch} is out of range`);
  return found.proposers.map((index, i) => ({
    pubkey: view.chain.validator(index, view.chain.last)?.pubkey,
    validator_index: String(index),
    slot: String(epoch * SLOTS + i),
  }));
}

/** Proposers of the state's epoch and the next, as in Fulu's states. */
export function lookaheadAt(view: View, state: RawState): string[] {
  const epoch = Math.floor(state.slot / SLOTS);
  const fulu = Number(view.chain.spec.FULU_FORK_EPOCH);
  if (!view.lookahead || epoch < fulu) throw new Refused(400, 'states before Fulu have no lookahead');
  const proposers = (at: number) => view.chain.epoch(at)?.proposers ?? new Array<number>(SLOTS).fill(0);
  return [...proposers(epoch), ...proposers(epoch + 1)].map(String);
}
