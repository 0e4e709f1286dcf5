import { setTimeout } from 'node:timers/promises';

const DEADLINE_MS = 5_000;

/** Keeps a hanging connection from blocking background work. */
export async function withDeadline<T>(work: Promise<T>): Promise<T> {
  const done = await Promise.race([
    work.then((value) => ({ value })),
    setTimeout(DEADLINE_MS, 'late' as const, { ref: false }),
  ]);
  if (done === 'late') throw new Error(`no answer within ${DEADLINE_MS} ms`);
  return done.value;
}
