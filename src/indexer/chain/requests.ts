import type { BeaconBlock } from '../types.ts';
import { FAR } from './registry.ts';
import { increase, type World } from './world.ts';

const ETH1_PREFIX = 1;
/** Slot of a deposit without a request (GENESIS_SLOT). */
const OWN_DEPOSIT = 0;

export function takeRequests(world: World, block: BeaconBlock): void {
  for (const deposit of block.deposits) {
    const index = world.registry.indexOf(deposit.pubkey) ?? world.newcomers.get(deposit.pubkey);
    if (index === undefined) continue; // no validator was created, so the signature was invalid
    if (world.rules.electra) world.deposits.push({ ...deposit, slot: OWN_DEPOSIT });
    else depositAtOnce(world, index, deposit.amount);
  }
  for (const index of block.voluntaryExits) noteExit(world, index);
  for (const { pubkey, withdrawalCredentials, amount } of block.depositRequests)
    world.deposits.push({ pubkey, withdrawalCredentials, amount, slot: block.slot });
  for (const { validatorPubkey } of block.withdrawalRequests)
    noteExit(world, world.registry.indexOf(validatorPubkey));
  for (const request of block.consolidationRequests) {
    const source = world.registry.indexOf(request.sourcePubkey);
    if (request.sourcePubkey !== request.targetPubkey) noteExit(world, source);
    else if (source !== undefined) switchToCompounding(world, source, request);
  }
}

function depositAtOnce({ spec, registry, balances, increments }: World, index: number, amount: number): void {
  if (index >= registry.size && balances[index] === 0)
    increments[index] = Math.floor(
      Math.min(amount, spec.maxEffectiveBalance) / spec.effectiveBalanceIncrement,
    );
  increase(balances, index, amount);
}

/** Only the exit epoch in the validator's record shows whether a request succeeded. */
function noteExit({ registry, records, exiting }: World, index: number | undefined): void {
  if (index === undefined || registry.exit[index] !== FAR) return;
  if (Number.isFinite(records.get(index)?.exitEpoch)) exiting.add(index);
}

/** Follows `switch_to_compounding_validator` and `queue_excess_active_balance`. */
function switchToCompounding(world: World, index: number, request: { sourceAddress: string }): void {
  const { registry, spec, balances, epoch } = world;
  const { pubkey, withdrawalCredentials } = registry.record(index);
  const valid =
    registry.prefix(index) === ETH1_PREFIX &&
    !world.compounding[index] &&
    withdrawalCredentials.slice(-40) === request.sourceAddress.slice(2).toLowerCase() &&
    registry.isActive(index, epoch) &&
    registry.exit[index] === FAR &&
    !world.exiting.has(index);
  if (!valid) return;
  world.compounding[index] = 1;
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
