import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '../../kernel/json.ts';
import { AnswerError, type NodeReason } from '../answers/error.ts';
import { parsed, shown } from '../answers/json.ts';
import { NodeError } from './errors.ts';
import { type Http, type Limits, openHttp, type Sink } from './http.ts';
import { openLimiter } from './limiter.ts';
import { type ElementReader, ElementScanner } from './scan/elements.ts';

export type ClientOptions = {
  rate: number;
  timeoutMs: number;
  attempts: number;
  /** Instead of `attempts`, after an answer that was too slow: another attempt would take as long. */
  slowAttempts: number;
  firstBackoffMs: number;
  onError: (error: NodeError) => void;
};

type Answer = Record<string, unknown>;
/** Sent as a POST if there is a `body`. `urgent` requests overtake waiting requests. */
type NodeRequest = { path: string; body?: unknown; signal: AbortSignal; urgent?: boolean };

const MAX_WAIT_MS = 30_000;
const TINY_BYTES = 2 ** 20;
const SMALL_BYTES = 64 * 2 ** 20;
const LARGE_BYTES = 2 ** 36;
/** Short answers. Parsed, an answer of nothing but empty objects would take up to forty times its bytes. */
const TINY = /^\/eth\/v1\/(node|config|beacon\/(genesis|headers|blocks))|\/finality_checkpoints$/;

const sizes = { tiny: 1, small: 1, large: 4, registry: 40 } as const;
const mostBytes = { tiny: TINY_BYTES, small: SMALL_BYTES, large: LARGE_BYTES, registry: LARGE_BYTES };

function answerOf(text: string): Answer {
  try {
    const value = parsed(text);
    if (isObject(value)) return value;
  } catch {
    if (/^\s*\{/.test(text) && !text.trimEnd().endsWith('}'))
      throw new AnswerError(`the answer ends in the middle, after ${text.length} bytes`, 'cut');
  }
  throw new AnswerError(`JSON is expected, but the answer is ${shown(text.slice(0, 100))}`);
}

const checkOptimistic = ({ execution_optimistic: optimistic }: Answer): void => {
  if (optimistic === true)
    throw new AnswerError(
      'the execution client of this node has not verified the block yet (execution_optimistic); wait until it has, or check that it runs',
      'optimistic',
    );
};

const sentence = ({ message }: AnswerError) => message.replace(/[^.?]$/, '$&.');

export class NodeClient {
  readonly name: string;
  readonly #http: Http;
  readonly #options: ClientOptions;
  readonly #limited: ReturnType<typeof openLimiter>;
  readonly #reported = new WeakSet<NodeError>();

  constructor(url: URL, name: string, options: ClientOptions) {
    this.#http = openHttp(url, name);
    this.#options = options;
    this.name = name;
    this.#limited = openLimiter(options.rate);
  }

  /** Returns undefined for 404, or if the node does not take a POST. `read` may throw `AnswerError`. */
  json<T>(request: NodeRequest, read: (answer: Answer) => T): Promise<T | undefined> {
    const { path, signal } = request;
    return this.#repeated(path, signal, async () => {
      const chunks: Buffer[] = [];
      const size = TINY.test(path) ? 'tiny' : 'small';
      const found = await this.#get(request, (chunk) => chunks.push(chunk), size);
      if (!found) return undefined;
      const answer = answerOf(Buffer.concat(chunks).toString('utf8'));
      checkOptimistic(answer);
      return read(answer);
    });
  }

  /** For answers of which little is read. Returns undefined for 404. `read` may throw `AnswerError`. */
  bytes<T>(request: NodeRequest, read: (answer: Buffer) => T): Promise<T | undefined> {
    return this.#repeated(request.path, request.signal, async () => {
      const chunks: Buffer[] = [];
      const found = await this.#get(request, (chunk) => chunks.push(chunk), 'small');
      return found ? read(Buffer.concat(chunks)) : undefined;
    });
  }

  /** Never holds the whole response in memory. Returns undefined for 404. */
  scan<R extends ElementReader & { result(): unknown }>(
    request: NodeRequest,
    open: () => R,
    size: keyof typeof sizes = 'large',
  ): Promise<ReturnType<R['result']> | undefined> {
    return this.#repeated(request.path, request.signal, async () => {
      const reader = open();
      const scanner = new ElementScanner(reader);
      if (!(await this.#get(request, (chunk) => scanner.push(chunk), size))) return undefined;
      checkOptimistic(scanner.end());
      return reader.result() as ReturnType<R['result']>;
    });
  }

  events(path: string, signal: AbortSignal) {
    return this.#http.stream(path, this.#options.timeoutMs, signal);
  }

  error(reason: NodeReason, message: string): NodeError {
    return this.#http.error(reason, message);
  }

  report(error: NodeError): void {
    if (this.#reported.has(error)) return;
    this.#reported.add(error);
    this.#options.onError(error);
  }

  close(): void {
    this.#http.close();
  }

  #get(
    { path, body, signal, urgent = false }: NodeRequest,
    sink: Sink,
    size: keyof typeof sizes,
  ): Promise<boolean> {
    const { timeoutMs } = this.#options;
    const limits: Limits = {
      idleMs: timeoutMs,
      totalMs: timeoutMs * sizes[size],
      maxBytes: mostBytes[size],
    };
    const request = { path, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return this.#limited(signal, urgent, () => this.#http.get(request, sink, limits, signal));
  }

  async #repeated<T>(path: string, signal: AbortSignal, once: () => Promise<T>): Promise<T> {
    const { firstBackoffMs } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once();
      } catch (thrown) {
        signal.throwIfAborted();
        const error =
          thrown instanceof AnswerError ? this.error(thrown.reason, `${path}: ${sentence(thrown)}`) : thrown;
        if (!(error instanceof NodeError)) throw error;
        this.report(error);
        const attempts = this.#options[error.reason === 'slow' ? 'slowAttempts' : 'attempts'];
        if (!error.transient || attempt >= attempts) throw error;
        const backoff = firstBackoffMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
        await sleep(Math.min(MAX_WAIT_MS, error.waitMs ?? backoff), undefined, { signal });
      }
    }
  }
}
