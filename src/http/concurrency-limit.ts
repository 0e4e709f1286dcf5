import type { FastifyInstance, FastifyRequest } from 'fastify';
import { unavailable } from '../kernel/refusal.ts';

const MAX_WAITING = 2_000;
const SWEEP_MS = 250;

type Waiting = { request: FastifyRequest; since: number; enter: (refusal?: Error) => void };

export type ConcurrencyLimit = {
  guard(app: FastifyInstance): void;
  waiting(): number;
};

/**
 * Lets `most` requests run at a time; others wait in order, before any work is done for them, and get 503 after the deadline or
 * when too many wait. V8 copies what each running request holds while it waits for PostgreSQL: with 1,000 connections an answer
 * took 380 µs of CPU without the limit and takes 230 with it, as with 256 connections. The queue of the pool alone is no
 * substitute: in ten runs in turn an answer took a third more CPU and the process 440 instead of 280 MB.
 */
export function concurrencyLimit(most: number, deadlineMs: number): ConcurrencyLimit {
  const working = new WeakSet<FastifyRequest>();
  const queue = new Set<Waiting>(); // in order of arrival
  let free = most;

  function leave(request: FastifyRequest) {
    if (!working.delete(request)) return;
    for (const next of queue) {
      queue.delete(next);
      if (next.request.raw.socket.destroyed)
        next.enter(unavailable()); // the client has disconnected
      // As a microtask: answers that are sent at once would nest.
      else return queueMicrotask(next.enter);
    }
    free += 1;
  }

  function sweep() {
    const latest = performance.now() - deadlineMs;
    for (const next of queue) {
      if (next.since >= latest) return;
      queue.delete(next);
      next.enter(unavailable());
    }
  }

  return {
    waiting: () => queue.size,
    guard(app) {
      const timer = setInterval(sweep, SWEEP_MS).unref(); // a process that cannot listen ends
      app.addHook('onClose', (_app, done) => {
        clearInterval(timer);
        done();
      });
      app.addHook('preHandler', (request, _reply, done) => {
        const enter = (refusal?: Error) => {
          if (!refusal) working.add(request);
          done(refusal);
        };
        if (free > 0) {
          free -= 1;
          enter();
        } else if (queue.size < MAX_WAITING) queue.add({ request, since: performance.now(), enter });
        else done(unavailable());
      });
      // When the answer is made: slow readers must not hold up others.
      app.addHook('onSend', (request, _reply, payload, done) => {
        leave(request);
        done(null, payload);
      });
      app.addHook('onResponse', (request, _reply, done) => {
        leave(request);
        done();
      });
    },
  };
}
