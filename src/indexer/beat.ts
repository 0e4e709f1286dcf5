import { setTimeout as sleep } from 'node:timers/promises';
import type { Teller } from './retry.ts';

type Events = (signal: AbortSignal) => AsyncIterable<unknown>;

const RECONNECT_MS = 30_000;

/**
 * Tells when the node may have something new: with its events stream, at each event, else every `pollMs`, a slot's time.
 */
export function heartbeat(events: Events, pollMs: number, tell: Teller, stop: AbortSignal) {
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const resume of [...waiting]) resume();
  };
  const listen = async () => {
    while (!stop.aborted) {
      try {
        for await (const _event of events(stop)) wake();
      } catch (error) {
        if (!stop.aborted)
          tell.tell('events', `${(error as Error).message} The head is polled instead of awaited.`);
      }
      await pause(RECONNECT_MS, stop);
    }
  };
  void listen();
  return {
    wait: () =>
      new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          waiting.delete(done);
          stop.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, pollMs);
        waiting.add(done);
        stop.addEventListener('abort', done);
        if (stop.aborted) done();
      }),
  };
}
export type Beat = ReturnType<typeof heartbeat>;

const pause = (ms: number, stop: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal: stop }).catch(() => undefined);
