import { Refusal } from '../../kernel/refusal.ts';
import type { Queryable } from '../pool.ts';

/** What a request wants read: rows by their keys, as a map from the text of a key. */
export type Read<Key, Value> = {
  /** The same for what differs by nothing but its keys, and for nothing else: one statement can answer it together. */
  name: string;
  keys: readonly Key[];
  keyOf: (key: Key) => string;
  /** The most rows that are read for a key. */
  rows: number;
  /** Knows the keys and nothing of the request: it may read for others too. */
  load: (db: Queryable, keys: readonly Key[]) => Promise<Map<string, Value>>;
};

/** Reads for a request, together with others. `note` is told the text of each statement that its rows come of. */
export type SharedReads = <Key, Value>(
  read: Read<Key, Value>,
  note: (text: string) => void,
) => Promise<Map<string, Value>>;

/**
 * The most that is read together. What requests save is what a statement costs whatever it reads; of many rows or keys that
 * is a small part, and each request would wait for the rows of all, on one connection.
 */
const MAX_ROWS = 128;
const MAX_KEYS = 8;

type Waiting = {
  read: Read<unknown, unknown>;
  note: (text: string) => void;
  resolve: (found: Map<string, unknown>) => void;
  reject: (error: unknown) => void;
};
type Batch = { waiting: Waiting[]; keys: number };

/**
 * Puts what requests ask for within one turn of the event loop into one statement: that is where a busy server's requests
 * meet, and one on its own waits for no timer. What it gains stands in docs/performance.md. `onFault` is told what is wrong
 * with a statement of several requests, which none of them may notice.
 */
export function sharedReads(db: Queryable, onFault: (error: unknown) => void): SharedReads {
  const gathering = new Map<string, Batch>();

  const noting = (waiting: readonly Waiting[]): Queryable => ({
    query(statement) {
      for (const { note } of waiting) note(statement.text);
      return db.query(statement);
    },
  });
  async function runUnbatched(one: Waiting) {
    try {
      one.resolve(await one.read.load(noting([one]), one.read.keys));
    } catch (error) {
      one.reject(error);
    }
  }

  async function run(name: string, { waiting }: Batch) {
    gathering.delete(name);
    const [first, second] = waiting;
    if (!first || !second) return waiting.forEach(runUnbatched);
    const { load, keyOf } = first.read;
    const keys = new Map(waiting.flatMap(({ read }) => read.keys.map((key) => [keyOf(key), key])));
    try {
      const found = await load(noting(waiting), [...keys.values()]);
      for (const { resolve } of waiting) resolve(found);
    } catch (error) {
      // That the database is away, or so busy that it was out of time with so few rows, is true of all. Else no request
      // fails for the rows of another.
      if (error instanceof Refusal) return waiting.forEach(({ reject }) => void reject(error));
      onFault(error);
      waiting.forEach(runUnbatched);
    }
  }

  return <Key, Value>(read: Read<Key, Value>, note: (text: string) => void) =>
    new Promise<Map<string, Value>>((resolve, reject) => {
      const { name, keys } = read;
      const one = { read, note, resolve, reject } as unknown as Waiting;
      const most = Math.min(MAX_KEYS, Math.floor(MAX_ROWS / read.rows));
      if (!(keys.length < most)) return runUnbatched(one);
      let batch = gathering.get(name);
      if (batch && batch.keys + keys.length > most) {
        run(name, batch);
        batch = undefined;
      }
      if (!batch) {
        const made: Batch = { waiting: [], keys: 0 };
        gathering.set(name, (batch = made));
        setImmediate(() => gathering.get(name) === made && run(name, made));
      }
      batch.waiting.push(one);
      batch.keys += keys.length;
    });
}
