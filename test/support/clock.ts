import { onTestFinished, vi } from 'vitest';

/** For the rest of the running test it is the last day of the calendar: rows of what has not begun are refused. */
export function inTheFarFuture(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('9999-12-31') });
  onTestFinished(() => void vi.useRealTimers());
}
