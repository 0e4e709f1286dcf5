import { createHash } from 'node:crypto';
import type pg from 'pg';
import { boundedMap } from '../kernel/bounded.ts';

/** Statements that a connection keeps: each is a plan in PostgreSQL's memory, and a caller chooses which fields to ask for. */
const MAX_PER_CONNECTION = 200;
const TEXTS = 2_000;

export type StatementNames = {
  /** The name to run a text by on this connection; undefined at its first time, when it is not worth keeping. */
  of(client: pg.PoolClient, text: string): string | undefined;
  /** Whether the connection keeps so many that it has to be replaced: the protocol has no way to see which are in use. */
  isFull(client: pg.PoolClient): boolean;
};

/**
 * Names for statements, so that PostgreSQL reads and plans each once a connection and not at every call: a page of
 * operators took 1,400 µs without and 350 µs with a name. The name is a hash of the text: it means the same everywhere.
 */
export function statementNames(): StatementNames {
  const names = boundedMap<string>(TEXTS);
  const kept = new WeakMap<pg.PoolClient, Set<string>>();
  return {
    of(client, text) {
      const known = names.get(text);
      if (known === undefined) {
        names.set(text, createHash('sha256').update(text).digest('base64url').slice(0, 22));
        return undefined;
      }
      const own = kept.get(client);
      if (own) own.add(known);
      else kept.set(client, new Set([known]));
      return known;
    },
    isFull: (client) => (kept.get(client)?.size ?? 0) >= MAX_PER_CONNECTION,
  };
}
