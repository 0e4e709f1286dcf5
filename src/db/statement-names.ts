import { createHash } from 'node:crypto';
import type pg from 'pg';
import { boundedMap } from '../kernel/bounded.ts';

/** Bounds PostgreSQL's memory for plans: callers choose the fields of statements. */
const MAX_PER_CONNECTION = 200;
const TEXTS = 2_000;

export type StatementNames = {
  /** Undefined for a text's first run, which is often its only one. */
  of(client: pg.PoolClient, text: string): string | undefined;
  /** A full connection must be replaced: the protocol does not show which of its statements are in use. */
  isFull(client: pg.PoolClient): boolean;
};

/** With names, PostgreSQL plans a statement once per connection: a page of operators took 350 µs instead of 1,400. */
export function statementNames(): StatementNames {
  const names = boundedMap<string>(TEXTS);
  const namesOf = new WeakMap<pg.PoolClient, Set<string>>();
  return {
    of(client, text) {
      const known = names.get(text);
      if (known === undefined) {
        names.set(text, createHash('sha256').update(text).digest('base64url').slice(0, 22));
        return undefined;
      }
      const prepared = namesOf.get(client);
      if (prepared) prepared.add(known);
      else namesOf.set(client, new Set([known]));
      return known;
    },
    isFull: (client) => (namesOf.get(client)?.size ?? 0) >= MAX_PER_CONNECTION,
  };
}
