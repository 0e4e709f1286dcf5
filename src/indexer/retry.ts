import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../diagnostics/error-text.ts';
import { reasonOf } from './faults.ts';
import { NodeError } from './node/errors.ts';
import type { IndexStatus } from './status.ts';

export type Say = (
  level: 'info' | 'warn' | 'error',
  message: string,
  detail?: Record<string, unknown>,
) => void;

const FIRST_MS = 500;
const MAX_MS = 60_000;
const ATTEMPTS_ONCE = 8;
const AGAIN_MS = 600_000;

/** Logs each kind of problem at most every ten minutes. */
export function problemTeller(say: Say, now: () => number = () => performance.now()) {
  const reportedAt = new Map<string, number>();
  return {
    tell(kind: string, message: string, detail?: Record<string, unknown>): void {
      if (now() - (reportedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return;
      reportedAt.set(kind, now());
      say('warn', message, { kind, ...detail });
    },
    over(): void {
      reportedAt.clear();
    },
  };
}
export type Teller = ReturnType<typeof problemTeller>;

export function retrying(
  options: { status: IndexStatus; tell: Teller; say: Say; once: boolean; stop: AbortSignal },
  attempts = ATTEMPTS_ONCE,
) {
  let failures = 0;
  return {
    async failed(error: Error): Promise<void> {
      failures += 1;
      const reason = reasonOf(error);
      options.status.problem = reason;
      // `openedNodes` uses the same kind, so errors are logged once.
      const kind = error instanceof NodeError ? `${reason} ${error.node}` : reason;
      options.tell.tell(kind, reason === 'internal' ? `${error.stack}` : errorText(error));
      if (options.once && failures >= attempts) throw error;
      const wait = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
      await sleep(wait, undefined, { signal: options.stop }).catch(() => undefined);
    },
    succeeded(): void {
      if (failures === 0) return;
      failures = 0;
      options.status.problem = undefined;
      options.tell.over();
      options.say('info', 'The index continues.');
    },
  };
}
export type Retrying = ReturnType<typeof retrying>;
