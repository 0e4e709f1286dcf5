import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../accounts/caller.ts';
import type { TokenDirectory } from '../../accounts/token-directory.ts';
import type { Revisions } from '../../db/changes/revisions.ts';
import { Refusal, unavailable } from '../../kernel/refusal.ts';
import { sharedTopics } from './shared-topics.ts';
import { type EndReason, endReasons, openStream, type Stream, type Subscription } from './stream.ts';

const MAX_OF_TOKEN = 20;
/** When two thirds of all places are taken, an account opens at most these, so that a few accounts do not take the rest. */
const MAX_IN_LAST_THIRD = 2;
const TEND_MS = 500;
/** A shutdown waits at most this long for readers to receive the last event. */
const DRAIN_MS = 2_000;

export type StreamCounts = {
  open: number;
  events: number;
  refused: number;
  ended: Readonly<Record<EndReason, number>>;
};

export type Streams = {
  /**
   * Throws RATE_LIMITED if the token has too many streams, and UNAVAILABLE if the process has too many, or so many that
   * the places left are for accounts with fewer.
   */
  open(subscription: Subscription): Stream['body'];
  /** A response in parts counts as a stream until the returned function is called. Throws like `open`. */
  hold(caller: Caller): () => void;
  /** Completes all streams, so that clients subscribe elsewhere, and refuses new ones. */
  drain(): Promise<void>;
  counts(): StreamCounts;
};

function add(counts: Map<string, number>, key: string, change: number) {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

export function openStreams(options: {
  revisions: Revisions;
  tokens: TokenDirectory;
  now: () => Date;
  most: number;
}): Streams {
  const { tokens, now, most } = options;
  const join = sharedTopics(options.revisions);
  const open = new Set<Stream>();
  const unsent = new Set<Stream['body']>();
  const ofToken = new Map<string, number>();
  const ofAccount = new Map<string, number>();
  const ended = Object.fromEntries(endReasons.map((reason) => [reason, 0])) as Record<EndReason, number>;
  const counts = { events: 0, refused: 0 };
  let draining = false;
  let held = 0;

  function tend() {
    const at = performance.now();
    for (const stream of open) {
      const caller = tokens.byId(stream.caller.tokenId, now());
      if (!caller)
        stream.end('revoked', new Refusal('UNAUTHENTICATED', 'The token was revoked or has expired.'));
      else if (caller !== stream.caller && !isDeepStrictEqual(caller, stream.caller))
        stream.end('account_changed'); // the client then subscribes again and gets its new limits
      else {
        stream.caller = caller;
        stream.tend(at);
      }
    }
  }
  const timer = setInterval(tend, TEND_MS).unref();

  function hold({ tokenId, accountId }: Caller): () => void {
    const own = ofToken.get(tokenId) ?? 0;
    const isLastThird = held >= most - Math.floor(most / 3);
    const isFull = held >= most || (isLastThird && (ofAccount.get(accountId) ?? 0) >= MAX_IN_LAST_THIRD);
    if (!isFull && own < MAX_OF_TOKEN) {
      held += 1;
      add(ofToken, tokenId, 1);
      add(ofAccount, accountId, 1);
      return () => {
        held -= 1;
        add(ofToken, tokenId, -1);
        add(ofAccount, accountId, -1);
      };
    }
    counts.refused += 1;
    if (isFull) throw unavailable();
    const msg = `The token has ${own} streams open, which is the most; close one.`;
    throw new Refusal('RATE_LIMITED', msg, { headers: { 'retry-after': '5' } });
  }

  return {
    hold,
    open(subscription) {
      if (draining) {
        counts.refused += 1;
        throw unavailable();
      }
      const release = hold(subscription.caller);
      subscription.metering.charge(subscription.weight.base);
      const stream: Stream = openStream(subscription, {
        join,
        onEvent: () => (counts.events += 1),
        onEnd(reason) {
          open.delete(stream);
          ended[reason] += 1;
          release();
          subscription.log.debug({ reason }, 'stream ended');
        },
      });
      open.add(stream);
      unsent.add(stream.body.once('close', () => unsent.delete(stream.body)));
      return stream.body;
    },
    async drain() {
      draining = true;
      clearInterval(timer);
      for (const stream of open) stream.end('draining');
      const until = performance.now() + DRAIN_MS;
      while (unsent.size > 0 && performance.now() < until) await new Promise((done) => setTimeout(done, 20));
      for (const body of unsent) body.destroy();
    },
    counts: () => ({ open: open.size, ...counts, ended }),
  };
}
