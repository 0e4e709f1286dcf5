import { Readable } from 'node:stream';
import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import type { Context } from '../../context.ts';
import { jsonPieces } from '../../kernel/json-text.ts';
import { renderErrors, withoutHttp } from '../errors.ts';
import type { PartsType } from './accept.ts';
import { settled } from './metering.ts';

type IncrementalPart = {
  data?: unknown;
  errors?: readonly GraphQLError[];
  incremental?: readonly IncrementalPart[];
  hasNext?: boolean;
};

export type Parts = { results: AsyncIterable<IncrementalPart>; stop: AbortController; release: () => void };

export const isParts = (made: Parts | ExecutionResult): made is Parts => 'results' in made;

/** Returns a single result if nothing is deferred. Calls `release` unless it returns parts. */
export async function runParts(
  execute: (args: ExecutionArgs) => unknown,
  args: ExecutionArgs,
  release: () => void,
): Promise<Parts | ExecutionResult> {
  const stop = new AbortController();
  let isReleased = true;
  try {
    const given: ExecutionArgs & { signal: AbortSignal } = { ...args, signal: stop.signal };
    const results = (await execute(given)) as ExecutionResult | AsyncIterable<IncrementalPart>;
    if (!(Symbol.asyncIterator in results)) return results;
    isReleased = false;
    return { results, stop, release };
  } finally {
    if (isReleased) release();
  }
}

/** A response ends if its reader leaves a part unread for this long. */
const SLOW_MS = 10_000;
const MAX_WAITING = 16_384;
/** Statements that run when a client disconnects end within this time; their cost is added then. */
const ENDED_MS = 15_000;

const formats = {
  'multipart/mixed': {
    contentType: 'multipart/mixed; boundary="-"',
    start: '\r\n---',
    part: (json: string) =>
      `\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}\r\n---`,
    end: '--\r\n',
  },
  'text/event-stream': {
    contentType: 'text/event-stream; charset=utf-8',
    start: ':\n\n',
    part: (json: string) => `event: next\ndata: ${json}\n\n`,
    end: 'event: complete\ndata:\n\n',
  },
};

export const partsHeaders = (type: PartsType) => ({
  'content-type': formats[type].contentType,
  'x-accel-buffering': 'no', // nginx would hold parts back
});

export function partsBody({ results, stop, release }: Parts, type: PartsType, context: Context): Readable {
  const { start, part, end } = formats[type];
  const { metering, log } = context;
  const errors: GraphQLError[] = [];
  let charged: number | undefined;

  function shown({ errors: failures, incremental, ...rest }: IncrementalPart): object {
    const own = failures && renderErrors(failures, log);
    errors.push(...(own ?? []));
    return {
      ...(own && { errors: own.map(withoutHttp) }),
      ...rest,
      ...(incremental && { incremental: incremental.map(shown) }),
    };
  }

  function settle() {
    const extensions = settled(context, errors, true);
    charged = metering.charged;
    metering.charge(charged);
    return extensions;
  }

  async function* texts() {
    yield start;
    for await (const result of results) {
      const made = shown(result);
      const text = jsonPieces(result.hasNext ? made : { ...made, extensions: settle() }).join('');
      const slow = setTimeout(() => body.destroy(), SLOW_MS);
      try {
        yield part(text);
      } finally {
        clearTimeout(slow);
      }
    }
    yield end;
  }

  function fail(error: unknown) {
    if (body.destroyed) return;
    const wrapped = new GraphQLError('', { originalError: error as Error });
    const last = shown({ errors: [wrapped], hasNext: false });
    body.push(part(jsonPieces({ ...last, extensions: settle() }).join('')) + end);
    body.push(null);
  }

  const iterator = texts();
  // `Readable.from` would close only when the executor's next part is ready.
  const body = new Readable({
    highWaterMark: MAX_WAITING,
    read() {
      iterator.next().then(({ done, value }) => body.push(done ? null : value), fail);
    },
    destroy(error, done) {
      release();
      if (charged === undefined) {
        stop.abort();
        settle();
        metering.addLater(() => metering.charged - (charged ?? 0), ENDED_MS);
      }
      done(error);
    },
  });
  return body;
}
