import { Stream, type Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import type { Tracer } from '../kernel/tracing.ts';

type Query = (statement: unknown, values?: unknown) => unknown;

/** Traces all statements except a `pg.Query`, which `Pool.query` traces. */
export function traceStatements(client: pg.ClientBase, tracer: Tracer): void {
  const query = client.query.bind(client) as Query;
  const traced: Query = (statement, values) => {
    if (!tracer.active() || statement instanceof pg.Query) return query(statement, values);
    const text = typeof statement === 'string' ? statement : (statement as { text: string }).text;
    if (!(statement instanceof Stream)) return tracer.statement(text, async () => query(statement, values));
    tracer.statement(text, () => finished(statement as Writable)).catch(() => undefined);
    return query(statement);
  };
  client.query = traced as typeof client.query;
}
