import { parse } from 'lossless-json';
import { pacer } from '../../kernel/pace.ts';
import { retryAfterMs } from '../../kernel/retry-after.ts';
import { requesting, type Span } from '../../kernel/tracing.ts';
import { version } from '../../kernel/version.ts';
import { StoppedError, UpstreamError } from './failure.ts';
import { backoffMs, MAX_WAIT_MS, pause } from './retry.ts';

export type UpstreamOptions = {
  from: URL;
  /** Sent only to the origin of `from`, and never shown in a message. */
  token: string;
  networkHeader: string;
  unitsHeader: string;
  /** Requests per second. */
  rate: number;
  timeoutMs: number;
  attempts: number;
  firstBackoffMs: number;
  stop: AbortSignal;
  onRequest?: (units: number | undefined) => void;
  onWait?: (message: string) => void;
};

export type Upstream = {
  readonly from: URL;
  /** Keeps the digits of numbers. */
  get(url: URL, network: string | undefined): Promise<unknown>;
  redacted(text: string): string;
};

const MAX_BYTES = 64 * 1024 * 1024;
/** Parsed, each value takes up to 100 bytes; compressed, a response of kilobytes can have millions. */
const MAX_VALUES = 2_000_000;
const COMMA = 44;

type Retryable = { reason: string; status?: number; waitMs?: number | undefined };
type Outcome = { body: unknown } | Retryable;

export const nameOf = (url: URL): string => url.pathname + url.search;

export function openUpstream(options: UpstreamOptions): Upstream {
  const { from, token, stop } = options;
  const pace = pacer(options.rate);

  const redacted = (text: string) =>
    text.replaceAll(token, '[token]').replaceAll(encodeURIComponent(token), '[token]');

  async function send(
    url: URL,
    network: string | undefined,
    traceHeaders: Readonly<Record<string, string>>,
    span: Span | undefined,
  ): Promise<Outcome> {
    let response: Response;
    try {
      response = await fetch(url, {
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          'user-agent': `stakegraph/${version} mirror`,
          ...traceHeaders,
          ...(network === undefined ? {} : { [options.networkHeader]: network }),
        },
        redirect: 'manual',
        signal: AbortSignal.timeout(options.timeoutMs),
      });
    } catch (error) {
      options.onRequest?.(undefined);
      span?.set({ 'error.type': failureReason(error) });
      return { reason: failureReason(error) };
    }
    span?.set({ 'http.response.status_code': response.status });
    options.onRequest?.(unitsOf(response.headers.get(options.unitsHeader)));
    try {
      const text = await textOf(response, url);
      return response.ok ? read(text) : refused(response, text, url);
    } catch (error) {
      if (error instanceof UpstreamError) throw error;
      return { reason: `the response was cut off: ${failureReason(error)}`, status: response.status };
    }
  }

  function refused(response: Response, text: string, url: URL): Retryable {
    const { status, headers } = response;
    if ([408, 425, 429].includes(status) || status >= 500) {
      return { reason: `responds with ${status}`, status, waitMs: retryAfterMs(headers.get('retry-after')) };
    }
    throw new UpstreamError(`${nameOf(url)}: ${adviceOn(response, redacted(text), from)}`, {
      status,
      fatal: status === 401 || status === 402,
    });
  }

  async function get(url: URL, network: string | undefined): Promise<unknown> {
    if (url.origin !== from.origin) throw new Error('The URL is of another origin.');
    for (let attempt = 1; ; attempt += 1) {
      await pace(stop).catch(() => {
        throw new StoppedError();
      });
      const outcome = await requesting({ server: url.host, path: url.pathname }, (traceHeaders, span) =>
        send(url, network, traceHeaders, span),
      );
      if ('body' in outcome) return outcome.body;
      const message = redacted(`${nameOf(url)}: ${outcome.reason}`);
      const status = outcome.status === undefined ? {} : { status: outcome.status };
      const wait = outcome.waitMs ?? backoffMs(options.firstBackoffMs, attempt);
      if (wait > MAX_WAIT_MS) {
        const seconds = Math.ceil(wait / 1000);
        throw new UpstreamError(`${message} and asks to wait ${seconds} s; run again after that.`, {
          ...status,
          fatal: true,
        });
      }
      if (attempt >= options.attempts) {
        const advice = 'run again later, or check the service';
        throw new UpstreamError(`${message}, ${attempt} times in a row; ${advice}.`, {
          ...status,
          again: true,
        });
      }
      options.onWait?.(`${message}; trying again in ${(wait / 1000).toFixed(1)} s`);
      await pause(wait, stop);
    }
  }
  return { from, get, redacted };
}

const unitsOf = (header: string | null): number | undefined =>
  header !== null && /^\d{1,12}(\.\d+)?$/.test(header.trim()) ? Number(header) : undefined;

async function textOf(response: Response, url: URL): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [bytes, values] = [0, 0];
  let text = '';
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === COMMA) values += 1;
    if (bytes > MAX_BYTES || values > MAX_VALUES) {
      const most = `more than ${bytes > MAX_BYTES ? `${MAX_BYTES / 1_048_576} MiB` : `${MAX_VALUES} values`}`;
      throw new UpstreamError(
        `${nameOf(url)}: responds with ${most} for a page; request fewer rows with --page-size.`,
      );
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function read(text: string): Outcome {
  try {
    return { body: parse(text) };
  } catch {
    const what = /^\s*</.test(text) ? 'HTML instead of JSON (is it the address of the API?)' : 'invalid JSON';
    return { reason: `responds with ${what}`, status: 200 };
  }
}

/** Never quotes headers, because they contain the token. */
function failureReason(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return 'no response in time (--timeout)';
  const { code } = cause ?? {};
  return code ?? cause?.message ?? message;
}

function adviceOn(response: Response, text: string, from: URL): string {
  const { status, headers } = response;
  const detail = detailOf(text);
  if (status >= 300 && status < 400) {
    const location = headers.get('location') ?? '';
    const to = URL.canParse(location, from) ? new URL(location, from).host : 'another address';
    return `redirects (${status}) to ${to}, which is not followed because the token is only for ${from.host}; set --from to the right address.`;
  }
  if (status === 401) return 'rejects the token (401); check the variable that --token-env names.';
  if (status === 402)
    return `the allowance of the account is used up (402)${detail}; run again when it is renewed.`;
  if (status === 403) return `is forbidden for this account (403)${detail}; leave it out with --resources.`;
  if (status === 404) return 'does not exist (404); leave it out with --resources, or check --from.';
  return `refuses the request (${status})${detail}.`;
}

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    if (detail === undefined) return '';
    const message = typeof detail === 'string' ? detail : JSON.stringify(detail);
    return `: ${message.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 300)}`;
  } catch {
    return '';
  }
}
