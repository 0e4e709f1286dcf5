import { AnswerError } from '../answers/error.ts';
import { shown } from '../answers/json.ts';
import type { BuilderRecord, DepositRequest, PendingConsolidation } from '../chain/types.ts';
import { decimal, epochNumber, hex, listAt, MAX_INDEX, objectAt } from './scan/bytes.ts';

type Answer = Record<string, unknown>;
export type Finality = { epoch: number; root: string };

export const readSyncing = ({ data }: Answer) => {
  const { is_syncing, sync_distance, is_optimistic } = objectAt(data, 'data');
  if (typeof is_syncing !== 'boolean')
    throw new AnswerError(`is_syncing is ${shown(is_syncing)} in place of true or false`);
  return { syncing: is_syncing, optimistic: is_optimistic === true, distance: String(sync_distance) };
};

export function readFinality({ data }: Answer): Finality {
  const { epoch, root } = objectAt(objectAt(data, 'data').finalized, 'finalized');
  return { epoch: decimal(epoch, 'finalized.epoch'), root: hex(root, 'finalized.root', 32) };
}

export function readHeader({ data }: Answer): { slot: number; root: string } {
  const answer = objectAt(data, 'data');
  const { slot } = objectAt(objectAt(answer.header, 'header').message, 'message');
  return { slot: decimal(slot, 'slot'), root: hex(answer.root, 'root', 32) };
}

export const readRoot = ({ data }: Answer): string => hex(objectAt(data, 'data').root, 'root', 32);

export function readDuties({ data }: Answer, first: number, slots: number): Uint32Array {
  const proposers = new Uint32Array(slots);
  const duties = listAt(data, 'data');
  const seen = new Set<number>();
  for (const duty of duties) {
    const { slot, validator_index: index } = objectAt(duty, 'a duty');
    const at = decimal(slot, 'slot') - first;
    if (at < 0 || at >= slots) throw new AnswerError(`a duty is in slot ${String(slot)}`);
    seen.add(at);
    proposers[at] = decimal(index, 'validator_index', MAX_INDEX);
  }
  // Slot 0 has no proposer.
  const expected = first === 0 ? slots - 1 : slots;
  if (seen.size < expected || duties.length > slots)
    throw new AnswerError(`${duties.length} duties are listed for ${slots} slots`);
  return proposers;
}

export function readLookahead({ data }: Answer, slots: number): Uint32Array {
  const indices = listAt(data, 'data');
  if (indices.length < slots) throw new AnswerError(`${indices.length} proposers are listed`);
  return Uint32Array.from(indices.slice(0, slots), (index) => decimal(index, 'a proposer', MAX_INDEX));
}

export function readSyncCommittee({ data }: Answer, size: number): Uint32Array {
  const seats = listAt(objectAt(data, 'data').validators, 'validators');
  if (seats.length !== size) throw new AnswerError(`the sync committee has ${seats.length} of ${size} seats`);
  return Uint32Array.from(seats, (index) => decimal(index, 'a seat', MAX_INDEX));
}

export const readConsolidations = ({ data }: Answer): PendingConsolidation[] =>
  listAt(data, 'data').map((item) => {
    const { source_index, target_index } = objectAt(item, 'a consolidation');
    return {
      source: decimal(source_index, 'source_index', MAX_INDEX),
      target: decimal(target_index, 'target_index', MAX_INDEX),
    };
  });

export const readBuilders = ({ data }: Answer): BuilderRecord[] =>
  listAt(data, 'data').map((item) => {
    const { index, builder } = objectAt(item, 'an entry');
    const fields = objectAt(builder, 'builder');
    return {
      index: decimal(index, 'index', MAX_INDEX),
      pubkey: hex(fields.pubkey, 'pubkey', 48),
      executionAddress: hex(fields.execution_address, 'execution_address', 20),
      balance: decimal(fields.balance, 'balance'),
      depositEpoch: epochNumber(fields.deposit_epoch, 'deposit_epoch'),
      withdrawableEpoch: epochNumber(fields.withdrawable_epoch, 'withdrawable_epoch'),
    };
  });

export const readDeposits = ({ data }: Answer): DepositRequest[] =>
  listAt(data, 'data').map((item) => {
    const deposit = objectAt(item, 'a deposit');
    return {
      pubkey: hex(deposit.pubkey, 'pubkey', 48),
      withdrawalCredentials: hex(deposit.withdrawal_credentials, 'withdrawal_credentials', 32),
      amount: decimal(deposit.amount, 'amount'),
      signature: hex(deposit.signature, 'signature', 96),
      slot: decimal(deposit.slot, 'slot'),
    };
  });
