import type { FastifyRequest } from 'fastify';
import { fairTurns, type Turn } from '../../kernel/fair-turns.ts';
import { unavailable } from '../../kernel/refusal.ts';

export type ConcurrencyLimit = {
  enter(request: FastifyRequest, reply: unknown, done: (refusal?: Error) => void): void;
  /** Call when the response is ready, so that slow readers do not delay other requests, and again after sending. */
  leave(request: FastifyRequest): void;
  waiting(): number;
  stop(): void;
};

/** How many accounts can run the most requests at once, apart from the places that are kept. */
const FULL_ACCOUNTS = 4;

/**
 * Lets `most` requests of an account run at once. With 1,000 connections a response then takes 230 µs of CPU, as with 256;
 * without the limit it takes 380 µs, because V8 copies the objects of waiting requests.
 */
export function concurrencyLimit(most: number, waitTimeoutMs: number): ConcurrencyLimit {
  const turns = fairTurns({ places: FULL_ACCOUNTS * most, most, waitTimeoutMs });
  const working = new WeakMap<FastifyRequest, Turn>();
  return {
    enter(request, _reply, done) {
      let hasWaited = false;
      turns.enter(request.caller?.accountId ?? '', (refusal, turn) => {
        if (!turn) return done(refusal);
        if (!hasWaited) {
          working.set(request, turn);
          return done();
        }
        if (request.raw.socket.destroyed) {
          turns.leave(turn);
          return done(unavailable());
        }
        working.set(request, turn);
        queueMicrotask(done); // not within the response that made room
      });
      hasWaited = true;
    },
    leave(request) {
      const turn = working.get(request);
      if (!turn) return;
      working.delete(request);
      turns.leave(turn);
    },
    waiting() {
      const { own, scarce } = turns.waiting();
      return own + scarce;
    },
    stop: turns.stop,
  };
}
