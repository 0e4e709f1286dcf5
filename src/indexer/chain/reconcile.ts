import { InputError, ReconcileError } from './errors.ts';
import type { ValidatorRecord } from './types.ts';
import { COMPOUNDING_PREFIX, type World } from './world.ts';

export function reconcileBalances(epoch: number, expected: Float64Array, reported: Float64Array): void {
  for (let index = 0; index < reported.length; index++)
    if (expected[index] !== reported[index])
      throw new ReconcileError(epoch, index, (reported[index] as number) - (expected[index] as number));
}

export function reconcileRecords(epoch: number, world: World, records: Iterable<ValidatorRecord>): void {
  const increment = world.spec.effectiveBalanceIncrement;
  for (const record of records) {
    const { index } = record;
    const effective = (world.increments[index] as number) * increment;
    if (record.effectiveBalance !== effective)
      throw new ReconcileError(epoch, index, record.effectiveBalance - effective, 'effective balance');
    const wrong =
      record.slashed !== (world.slashed[index] === 1)
        ? 'slashed'
        : record.withdrawalCredentials.startsWith('0x02') !== (world.prefixes[index] === COMPOUNDING_PREFIX)
          ? 'withdrawal_credentials'
          : undefined;
    if (wrong) throw new InputError(epoch, `${wrong} of validator ${index} is not what the blocks explain`);
  }
}
