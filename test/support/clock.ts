import { onTestFinished, vi } from 'vitest';

/** For the rest of the running test it is 2300: rows of what has not begun are refused. */
export function inTheFarFuture(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2300-01-01') });
  onTestFinished(() => void vi.useRealTimers());
}
