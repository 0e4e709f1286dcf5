import { onTestFinished, vi } from 'vitest';

/** For the rest of the running test it is the last day of the calendar: rows of what has not begun are refused. */
export function inTheFarFuture(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('9999-12-31') });
  onTestFinished(() => void vi.useRealTimers());
}

/** NODE_OPTIONS of a process whose clock jumps by so many minutes each time it is read. */
export function clockSetBy(minutes: number): string {
  const module = `const Clock = Date; let off = 0;
    globalThis.Date = class Date extends Clock {
      static now() { return Clock.now() + (off += ${minutes} * 60_000); }
      constructor(...given) { super(...(given.length > 0 ? given : [Date.now()])); }
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(module)}`;
}
