import type { Logger } from 'pino';
import type { Standing } from './accounts/allowance.ts';
import type { Allowance, Tier } from './accounts/tiers.ts';
import type { Network } from './chain/networks.ts';
import type { Reading } from './db/batch/readers.ts';
import type { Snapshot } from './db/changes/revisions.ts';
import type { Primary, Queryable } from './db/pool.ts';

/** The account whose token the request has. */
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

/** The compute units of the answer, and those that the account has left. */
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
  /** Only for large answers: waits for a turn of the event loop with time left for the rows of so many units. */
  turn?: (units: number) => Promise<void>;
};

/** What was read for an answer: decides whether it may be cached, and which changes invalidate it. */
export type Trace = {
  datasets: Set<string>;
  /** Whether the answer depends on the caller, on the time, or on tables of no dataset. Private answers are not cached. */
  isPrivate: boolean;
};

/** What an answer may depend on. Each request has its own. */
export type Context = Reading & {
  /** Read-only. */
  db: Queryable;
  /** For what accounts own: `db` may be a replica that lags behind their writes. */
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
