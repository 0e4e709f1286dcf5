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

  async function run(waiting: readonly Waiting[]) {
    const { load, keyOf, keys } = (waiting[0] as Waiting).read;
    const isAlone = waiting.length === 1;
    const byText = isAlone
      ? undefined
      : new Map(waiting.flatMap(({ read }) => read.keys.map((key) => [keyOf(key), key])));
    const noting: Queryable = {
      query(statement) {
        for (const { note } of waiting) note(statement.text);
        return db.query(statement);
      },
    };
    try {
      const found = await load(noting, byText ? [...byText.values()] : keys);
      for (const { resolve } of waiting) resolve(found);
    } catch (error) {
      // A refusal is true of all: the database is away, or so busy that so few rows took too long. After other errors each
      // request is read for alone, so that none fails for the rows of another.
      if (isAlone || error instanceof Refusal) {
        for (const { reject } of waiting) reject(error);
        return;
      }
      onFault(error);
      for (const one of waiting) run([one]);
    }
  }
  function runBatch(name: string, { waiting }: Batch) {
    gathering.delete(name);
    run(waiting);
  }

  return <Key, Value>(read: Read<Key, Value>, note: (text: string) => void) =>
    new Promise<Map<string, Value>>((resolve, reject) => {
      const { name, keys } = read;
      const one = { read, note, resolve, reject } as unknown as Waiting;
      const most = Math.min(MAX_KEYS, Math.floor(MAX_ROWS / read.rows));
      if (!(keys.length < most)) return run([one]);
      let batch = gathering.get(name);
      if (batch && batch.keys + keys.length > most) {
        runBatch(name, batch);
        batch = undefined;
      }
      if (!batch) {
        const made: Batch = { waiting: [], keys: 0 };
        gathering.set(name, (batch = made));
        setImmediate(() => gathering.get(name) === made && runBatch(name, made));
      }
      batch.waiting.push(one);
      batch.keys += keys.length;
    });
}
