import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { withoutTokens } from '../../accounts/token-format.ts';
import type { Network } from '../../chain/networks.ts';
import { networkParam } from '../../chain/params.ts';
import { paramFaults } from '../../kernel/params.ts';
import type { Fault } from '../../kernel/refusal.ts';

export type NetworkHeader = {
  /** Faults name the documented header, `names[0]`. */
  read(headers: IncomingHttpHeaders): { network: Network; faults: Fault[] };
  /** Logs and counts network headers that are ignored. Proxies may add such headers, so they are not refused. */
  noteUnread(headers: IncomingHttpHeaders, log: Logger, bindings?: { reqId: string }): void;
  unread(): number;
};

const value = networkParam();
const defaultNetwork = value.parse(undefined);
const MAX_NAME_LENGTH = 64;

export function networkHeader(names: readonly string[]): NetworkHeader {
  const known = new Map(names.map((name) => [name.toLowerCase(), name]));
  let unread = 0;
  return {
    read(headers) {
      for (const [key, name] of known) {
        if (headers[key] === undefined) continue;
        const read = value.safeParse(headers[key]);
        if (read.success) return { network: read.data, faults: [] };
        const faults = paramFaults(read.error, 'header').map((fault) => ({
          ...fault,
          loc: ['header', names[0] as string],
          msg: `${name}${fault.msg}`,
        }));
        return { network: defaultNetwork, faults };
      }
      return { network: defaultNetwork, faults: [] };
    },
    noteUnread(headers, log, bindings) {
      for (const name in headers) {
        if (!name.endsWith('-network') || !name.startsWith('x-') || known.has(name)) continue;
        unread += 1;
        const header = withoutTokens(name).slice(0, MAX_NAME_LENGTH);
        log.debug(
          { ...bindings, header },
          'network header not read; NETWORK_HEADERS has the names that are read',
        );
      }
    },
    unread: () => unread,
  };
}
