import type { Logger } from 'pino';
import type { Metering } from './accounts/meter.ts';
import type { Allowance, Tier } from './accounts/tiers.ts';
import type { Network } from './chain/networks.ts';
import { type Reading, type SharedReads, sharedReads } from './db/batch/readers.ts';
import { noteStatement, type Trace } from './db/changes/datasets.ts';
import type { Revisions, Snapshot } from './db/changes/revisions.ts';
import type { Pool, Primary, Queryable } from './db/pool.ts';

export type Caller = {
  accountId: string;
  account: string;
  tokenId: string;
  tokenName: string;
  tier: Tier;
  /** Requests per second. */
  rateLimit: number | undefined;
  /** Maximum number of private sets. */
  setLimit: number | undefined;
  allowance: Allowance;
};

export type Context = Reading & {
  db: Queryable;
  /** Reads and writes data of accounts, because `db` may be a replica that lags behind their writes. */
  primary: Primary;
  caller: Caller;
  metering: Metering;
  /** From the network header. A GraphQL argument may name another network. */
  network: Network;
  now: () => Date;
  requestId: string;
  log: Logger;
  /** Revisions of the datasets when the request began. */
  data: Snapshot;
};

type Request = { id: string; log: object; caller: Caller | null; metering: Metering | null };

export function contextMaker(options: {
  pool: Pool;
  primary: Primary;
  revisions: Revisions;
  now: () => Date;
  log: Logger;
}): (request: Request, network: Network) => Context {
  const { pool, primary, revisions, now, log } = options;
  const onFault = (error: unknown) =>
    log.warn({ err: error }, 'a statement of several requests failed; each is answered on its own');
  const sharedOf = new Map<Queryable, SharedReads>();
  return ({ id, log: ofRequest, caller, metering }, network) => {
    const trace: Trace = { datasets: new Set(), isPrivate: false };
    const server = pool.choose?.() ?? pool; // servers may have different revisions
    let shared = sharedOf.get(server);
    if (!shared) sharedOf.set(server, (shared = sharedReads(server, onFault)));
    return {
      db: {
        query(statement) {
          noteStatement(trace, statement.text);
          return server.query(statement);
        },
      },
      // Using `primary`, `caller` or `now` makes the response private, which prevents caching.
      primary: {
        query(statement) {
          trace.isPrivate = true;
          return primary.query(statement);
        },
        transaction(work) {
          trace.isPrivate = true;
          return primary.transaction(work);
        },
      },
      // A proxy, because V8 would make a hidden class per request for an object literal with a getter.
      caller: new Proxy(caller as Caller, {
        get(of, name, receiver) {
          trace.isPrivate = true;
          return Reflect.get(of, name, receiver);
        },
      }),
      metering: metering as Metering,
      network,
      now() {
        trace.isPrivate = true;
        return now();
      },
      requestId: id,
      log: ofRequest as Logger,
      loaders: new Map(),
      shared,
      trace,
      data: revisions.current,
    };
  };
}
