import { FAR } from './registry.ts';
import type { BeaconBlock } from './types.ts';
import { COMPOUNDING_PREFIX, ETH1_PREFIX, increaseBalance, type World } from './world.ts';

/** Slot of a deposit without a request (GENESIS_SLOT). */
const OWN_DEPOSIT = 0;

export function processOperations(world: World, block: BeaconBlock): void {
  for (const { validatorIndex } of block.credentialChanges) world.prefixes[validatorIndex] = ETH1_PREFIX;
  for (const deposit of block.deposits) {
    const index = world.registry.indexOf(deposit.pubkey) ?? world.newcomers.get(deposit.pubkey);
    if (index === undefined) continue; // no validator was created, so the signature was invalid
    if (world.rules.electra) world.deposits.push({ ...deposit, slot: OWN_DEPOSIT });
    else applyDeposit(world, index, deposit.amount);
  }
  for (const index of block.voluntaryExits) initiateValidatorExit(world, index);
}

/** Requests of the execution layer. Since Gloas, those of the parent's payload, which must be full. */
export function processExecutionRequests(world: World, block: BeaconBlock): void {
  for (const request of block.depositRequests) processDepositRequest(world, request, block.slot);
  for (const request of block.withdrawalRequests) processWithdrawalRequest(world, request);
  for (const request of block.consolidationRequests) processConsolidationRequest(world, request);
}

type Requests<Of extends keyof BeaconBlock> = BeaconBlock[Of] extends readonly (infer Each)[] ? Each : never;

function processDepositRequest(
  { deposits }: World,
  { pubkey, withdrawalCredentials, amount }: Requests<'depositRequests'>,
  slot: number,
): void {
  deposits.push({ pubkey, withdrawalCredentials, amount, slot });
}

/** Ignores partial withdrawals, which the payload shows. */
function processWithdrawalRequest(
  world: World,
  { validatorPubkey, sourceAddress, exits }: Requests<'withdrawalRequests'>,
): void {
  const index = world.registry.indexOf(validatorPubkey);
  if (exits && isOwner(world, index, sourceAddress)) initiateValidatorExit(world, index);
}

function processConsolidationRequest(
  world: World,
  { sourcePubkey, targetPubkey, sourceAddress }: Requests<'consolidationRequests'>,
): void {
  const source = world.registry.indexOf(sourcePubkey);
  if (!isOwner(world, source, sourceAddress)) return;
  if (sourcePubkey === targetPubkey) switchToCompoundingValidator(world, source);
  else initiateValidatorExit(world, source);
}

function applyDeposit({ spec, registry, balances, increments }: World, index: number, amount: number): void {
  if (index >= registry.size && balances[index] === 0)
    increments[index] = Math.floor(
      Math.min(amount, spec.maxEffectiveBalance) / spec.effectiveBalanceIncrement,
    );
  increaseBalance(balances, index, amount);
}

/** The record after the epoch, if there is one, because its credentials may have changed to an address in this epoch. */
const recordOf = ({ records, registry }: World, index: number) =>
  records.get(index) ?? registry.record(index);

/** Whether a request comes from the address of the validator's credentials. */
function isOwner(world: World, index: number | undefined, address: string): index is number {
  if (index === undefined || (world.prefixes[index] as number) < ETH1_PREFIX) return false;
  return recordOf(world, index).withdrawalCredentials.slice(-40) === address.slice(2).toLowerCase();
}

/** Only the exit epoch in the validator's record shows whether a request succeeded. */
function initiateValidatorExit({ exits, records, exiting }: World, index: number | undefined): void {
  if (index === undefined || exits[index] !== FAR) return;
  if (Number.isFinite(records.get(index)?.exitEpoch)) exiting.add(index);
}

/** Also queues the excess, as `queue_excess_active_balance` does. */
function switchToCompoundingValidator(world: World, index: number): void {
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
