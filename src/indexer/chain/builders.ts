import { InputError } from './errors.ts';
import type { BeaconBlock, BlockFacts, BuilderFacts, BuilderRecord, PendingDeposit } from './types.ts';

/** First byte of the withdrawal credentials of a builder. */
const BUILDER_PREFIX = '0xb0';

export const isBuilderWithdrawalCredential = (withdrawalCredentials: string): boolean =>
  withdrawalCredentials.startsWith(BUILDER_PREFIX);

/** A builder of the upgrade to Gloas has its deposits that left the queue, from the first one with a right signature on. */
export function explainBuilder(
  epoch: number,
  { index, pubkey, balance, executionAddress }: BuilderRecord,
  left: readonly PendingDeposit[],
): void {
  const own = left.filter((deposit) => deposit.pubkey === pubkey);
  const isExplained = own.some(
    ({ withdrawalCredentials }, at) =>
      isBuilderWithdrawalCredential(withdrawalCredentials) &&
      withdrawalCredentials.slice(-40) === executionAddress.slice(2) &&
      own.slice(at).reduce((sum, { amount }) => sum + amount, 0) === balance,
  );
  if (isExplained) return;
  throw new InputError(
    epoch,
    `builder ${index} has ${balance} Gwei and the address ${executionAddress} after the upgrade to Gloas, which its deposits do not explain`,
  );
}

/** Explains the balances of builders between two states, both of which a node reports. */
export class Builders {
  readonly #records: (BuilderRecord | undefined)[] = [];
  readonly #after: ReadonlyMap<string, BuilderRecord>;

  constructor(before: readonly BuilderRecord[], after: readonly BuilderRecord[]) {
    for (const record of before) this.#records[record.index] = record;
    this.#after = new Map(after.map((record) => [record.pubkey, record]));
  }

  deposit(block: BeaconBlock, epoch: number): void {
    for (const deposit of block.builderDeposits)
      if (isBuilderWithdrawalCredential(deposit.withdrawalCredentials))
        this.#applyDepositForBuilder(deposit, epoch);
  }

  /** A deposit of an unknown key makes a builder if its signature is right, that is if the next state has the builder. */
  #applyDepositForBuilder(
    { pubkey, withdrawalCredentials, amount }: BeaconBlock['builderDeposits'][number],
    epoch: number,
  ): void {
    const known = this.#records.find((record) => record?.pubkey === pubkey);
    if (known) {
      this.#records[known.index] = { ...known, balance: known.balance + amount };
      return;
    }
    if (!this.#after.has(pubkey)) return;
    const index = this.#getIndexForNewBuilder(epoch);
    const withdrawableEpoch = Number.POSITIVE_INFINITY;
    const executionAddress = `0x${withdrawalCredentials.slice(-40)}`;
    const depositEpoch = epoch;
    this.#records[index] = {
      ...{ index, pubkey, executionAddress, balance: amount, depositEpoch, withdrawableEpoch },
    };
  }

  /** A new builder gets the index of one that has left with a balance of 0, if there is one. */
  #getIndexForNewBuilder(epoch: number): number {
    const free = this.#records.findIndex(
      (record) => record && record.withdrawableEpoch <= epoch && record.balance === 0,
    );
    return free < 0 ? this.#records.length : free;
  }

  withdraw(index: number, amount: number): void {
    const record = this.#records[index];
    if (record) this.#records[index] = { ...record, balance: Math.max(0, record.balance - amount) };
  }

  /** Only the records show exits. */
  reconcile(epoch: number): void {
    for (const [index, record] of this.#records.entries()) {
      const after = record && this.#after.get(record.pubkey);
      if (!record || after?.index !== index)
        throw new InputError(epoch, `builder ${index} is not ${record?.pubkey}, as the blocks explain`);
      for (const key of ['balance', 'depositEpoch', 'executionAddress'] as const)
        if (record[key] !== after[key])
          throw new InputError(
            epoch,
            `${key} of builder ${index} is ${after[key]}, but the blocks explain ${record[key]}`,
          );
    }
    if (this.#records.length !== this.#after.size)
      throw new InputError(
        epoch,
        `there are ${this.#after.size} builders in place of ${this.#records.length}`,
      );
  }
}

export const pubkeyOf = (builders: readonly BuilderRecord[] | null, index: number): string | null =>
  builders?.find((record) => record.index === index)?.pubkey ?? null;

/** Both states must list the builders. */
export const buildersOf = (
  before: readonly BuilderRecord[] | null,
  after: readonly BuilderRecord[] | null,
): Builders | null => (before && after ? new Builders(before, after) : null);

const none = () => ({ count: 0, value: 0n });

/** `records`: those after the epoch of the blocks. */
export function builderFacts(
  records: readonly BuilderRecord[],
  blocks: readonly BlockFacts[],
): BuilderFacts[] {
  const all = new Map(
    records.map((record) => [
      record.pubkey,
      { ...record, bids: none(), full: none(), withheld: none(), paid: none() },
    ]),
  );
  for (const { bid, payload } of blocks) {
    const builder = all.get(bid?.builder?.pubkey ?? '');
    if (!bid || !builder) continue;
    const paid = bid.payment === 'settled' || bid.payment === 'quorum';
    for (const sum of [
      builder.bids,
      payload === 'full' ? builder.full : builder.withheld,
      paid && builder.paid,
    ])
      if (sum) {
        sum.count += 1;
        sum.value += bid.value;
      }
  }
  return [...all.values()].sort((a, b) => a.index - b.index);
}
