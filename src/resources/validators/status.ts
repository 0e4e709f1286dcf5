import { type Sql, sql } from '../../db/rows.ts';
import { LAST_NUMBER } from '../../kernel/page.ts';

export const validatorStatuses = ['pending', 'active', 'exiting', 'exited'] as const;
export type ValidatorStatus = (typeof validatorStatuses)[number];

type Epochs = { activationEpoch: number | null; exitEpoch: number | null };

/** Without a stored newest epoch, all known epochs count as past. */
export const newestOr = (epoch: number | undefined): number => epoch ?? LAST_NUMBER - 1;

export function statusOf({ activationEpoch, exitEpoch }: Epochs, newest: number): ValidatorStatus {
  if (exitEpoch !== null && exitEpoch <= newest) return 'exited';
  if (activationEpoch === null || activationEpoch > newest) return 'pending';
  return exitEpoch === null ? 'active' : 'exiting';
}

/** Must match the expressions of the indexes. LAST_NUMBER stands for an unknown epoch. */
export const activation = sql`coalesce(v.activation_epoch, 2147483647)`;
export const exit = sql`coalesce(v.exit_epoch, 2147483647)`;

export const hasStatus = (status: ValidatorStatus, newest: number): Sql =>
  ({
    pending: sql`${activation} > ${newest}::int and ${exit} > ${newest}::int`,
    active: sql`v.activation_epoch is not null and v.exit_epoch is null and ${activation} <= ${newest}::int`,
    exiting: sql`${exit} > ${newest}::int and ${exit} < 2147483647 and ${activation} <= ${newest}::int`,
    exited: sql`${exit} <= ${newest}::int`,
  })[status];

type StatusCondition = { condition: Sql; few?: boolean };

/**
 * Like `hasStatus`, but split into parts that an index returns in order. Parts with `few` are sorted instead, because
 * the protocol keeps them short.
 */
export function partsWithStatus(status: ValidatorStatus, field: string, newest: number): StatusCondition[] {
  if (status === 'exiting' && field !== 'exitEpoch') {
    const queue = sql`v.exit_epoch > ${newest}::int and v.exit_epoch < 2147483647`;
    return [{ condition: sql`${queue} and v.activation_epoch <= ${newest}::int`, few: true }];
  }
  if (field === 'index' && status === 'pending') {
    const known = sql`${activation} > ${newest}::int and ${activation} < 2147483647`;
    return [
      { condition: sql`v.activation_epoch is null and ${exit} > ${newest}::int` },
      { condition: sql`${known} and ${exit} > ${newest}::int`, few: true },
    ];
  }
  if (field === 'index' && status === 'exited')
    return [{ condition: sql`v.exit_epoch is not null and v.exit_epoch <= ${newest}::int` }];
  return [{ condition: hasStatus(status, newest) }];
}
