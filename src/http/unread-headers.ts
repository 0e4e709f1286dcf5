import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { withoutTokens } from '../accounts/token-format.ts';

export type UnreadHeaders = {
  note(headers: IncomingHttpHeaders, log: Logger, bindings?: { reqId: string }): void;
  count(): number;
};

const MAX_NAME_LENGTH = 64;

/**
 * Counts network headers that `NETWORK_HEADERS` does not list. They are not refused, because proxies may add
 * X-*-Network headers.
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
