import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { withoutTokens } from '../accounts/token-format.ts';

/** Request headers that look like a network header, but are not in `NETWORK_HEADERS`. */
export type UnreadHeaders = {
  /** Counts such headers of a request with a valid token, and names each in a debug line of the log. */
  note(headers: IncomingHttpHeaders, log: Logger, bindings?: { reqId: string }): void;
  count(): number;
};

const MAX_NAME_LENGTH = 64;

/**
 * Counts network headers of other services. Their clients get the rows of mainnet unless `NETWORK_HEADERS` has the name. They are
 * not refused, since proxies may add headers of that form.
 */
export function unreadHeaders(networkHeaders: readonly string[]): UnreadHeaders {
  const read = new Set(networkHeaders.map((name) => name.toLowerCase()));
  let count = 0;
  return {
    note(headers, log, bindings) {
      for (const name in headers) {
        if (!name.endsWith('-network') || !name.startsWith('x-') || read.has(name)) continue;
        count += 1;
        const header = withoutTokens(name).slice(0, MAX_NAME_LENGTH);
        log.debug(
          { ...bindings, header },
          'network header not read; NETWORK_HEADERS has the names that are read',
        );
      }
    },
    count: () => count,
  };
}
