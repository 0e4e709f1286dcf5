import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Meter } from '../accounts/meter.ts';
import type { Network } from '../chain/networks.ts';
import type { Context, Trace } from '../context.ts';
import { sharedReads } from '../db/batch/shared-reads.ts';
import { datasetsOf } from '../db/changes/datasets.ts';
import type { Revisions } from '../db/changes/revisions.ts';
import type { Pool, Primary } from '../db/pool.ts';
import { meteringOf } from './metering.ts';

/** Whoever looks at this makes an answer that is the caller's own. */
const owned = <T extends object>(trace: Trace, target: T): T =>
  new Proxy(target, {
    get(of, name, receiver) {
      trace.own = true;
      return Reflect.get(of, name, receiver);
    },
  });

function note(trace: Trace, statement: string) {
  const datasets = datasetsOf(statement);
  if (datasets) for (const name of datasets) trace.datasets.add(name);
  else trace.own = true;
}

/** Makes the context of a request, which traces what its answer is made of. */
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
    const trace: Trace = { datasets: new Set(), own: false };
    const { caller, metering } = meteringOf(request, meter);
    return {
      db: {
        query(statement) {
          note(trace, statement.text);
          return pool.query(statement);
        },
      },
      primary: owned(trace, primary),
      caller: owned(trace, caller),
      metering,
      network,
      now() {
        trace.own = true;
        return now();
      },
      requestId: request.id,
      log: request.log as unknown as Logger,
      loaders: new Map(),
      shared: (read) => shared(read, (text) => note(trace, text)),
      trace,
      data: options.revisions.current(),
    };
  };
}
