import type { Logger } from 'pino';
import type { Caller } from './accounts/caller.ts';
import type { Metering } from './accounts/meter.ts';
import type { Network } from './chain/networks.ts';
import { type Reading, type SharedReads, sharedReads } from './db/batch/readers.ts';
import { noteStatement, type Trace } from './db/changes/datasets.ts';
import type { Revisions, Snapshot } from './db/changes/revisions.ts';
import { type Pool, type Primary, primaryOf, type Queryable } from './db/pool.ts';
import type { Sizes } from './db/sizes.ts';
import { boundedMap } from './kernel/bounded.ts';

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
  /** Whether the client has disconnected. */
  isGone(): boolean;
  log: Logger;
  sizes: Sizes;
  /** Revisions of the datasets when the request began. */
  data: Snapshot;
};

type Request = {
  id: string;
  log: object;
  caller: Caller | null;
  metering: Metering | null;
  raw?: { socket: { destroyed: boolean } };
  /** Statements with the same line take turns; by default it is the account. */
  line?: string | undefined;
};

/** How an account reads one server. Accounts share no statement, so that none waits for rows of another. */
type Reader = { db: Queryable; shared: SharedReads };
const MAX_READERS = 1_000;

function readersOf(server: Queryable, onFault: (error: unknown) => void): (account: string) => Reader {
  const readers = boundedMap<Reader>(MAX_READERS);
  return (account) => {
    let reader = readers.get(account);
    if (!reader) {
      const db: Queryable = {
        account,
        query: ({ text, values, since }) => server.query({ text, values, since, account }),
      };
      readers.set(account, (reader = { db, shared: sharedReads(db, onFault) }));
    }
    return reader;
  };
}

export function contextMaker(options: {
  pool: Pool;
  primary: Pool;
  revisions: Revisions;
  sizes: { readonly current: Sizes };
  now: () => Date;
  log: Logger;
}): (request: Request, network: Network) => Context {
  const { pool, revisions, sizes, now, log } = options;
  const onFault = (error: unknown) =>
    log.warn({ err: error }, 'a statement of several requests failed; each is answered on its own');
  const serverReaders = new Map<Queryable, ReturnType<typeof readersOf>>();
  return ({ id, log: ofRequest, caller, metering, raw, line }, network) => {
    const trace: Trace = { datasets: new Set(), isPrivate: false };
    const account = caller?.accountId ?? '';
    const server = pool.choose?.() ?? pool; // servers may have different revisions
    let readers = serverReaders.get(server);
    if (!readers) serverReaders.set(server, (readers = readersOf(server, onFault)));
    const { db, shared } = readers(line ?? account);
    return {
      db: {
        account: db.account as string,
        query(statement) {
          noteStatement(trace, statement.text);
          return db.query(statement);
        },
      },
      // Using `primary`, `caller` or `now` makes the response private, which prevents caching.
      primary: {
        query(statement) {
          trace.isPrivate = true;
          return primaryOf(options.primary, account).query(statement);
        },
        transaction(work) {
          trace.isPrivate = true;
          return primaryOf(options.primary, account).transaction(work);
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
      isGone: () => raw?.socket.destroyed === true,
      log: ofRequest as Logger,
      loaders: new Map(),
      shared,
      trace,
      sizes: sizes.current,
      data: revisions.current,
    };
  };
}
