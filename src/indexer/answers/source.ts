import { linkedAborter } from '../../kernel/abort.ts';
import { pacer } from '../../kernel/pace.ts';
import { requesting, type Span } from '../../kernel/tracing.ts';
import { parsed } from './json.ts';

export type SourceFailure =
  | 'unreachable'
  | 'slow'
  | 'cut'
  | 'busy'
  | 'refused'
  | 'nonsense'
  | 'missing'
  | 'mismatch'
  | 'disagree'
  | 'other-network';

/** Messages never contain the URL, which may hold a key. */
export class SourceError extends Error {
  readonly reason: SourceFailure;
  readonly source: string;

  constructor(reason: SourceFailure, source: string, message: string) {
    super(`${source}: ${message}`);
    this.reason = reason;
    this.source = source;
  }
}

/** True if other requests would also fail. */
export const isOutage = ({ reason }: SourceError): boolean =>
  ['unreachable', 'slow', 'cut', 'busy', 'other-network'].includes(reason);

export type HttpSourceOptions = {
  url: URL;
  name: string;
  /** Requests per second. */
  rate: number;
  timeoutMs: number;
  maxBytes: number;
  signal: AbortSignal;
};

export type HttpSource = {
  readonly name: string;
  /** Sends a POST if there is a `body`. Returns 4xx responses with JSON; throws for other failures. */
  json(path: string, body?: unknown): Promise<{ status: number; value: unknown }>;
};

export function openHttpSource({
  url,
  name,
  rate,
  timeoutMs,
  maxBytes,
  signal,
}: HttpSourceOptions): HttpSource {
  const base = new URL(url);
  const headers: Record<string, string> = { accept: 'application/json', 'content-type': 'application/json' };
  if (base.username || base.password) {
    const credentials = [base.username, base.password].map(decodeURIComponent).join(':');
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    base.username = base.password = '';
  }
  const pace = pacer(rate);
  const failed = (error: unknown) => {
    const { name: kind, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
    if (signal.aborted) throw signal.reason;
    if (kind === 'TimeoutError')
      return new SourceError('slow', name, `no response within ${timeoutMs / 1000} s`);
    return new SourceError('unreachable', name, cause?.code ?? cause?.message ?? message);
  };
  async function send(path: string, body: unknown, traceHeaders: object, span: Span | undefined) {
    const aborter = linkedAborter(signal);
    const timer = setTimeout(() => aborter.abort(new DOMException('', 'TimeoutError')), timeoutMs);
    try {
      return await exchange(path, body, traceHeaders, span, aborter.signal);
    } finally {
      clearTimeout(timer);
      aborter.release();
    }
  }
  async function exchange(
    path: string,
    body: unknown,
    traceHeaders: object,
    span: Span | undefined,
    limit: AbortSignal,
  ) {
    const target = path === '' ? base : new URL(base.pathname.replace(/\/$/, '') + path, base);
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    let response: Response;
    try {
      response = await fetch(target, {
        ...init,
        headers: { ...headers, ...traceHeaders },
        redirect: 'error',
        signal: limit,
      });
      span?.set({ 'http.response.status_code': response.status });
    } catch (error) {
      throw failed(error);
    }
    const { status } = response;
    let text: string;
    try {
      text = await textOf(response, name, maxBytes);
    } catch (error) {
      if (error instanceof SourceError) throw error;
      const failure = failed(error);
      throw failure.reason === 'slow' ? failure : new SourceError('cut', name, 'the response was cut off');
    }
    if (status === 429 || status >= 500) throw new SourceError('busy', name, `responds with ${status}`);
    try {
      return { status, value: parsed(text) };
    } catch {
      if (status >= 400) throw new SourceError('refused', name, `responds with ${status}`);
      throw new SourceError('nonsense', name, 'responds with something other than JSON; check its address');
    }
  }
  return {
    name,
    async json(path, body) {
      await pace(signal);
      const method = body === undefined ? 'GET' : 'POST';
      return requesting(
        { method, server: base.host, path: path.replace(/\?.*/s, '') },
        (traceHeaders, span) => send(path, body, traceHeaders, span),
      );
    },
  };
}

async function textOf(response: Response, name: string, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > maxBytes)
      throw new SourceError('refused', name, `responds with more than ${maxBytes >> 20} MiB`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Results have the order of `items`. */
export async function concurrently<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const place = next++;
      results[place] = await work(items[place] as Item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, lane));
  return results;
}
