import { type Refusal, unavailable } from '../kernel/refusal.ts';

const MAX_WAITING = 2_000;
const SWEEP_MS = 250;

type Use = (refusal?: Refusal) => void;
type Waiting = { since: number; use: Use };
type Line = { running: number; waiting: Set<Waiting> };

export type AccountLines = {
  /** Calls `use` when the account may run a statement, or with UNAVAILABLE. Call `leave` after the statement. */
  enter(account: string, use: Use): void;
  leave(account: string): void;
  waiting(): number;
  stop(): void;
};

const busy = (reason: string) => unavailable(undefined, new Error(`the statement was not run: ${reason}`));

/** Lets `most` statements of an account run at once; its others wait in a line of its own, where they delay nobody else. */
export function accountLines(most: number, waitTimeoutMs: number): AccountLines {
  const lines = new Map<string, Line>();

  const timer = setInterval(() => {
    const latest = performance.now() - waitTimeoutMs;
    for (const { waiting } of lines.values())
      for (const one of waiting) {
        if (one.since > latest) break;
        waiting.delete(one);
        one.use(busy(`its account ran ${most} others for ${waitTimeoutMs} ms`));
      }
  }, SWEEP_MS).unref();

  return {
    enter(account, use) {
      let line = lines.get(account);
      if (!line) lines.set(account, (line = { running: 0, waiting: new Set() }));
      if (line.running < most) {
        line.running += 1;
        return use();
      }
      if (line.waiting.size >= MAX_WAITING)
        return use(busy(`${MAX_WAITING} of its account are already waiting`));
      line.waiting.add({ since: performance.now(), use });
    },
    leave(account) {
      const line = lines.get(account) as Line;
      for (const next of line.waiting) {
        line.waiting.delete(next);
        return next.use();
      }
      line.running -= 1;
      if (line.running === 0) lines.delete(account);
    },
    waiting: () => [...lines.values()].reduce((sum, { waiting }) => sum + waiting.size, 0),
    stop: () => clearInterval(timer),
  };
}
