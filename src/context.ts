import type { Logger } from 'pino';
import type { Standing } from './accounts/allowance.ts';
import type { Allowance, Tier } from './accounts/tiers.ts';
import type { Network } from './chain/networks.ts';
import type { Reading } from './db/batch/readers.ts';
import type { Snapshot } from './db/changes/revisions.ts';
import type { Primary, Queryable } from './db/pool.ts';

/** The account of the request's token. */
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

/** In compute units, except for `rateRemaining`. */
type Metering = {
  estimated: number;
  charged: number;
  /** Requests left in this second; null without a limit. */
  rateRemaining: number | null;
  /** Excludes this answer's own charge. */
  standing(): Standing;
  /** `unitsRemaining` of `standing`; null without a limit. */
  remaining(): number | null;
  /** `remaining` minus reservations by other requests; null without a limit. */
  available(): number | null;
  /** Reserves the estimate until the answer is charged, and replaces an earlier estimate. */
  reserve(units: number): void;
  /** Set for large answers: waits for a turn of the event loop with time for rows that cost `units`. */
  turn?: (units: number) => Promise<void>;
};

/** What an answer has read; decides whether it is cached and what invalidates it. */
export type Trace = {
  datasets: Set<string>;
  /** The answer depends on the caller, the time, or tables of no dataset, so it is not cached. */
  isPrivate: boolean;
};

/** One per request. */
export type Context = Reading & {
  /** Read-only. */
  db: Queryable;
  /** For accounts' own data: `db` may be a replica that lags behind their writes. */
  primary: Primary;
  caller: Caller;
  metering: Metering;
  /** Named by the network header; GraphQL arguments may name another. */
  network: Network;
  now: () => Date;
  requestId: string;
  log: Logger;
  trace: Trace;
  /** Revisions of the datasets when the request began. */
  data: Snapshot;
};
