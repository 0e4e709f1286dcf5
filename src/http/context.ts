import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Meter } from '../accounts/meter.ts';
import type { Network } from '../chain/networks.ts';
import type { Context, Trace } from '../context.ts';
import { sharedReads } from '../db/batch/shared-reads.ts';
import type { Revisions } from '../db/changes/revisions.ts';
import type { Pool, Primary } from '../db/pool.ts';
import { noteStatement, privateAccess } from './cache/trace.ts';
import { meteringOf } from './metering.ts';

export function contextMaker(options: {
  pool: Pool;
  primary: Primary;
  meter: Meter;
  revisions: Revisions;
  now: () => Date;
  log: Logger;
}) {
  const { pool, primary, meter, now, log } = options;
  const shared = sharedReads(pool, (error) =>
    log.warn({ err: error }, 'a statement of several requests failed; each is answered on its own'),
  );
  return (request: FastifyRequest, network: Network): Context => {
    const trace: Trace = { datasets: new Set(), isPrivate: false };
    const { caller, metering } = meteringOf(request, meter);
    return {
      db: {
        query(statement) {
          noteStatement(trace, statement.text);
          return pool.query(statement);
        },
      },
      primary: privateAccess(trace, primary),
      caller: privateAccess(trace, caller),
      metering,
      network,
      now() {
        trace.isPrivate = true;
        return now();
      },
      requestId: request.id,
      log: request.log as unknown as Logger,
      loaders: new Map(),
      shared: (read) => shared(read, (text) => noteStatement(trace, text)),
      trace,
      data: options.revisions.current(),
    };
  };
}
