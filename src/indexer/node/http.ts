import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { linkedAborter } from '../../kernel/abort.ts';
import { retryAfterMs } from '../../kernel/retry-after.ts';
import { requesting, type Span } from '../../kernel/tracing.ts';
import { version } from '../../kernel/version.ts';
import { AnswerError, type NodeReason } from '../answers/error.ts';
import { shown } from '../answers/json.ts';
import { NodeError } from './errors.ts';
import { checkEncoding, keyRemover, refusalText, refusesPost } from './refusals.ts';

export type Limits = {
  /** Maximum time without a byte. */
  idleMs: number;
  totalMs: number;
  maxBytes: number;
};

/** Receives the body of a 200 response in chunks; may throw `AnswerError`. */
export type Sink = (chunk: Buffer) => void;

export type Http = {
  /** Sends a POST if there is a `body`. Returns false for 404, and for a POST that the node does not take. */
  get(
    request: { path: string; body?: string },
    sink: Sink,
    limits: Limits,
    signal: AbortSignal,
  ): Promise<boolean>;
  /** Returns undefined if the node has no event stream. The headers must come within `headersMs`. */
  stream(path: string, headersMs: number, signal: AbortSignal): Promise<IncomingMessage | undefined>;
  error(reason: NodeReason, message: string, waitMs?: number): NodeError;
  close(): void;
};

type Get = { path: string; body?: string; sink: Sink; limits: Limits; signal: AbortSignal };

/** A body that comes more slowly than this for SLOW_MS is given up, because its end would take minutes. */
const LEAST_BYTES_PER_S = 1_000;
const SLOW_MS = 5_000;
const MAX_SOCKETS = 8;

const failures: Record<string, string> = {
  ECONNREFUSED: 'refuses the connection; is it running, and is the port right?',
  ENOTFOUND: 'has a host name that is not known',
  ECONNRESET: 'closed the connection',
  EPIPE: 'closed the connection',
};

export function openHttp(base: URL, name: string): Http {
  const login = base.username || base.password;
  const credentials = `${decodeURIComponent(base.username)}:${decodeURIComponent(base.password)}`;
  const withoutKeys = keyRemover(base);
  const root = base.origin + base.pathname.replace(/\/+$/, '');
  const target = (path: string) =>
    root + path + (base.search && (path.includes('?') ? '&' : '?') + base.search.slice(1));
  const secure = base.protocol === 'https:';
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: MAX_SOCKETS });
  const headers = {
    'user-agent': `stakegraph/${version} index`,
    ...(login && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  };
  const start = secure ? httpsRequest : httpRequest;

  const fault = (reason: NodeReason, message: string, waitMs?: number) =>
    new NodeError(reason, name, withoutKeys(message), waitMs);

  const tooSlow = (path: string, ms: number) => fault('slow', `${path}: no answer within ${ms / 1000} s.`);

  /** Called for each chunk, so a node that pauses is left to `idleMs`. */
  const checkPace = (path: string, bytes: number, ms: number) => {
    if (ms < SLOW_MS || bytes >= (ms / 1000) * LEAST_BYTES_PER_S) return;
    throw fault('slow', `${path}: only ${bytes} bytes came in ${Math.round(ms / 1000)} s.`);
  };

  const failed = (path: string, error: unknown, started: boolean): NodeError => {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const why = failures[code] ?? `fails with ${code || message}`;
    if (started) return fault('cut', `${path}: the answer was cut off (${why}). It is asked again.`);
    return fault('unreachable', `${path}: ${why}`);
  };

  function send(
    path: string,
    more: OutgoingHttpHeaders,
    signal: AbortSignal,
    { own, body }: { own?: HttpAgent; body?: string | undefined } = {},
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const post = body !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      };
      const method = post ? 'POST' : 'GET';
      const options = { method, agent: own ?? agent, headers: { ...headers, ...post, ...more }, signal };
      const request = start(target(path), options, resolve);
      request.on('error', reject);
      request.end(body);
    });
  }

  async function refuse(response: IncomingMessage, path: string): Promise<never> {
    const { statusCode: status = 0, headers: answered } = response;
    const text = shown(withoutKeys(await refusalText(response)));
    const message = `${path}: answers ${status} ${text}`;
    if (answered.location !== undefined && status >= 300 && status < 400)
      throw fault(
        'status',
        `${path}: answers ${status}, a redirect to ${shown(answered.location)}, which is not followed. Give the address that it leads to.`,
      );
    if (status === 401 || status === 403)
      throw fault(
        'unauthorized',
        `${message}. Give the node's user and password in its URL: https://user:password@host.`,
      );
    const wait = retryAfterMs(answered['retry-after'] ?? null);
    throw fault('status', message, wait);
  }

  async function get(
    { path, body, sink, limits: { idleMs, totalMs, maxBytes }, signal }: Get,
    traceHeaders: OutgoingHttpHeaders,
    span: Span | undefined,
  ): Promise<boolean> {
    const aborter = linkedAborter(signal);
    const slow = (ms: number) => () => aborter.abort(tooSlow(path, ms));
    const total = setTimeout(slow(totalMs), totalMs);
    let idle = setTimeout(slow(idleMs), idleMs);
    let response: IncomingMessage | undefined;
    try {
      response = await send(
        path,
        { ...traceHeaders, accept: 'application/json', 'accept-encoding': 'identity' },
        aborter.signal,
        { body },
      );
      const status = response.statusCode as number;
      span?.set({ 'http.response.status_code': status });
      if (status === 404 || (body !== undefined && refusesPost(status))) {
        await refusalText(response);
        return false;
      }
      if (status !== 200) await refuse(response, path);
      checkEncoding(response);
      let bytes = 0;
      const began = performance.now();
      for await (const chunk of response as AsyncIterable<Buffer>) {
        clearTimeout(idle);
        idle = setTimeout(slow(idleMs), idleMs);
        bytes += chunk.length;
        checkPace(path, bytes, performance.now() - began);
        if (bytes > maxBytes)
          throw new AnswerError(`the answer is longer than ${maxBytes} bytes`, 'too-large');
        sink(chunk);
      }
      return true;
    } catch (error) {
      response?.destroy();
      aborter.signal.throwIfAborted();
      if (error instanceof NodeError) throw error;
      if (error instanceof AnswerError) throw fault(error.reason, `${path}: ${error.message}.`);
      throw failed(path, error, response !== undefined);
    } finally {
      aborter.release();
      clearTimeout(total);
      clearTimeout(idle);
    }
  }

  return {
    error: fault,
    get: (request, sink, limits, signal) => {
      const method = request.body === undefined ? 'GET' : 'POST';
      const path = request.path.replace(/\?.*/s, '');
      return requesting({ method, server: name, path }, (traceHeaders, span) =>
        get({ ...request, sink, limits, signal }, traceHeaders, span),
      );
    },
    async stream(path, headersMs, signal) {
      // In the shared agent, the stream would occupy a socket.
      const own = new (secure ? HttpsAgent : HttpAgent)();
      const aborter = linkedAborter(signal);
      const timer = setTimeout(() => aborter.abort(tooSlow(path, headersMs)), headersMs);
      try {
        const response = await send(path, { accept: 'text/event-stream' }, aborter.signal, { own });
        response.once('close', aborter.release);
        const isStream = `${response.headers['content-type']}`.startsWith('text/event-stream');
        if (response.statusCode === 200 && isStream) return response;
        response.destroy();
        return undefined;
      } catch (error) {
        aborter.release();
        aborter.signal.throwIfAborted();
        throw failed(path, error, false);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => agent.destroy(),
  };
}
