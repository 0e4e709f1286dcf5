import type { Logger } from 'pino';
import type { Standing } from './accounts/allowance.ts';
import type { Allowance, Tier } from './accounts/tiers.ts';
import type { Network } from './chain/networks.ts';
import type { Reading } from './db/batch/readers.ts';
import type { Snapshot } from './db/changes/revisions.ts';
import type { Primary, Queryable } from './db/pool.ts';

/** Who calls: the account whose token was shown. */
export type Caller = {
  accountId: string;
  account: string;
  tokenId: string;
  tokenName: string;
  tier: Tier;
  /** Requests per second; undefined without a limit. */
  rateLimit: number | undefined;
  /** Private sets of the tier; undefined without a limit. */
  setLimit: number | undefined;
  allowance: Allowance;
};

/** What the answer costs, in compute units, beside what the account may use. */
type Metering = {
  estimated: number;
  charged: number;
  /** Requests left in this second; null without a limit. */
  rateRemaining: number | null;
  /** Without this answer's own charge, which follows it. */
  standing(): Standing;
  /** Compute units that the account has left, of `standing`; null without a limit. */
  remaining(): number | null;
  /** What is left of `remaining` after reservations by other requests in progress; null without a limit. */
  available(): number | null;
  /** Reserves the estimate of this answer until it is charged, and replaces an earlier estimate. */
  reserve(units: number): void;
  /** Only for large answers: waits for a turn of the event loop that has room for the rows of so many units. */
  turn?: (units: number) => Promise<void>;
};

/** What an answer was made of: whether it may be kept, and until what changes. */
export type Trace = {
  /** The datasets that were read. */
  datasets: Set<string>;
  /** Whether something was read that no dataset holds, or that depends on the caller or the time. */
  own: boolean;
};

/** What an answer may depend on. Fresh for each request, and the only bag that is passed around. */
export type Context = Reading & {
  /** Reads only; writing statements fail. */
  db: Queryable;
  /** For what accounts own: their own writes are read again at once, also where `db` is a replica that lags. */
  primary: Primary;
  caller: Caller;
  metering: Metering;
  /** Of the network header; GraphQL fields may name another. */
  network: Network;
  now: () => Date;
  requestId: string;
  log: Logger;
  trace: Trace;
  /** The revisions of the datasets when the request began. */
  data: Snapshot;
};
