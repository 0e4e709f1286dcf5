import { pino } from 'pino';
import type { Context } from '../../src/context.ts';
import { sharedReads } from '../../src/db/batch/readers.ts';
import { type Pool, primaryOf } from '../../src/db/pool.ts';
import { noSizes } from '../../src/db/sizes.ts';

/** A context as a request of an account without limits has it, on this pool. */
export const contextOn = (
  pool: Pool,
  db: Context['db'] = pool,
  shared = sharedReads(db, (fault) => {
    throw fault;
  }),
): Context => ({
  db,
  primary: primaryOf(pool, 'test'),
  caller: {
    accountId: '00000000-0000-0000-0000-000000000000',
    account: 'test',
    tokenId: '00000000-0000-0000-0000-000000000000',
    tokenName: 'test',
    tier: 'enterprise',
    rateLimit: undefined,
    setLimit: undefined,
    allowance: { period: 'month', units: undefined },
  },
  metering: {
    headers: {},
    estimated: 0,
    charged: 0,
    timedOut: false,
    spent: 0,
    refused: () => undefined,
    rateRemaining: null,
    remaining: () => null,
    available: () => null,
    read: () => undefined,
    reserve: () => undefined,
    claim: () => undefined,
    charge: () => undefined,
    add: () => undefined,
    addLater: () => undefined,
    standing: () => ({
      period: 'month',
      unitsUsed: 0,
      unitsAllowed: null,
      unitsRemaining: null,
      resetsAt: null,
      requests: 0,
    }),
  },
  network: 'mainnet',
  now: () => new Date('2026-03-01T00:00:00Z'),
  sizes: noSizes,
  isGone: () => false,
  requestId: 'test',
  log: pino({ level: 'silent' }),
  loaders: new Map(),
  shared,
  trace: { datasets: new Set(), isPrivate: false },
  data: new Map(),
});
