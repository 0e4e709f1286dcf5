import { getActivationExitChurnLimit } from '../../chain/churn.ts';
import { explainBuilder, isBuilderWithdrawalCredential } from './builders.ts';
import { InputError } from './errors.ts';
import { FAR } from './registry.ts';
import type { BuilderRecord, PendingDeposit } from './types.ts';
import { increaseBalance, type World } from './world.ts';

export type DepositQueue = {
  /** `index_deposits.place` of the first entry. */
  readonly first: number;
  readonly entries: readonly PendingDeposit[];
  /** Bounds of `deposit_balance_to_consume` in Gwei; no node reports its value. */
  readonly carry: readonly [least: number, most: number];
};

/** Returns Gwei per epoch. */
function getActivationChurnLimit({ spec, rules, terms }: World): number {
  const increment = BigInt(spec.effectiveBalanceIncrement);
  const limit = getActivationExitChurnLimit(BigInt(terms.increments) * increment, {
    least: BigInt(spec.minPerEpochChurnLimitElectra),
    most: BigInt(
      (rules.gloas && spec.gloas?.maxPerEpochActivationChurnLimitGloas) ||
        spec.maxPerEpochActivationExitChurnLimit,
    ),
    quotient: BigInt((rules.gloas && spec.gloas?.churnLimitQuotientGloas) || spec.churnLimitQuotient),
    increment,
  });
  return Number(limit);
}

const isSame = (a: PendingDeposit, b: PendingDeposit | undefined) =>
  a.pubkey === b?.pubkey && a.amount === b.amount && a.slot === b.slot;

/** The queue that a node reports. If it is another one, the unused churn is unknown, because no node reports it. */
export function queueAnew(queue: DepositQueue, reported: readonly PendingDeposit[]): DepositQueue {
  const { first, entries } = queue;
  if (entries.length === reported.length && entries.every((each, at) => isSame(each, reported[at])))
    return queue;
  return {
    first: first + entries.length, // with new places, all entries are stored again
    entries: reported.map(({ pubkey, withdrawalCredentials, amount, slot }) => ({
      ...{ pubkey, withdrawalCredentials, amount, slot },
    })),
    carry: [0, reported.length ? Number.POSITIVE_INFINITY : 0],
  };
}

const indexOf = ({ registry, newcomers }: World, { pubkey }: PendingDeposit): number | undefined =>
  registry.indexOf(pubkey) ?? newcomers.get(pubkey);

type Destination = 'withdrawn' | 'exiting' | 'open';

function destinationOf({ registry, exiting, epoch }: World, index: number | undefined): Destination {
  if (index === undefined || index >= registry.size) return 'open';
  if ((registry.withdrawable[index] as number) < epoch + 1) return 'withdrawn';
  return registry.exit[index] !== FAR || exiting.has(index) ? 'exiting' : 'open';
}

/**
 * The upgrade to Gloas takes deposits for builders out of the queue, and which of them depends on signatures. So the queue
 * is the one that the node reports. The other deposits must be for builders, and explain the builders that it reports.
 */
export function onboardBuildersFromPendingDeposits(
  epoch: number,
  queue: DepositQueue,
  reported: readonly PendingDeposit[],
  builders: readonly BuilderRecord[] | null,
): DepositQueue {
  const left: PendingDeposit[] = [];
  const entries: PendingDeposit[] = [];
  for (const deposit of queue.entries) {
    const { pubkey, withdrawalCredentials } = deposit;
    if (isSame(deposit, reported[entries.length])) entries.push(deposit);
    else if (
      isBuilderWithdrawalCredential(withdrawalCredentials) ||
      left.some((each) => each.pubkey === pubkey)
    )
      left.push(deposit);
    else
      throw new InputError(
        epoch,
        `the upgrade to Gloas has removed a deposit of ${pubkey}, which is not for a builder, from the queue`,
      );
  }
  if (entries.length !== reported.length)
    throw new InputError(
      epoch,
      `the queue has ${reported.length} deposits after the upgrade to Gloas, not ${entries.length}`,
    );
  for (const builder of builders ?? []) explainBuilder(epoch, builder, left);
  // With new places, all entries are stored again.
  return { ...queue, first: queue.first + queue.entries.length, entries };
}

/** If `carry` leaves open whether a deposit fits, the balances in `next` decide and narrow `carry`. */
export function processPendingDeposits(
  world: World,
  queue: DepositQueue,
  finalizedEpoch: number,
  next: Float64Array,
): DepositQueue {
  const { registry, balances, spec } = world;
  const limit = getActivationChurnLimit(world);
  let [least, most] = [queue.carry[0] + limit, queue.carry[1] + limit];
  const postponed: PendingDeposit[] = [];
  const created = new Map<number, PendingDeposit[]>();
  let [at, processed, full] = [0, 0, false];
  for (; at < Math.min(queue.entries.length, spec.maxPendingDepositsPerEpoch); at++) {
    const deposit = queue.entries[at] as PendingDeposit;
    if (deposit.slot > finalizedEpoch * spec.slotsPerEpoch) break;
    const index = indexOf(world, deposit);
    const destination = destinationOf(world, index);
    if (destination === 'exiting') {
      postponed.push(deposit);
      continue;
    }
    if (destination === 'open') {
      const sum = processed + deposit.amount;
      const fits = sum <= least || (sum <= most && hasArrived(world, queue.entries.slice(at), next, created));
      if (!fits) most = Math.min(most, sum - 1);
      if ((full = !fits)) break;
      least = Math.max(least, (processed = sum));
    }
    if (index === undefined) continue; // no validator was created, so the signature was invalid
    if (index < registry.size) increaseBalance(balances, index, deposit.amount);
    else created.set(index, [...(created.get(index) ?? []), deposit]);
  }
  for (const [index, deposits] of created) applyPendingDeposit(world, index, deposits, next[index] as number);
  return {
    first: queue.first + at,
    entries: [...queue.entries.slice(at), ...postponed],
    carry: full ? [least - processed, most - processed] : [0, 0],
  };
}

/**
 * True if the first deposit was processed: its validator's balance has risen by at least half of the deposit, and
 * nothing else raises a balance that much. If the deposit has no validator, the next deposit with one decides, because
 * the queue keeps its order.
 */
function hasArrived(
  world: World,
  deposits: readonly PendingDeposit[],
  next: Float64Array,
  created: ReadonlyMap<number, readonly PendingDeposit[]>,
): boolean {
  for (const deposit of deposits) {
    const index = indexOf(world, deposit);
    if (index === undefined || destinationOf(world, index) === 'exiting') continue;
    const before = (created.get(index) ?? []).reduce(
      (sum, { amount }) => sum + amount,
      world.balances[index] as number,
    );
    return (next[index] as number) - before >= deposit.amount / 2;
  }
  return false;
}

/**
 * Skips the first deposits, whose signatures were invalid: as many as possible while the other amounts sum to at least
 * `balance`, the validator's balance in the next state.
 */
function applyPendingDeposit(
  world: World,
  index: number,
  deposits: readonly PendingDeposit[],
  balance: number,
): void {
  const { spec, records, increments } = world;
  let sum = deposits.reduce((total, { amount }) => total + amount, 0);
  let first = 0;
  while (first < deposits.length - 1 && sum - (deposits[first] as PendingDeposit).amount >= balance)
    sum -= (deposits[first++] as PendingDeposit).amount;
  const credentials = records.get(index)?.withdrawalCredentials ?? '';
  const limit = credentials.startsWith('0x02') ? spec.maxEffectiveBalanceElectra : spec.minActivationBalance;
  const { amount } = deposits[first] as PendingDeposit;
  increments[index] = Math.floor(Math.min(amount, limit) / spec.effectiveBalanceIncrement);
  increaseBalance(world.balances, index, sum);
}
