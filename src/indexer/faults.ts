import { SettingsError } from '../config/index.ts';
import { isTransient } from '../db/connection.ts';
import { DroppedTimeError } from '../ingest/merge/dropped-time.ts';
import { InputError, ReconcileError } from './chain/errors.ts';
import { SavedStateError } from './chain/saved-state-error.ts';
import { SpecError } from './chain/spec.ts';
import { LockedError } from './lock.ts';
import { NodeError } from './node/errors.ts';
import { RangeFault } from './range.ts';

/** True if a retry cannot help. */
export const isFinal = (error: unknown): boolean =>
  [DroppedTimeError, RangeFault, SpecError, SavedStateError, SettingsError].some(
    (kind) => error instanceof kind,
  );

export const endsCommand = (error: unknown): boolean => isFinal(error) || error instanceof LockedError;

export function reasonOf(error: unknown): string {
  if (error instanceof NodeError) return error.reason;
  if (error instanceof ReconcileError) return 'unexplained';
  if (error instanceof InputError) return 'nonsense';
  if (error instanceof LockedError) return 'locked';
  if (isFinal(error)) return 'refused';
  const { code = '' } = error as { code?: string };
  return isTransient(error) || /^([0-9A-Z]{5}|E[A-Z]+)$/.test(code) ? 'database' : 'internal';
}
