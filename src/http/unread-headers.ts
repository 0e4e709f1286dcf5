import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { withoutTokens } from '../accounts/token-format.ts';

/** Headers of requests that name a network by their look, and that no setting has read. */
export type UnreadHeaders = {
  /** Counts such a header of a request that was let in, and names it in a debug line. */
  note(headers: IncomingHttpHeaders, log: Logger, bindings?: { reqId: string }): void;
  count(): number;
};

const LONGEST_NAME = 64;

/**
 * A client of another service sends the network header of that service, and is answered for mainnet unless
 * `NETWORK_HEADERS` has its name. It is not refused, since other parties may add headers of that form.
 */
export function unreadHeaders(networkHeaders: readonly string[]): UnreadHeaders {
  const read = new Set(networkHeaders.map((name) => name.toLowerCase()));
  let count = 0;
  return {
    note(headers, log, bindings) {
      for (const name in headers) {
        if (!name.endsWith('-network') || !name.startsWith('x-') || read.has(name)) continue;
        count += 1;
        const header = withoutTokens(name).slice(0, LONGEST_NAME);
        log.debug({ ...bindings, header }, 'network header not read; NETWORK_HEADERS has the names that are');
      }
    },
    count: () => count,
  };
}
