import { Readable } from 'node:stream';
import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { refuseBeyond, refuseUsedUp } from '../../accounts/allowance.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { Weight } from '../../accounts/compute-units.ts';
import type { Metering } from '../../accounts/meter.ts';
import type { Context } from '../../context.ts';
import { ranIntoTimeout } from '../../db/connection.ts';
import { jsonPieces } from '../../kernel/json-text.ts';
import { Refusal, unavailable } from '../../kernel/refusal.ts';
import { renderError } from '../errors.ts';
import type { EventText, SharedTopic } from './shared-topics.ts';
import type { Topic } from './topic.ts';

export const endReasons = [
  'client',
  'complete',
  'revoked',
  'account_changed',
  'allowance_used',
  'slow_reader',
  'refused',
  'draining',
] as const;
export type EndReason = (typeof endReasons)[number];

export type Subscription = {
  topic: Topic<object>;
  weight: Weight;
  caller: Caller;
  metering: Metering;
  log: Logger;
  /** Statements with the same `line` take turns; by default it is the account. */
  newContext(metering: Metering, line?: string): Context;
  key: string;
  /** Estimated units of the fields of the largest event. */
  fieldUnits: number;
  textOf(event: object, ctx: Context): Promise<EventText>;
};

type Options = {
  join(topic: Topic<object>, account: string, resume: () => void): SharedTopic;
  onEvent(): void;
  onEnd(reason: EndReason): void;
};

export type Stream = {
  body: Readable;
  caller: Caller;
  end(reason: EndReason, error?: Refusal | GraphQLError): void;
  /** If due, sends a heartbeat, ends the stream of a slow reader, or repeats a failed read. */
  tend(now: number): void;
};

const HEARTBEAT = ':\n\n';
const HEARTBEAT_MS = 14_500; // `tend` runs every 0.5 s, so a pause is at most 15 s
/** A stream ends if its reader leaves an event unread for this long. */
const SLOW_MS = 10_000;
/** In bytes. The process holds at most this much unread text, and one event more. */
const MAX_WAITING = 16_384;

const next = (json: string) => `event: next\ndata: ${json}\n\n`;
const COMPLETE = 'event: complete\ndata:\n\n';

const tooSlow = () =>
  new GraphQLError('The stream was closed, because the client read too slowly. Subscribe again.', {
    extensions: { code: 'SLOW_READER' },
  });

export function openStream(of: Subscription, { join, onEvent, onEnd }: Options): Stream {
  const { metering, topic, log } = of;
  let position = topic.subject.start;
  let seen: number | undefined;
  let failed = false;
  let isRepeated = false;
  let hasRoom = false;
  let blockedAt: number | undefined;
  let sentAt = performance.now();
  let resume: (() => void) | undefined;
  let ended = false;

  const wake = () => {
    resume?.();
    resume = undefined;
  };
  const body = new Readable({
    highWaterMark: MAX_WAITING,
    read() {
      hasRoom = true;
      blockedAt = undefined;
      wake();
    },
    destroy(error, done) {
      finish('client');
      done(error);
    },
  });
  const shared = join(topic, of.caller.accountId, wake);

  function push(text: string) {
    sentAt = performance.now();
    hasRoom = body.push(text);
    if (!hasRoom) blockedAt ??= sentAt;
  }

  function finish(reason: EndReason) {
    if (ended) return;
    ended = true;
    metering.reserve(0);
    shared.leave();
    onEnd(reason);
    wake();
  }

  function end(reason: EndReason, error?: Refusal | GraphQLError) {
    if (ended) return;
    if (error) {
      const wrapped =
        error instanceof GraphQLError ? error : new GraphQLError(error.message, { originalError: error });
      push(next(jsonPieces({ errors: [renderError(wrapped, log).toJSON()] }).join('')));
    }
    // A client that gets no COMPLETE subscribes again, as it should after a shutdown or a change of its tier.
    if (error || reason === 'complete') push(COMPLETE);
    body.push(null);
    finish(reason);
  }

  /** Estimated units of an event of `rows`. */
  function estimateOf(rows: number): number {
    const { listSize } = topic.subject;
    const share = listSize === undefined ? 1 : rows / listSize;
    return Math.ceil(of.fieldUnits * share) + rows * of.weight.item;
  }

  /** Reserves the units of an event, or throws. If others have reserved what is left, the stream tries again. */
  function reserve(estimate: number) {
    refuseBeyond(estimate, metering.standing());
    if (estimate > (metering.available() ?? estimate)) throw unavailable();
    metering.reserve(estimate);
  }

  async function step() {
    if (isRepeated) refuseUsedUp(metering.standing());
    const version = shared.version();
    const counting = (line?: string) => of.newContext({ ...metering, charged: 0 }, line);
    const change = await shared.read(position, counting);
    if (ended) return;
    if (change.event) {
      const { event } = change;
      reserve(estimateOf(change.rows));
      const { text, units } = await shared.textOf(event, of.key, () => of.textOf(event, counting()));
      if (ended) return;
      const charged = units + change.rows * of.weight.item;
      metering.reserve(0);
      metering.add(charged);
      const cost = JSON.stringify({ charged, remaining: metering.remaining() });
      push(next(`${text},"extensions":{"cost":${cost}}}`));
      onEvent();
    }
    if (!change.more) seen = version;
    position = change.position;
    if (change.last) end('complete');
  }

  async function run() {
    push(HEARTBEAT); // some browsers wait for a first byte
    while (!ended) {
      if (failed || !hasRoom || seen === shared.version()) {
        await new Promise<void>((done) => (resume = done));
        continue;
      }
      await step().catch((error) => {
        metering.reserve(0);
        if (ranIntoTimeout(error)) metering.add(estimateOf(topic.subject.listSize ?? 1));
        if (error instanceof Refusal && error.code !== 'UNAVAILABLE')
          return end(error.code === 'ALLOWANCE_USED' ? 'allowance_used' : 'refused', error);
        failed = true;
        isRepeated = true;
        log.warn({ err: error }, 'a subscription could not read; it will try again');
      });
    }
  }
  void run();

  return {
    body,
    caller: of.caller,
    end,
    tend(now) {
      if (blockedAt !== undefined && now - blockedAt >= SLOW_MS) return end('slow_reader', tooSlow());
      if (hasRoom && now - sentAt >= HEARTBEAT_MS) push(HEARTBEAT);
      if (failed) {
        failed = false;
        wake();
      }
    },
  };
}
