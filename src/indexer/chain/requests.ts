import type { BeaconBlock } from '../types.ts';
import { FAR } from './registry.ts';
import { COMPOUNDING_PREFIX, ETH1_PREFIX, increase, type World } from './world.ts';

/** Slot of a deposit without a request (GENESIS_SLOT). */
const OWN_DEPOSIT = 0;

export function takeRequests(world: World, block: BeaconBlock): void {
  for (const { validatorIndex } of block.credentialChanges) world.prefixes[validatorIndex] = ETH1_PREFIX;
  for (const deposit of block.deposits) {
    const index = world.registry.indexOf(deposit.pubkey) ?? world.newcomers.get(deposit.pubkey);
    if (index === undefined) continue; // no validator was created, so the signature was invalid
    if (world.rules.electra) world.deposits.push({ ...deposit, slot: OWN_DEPOSIT });
    else depositAtOnce(world, index, deposit.amount);
  }
  for (const index of block.voluntaryExits) noteExit(world, index);
  for (const { pubkey, withdrawalCredentials, amount } of block.depositRequests)
    world.deposits.push({ pubkey, withdrawalCredentials, amount, slot: block.slot });
  for (const { validatorPubkey, sourceAddress, amount } of block.withdrawalRequests) {
    const index = world.registry.indexOf(validatorPubkey);
    if (amount === 0 && isOwner(world, index, sourceAddress)) noteExit(world, index);
  }
  for (const { sourcePubkey, targetPubkey, sourceAddress } of block.consolidationRequests) {
    const source = world.registry.indexOf(sourcePubkey);
    if (!isOwner(world, source, sourceAddress)) continue;
    if (sourcePubkey === targetPubkey) switchToCompounding(world, source);
    else noteExit(world, source);
  }
}

function depositAtOnce({ spec, registry, balances, increments }: World, index: number, amount: number): void {
  if (index >= registry.size && balances[index] === 0)
    increments[index] = Math.floor(
      Math.min(amount, spec.maxEffectiveBalance) / spec.effectiveBalanceIncrement,
    );
  increase(balances, index, amount);
}

/** The record after the epoch, if there is one: its credentials may have become those of an address in this epoch. */
const recordOf = ({ records, registry }: World, index: number) =>
  records.get(index) ?? registry.record(index);

/** Whether a request comes from the address of the validator's credentials. */
function isOwner(world: World, index: number | undefined, address: string): index is number {
  if (index === undefined || (world.prefixes[index] as number) < ETH1_PREFIX) return false;
  return recordOf(world, index).withdrawalCredentials.slice(-40) === address.slice(2).toLowerCase();
}

/** Only the exit epoch in the validator's record shows whether a request succeeded. */
function noteExit({ exits, records, exiting }: World, index: number | undefined): void {
  if (index === undefined || exits[index] !== FAR) return;
  if (Number.isFinite(records.get(index)?.exitEpoch)) exiting.add(index);
}

/** Follows `switch_to_compounding_validator` and `queue_excess_active_balance`. */
function switchToCompounding(world: World, index: number): void {
  const { registry, spec, balances, epoch } = world;
  const valid =
    world.prefixes[index] === ETH1_PREFIX &&
    registry.isActive(index, epoch) &&
    world.exits[index] === FAR &&
    !world.exiting.has(index);
  if (!valid) return;
  const { pubkey, withdrawalCredentials } = recordOf(world, index);
  world.prefixes[index] = COMPOUNDING_PREFIX;
  const excess = (balances[index] as number) - spec.minActivationBalance;
  if (excess <= 0) return;
  balances[index] = spec.minActivationBalance;
  world.deposits.push({
    pubkey,
    withdrawalCredentials: `0x02${withdrawalCredentials.slice(4)}`,
    amount: excess,
    slot: OWN_DEPOSIT,
  });
}
