import { Refusal } from '../../kernel/refusal.ts';
import type { Queryable } from '../pool.ts';

export type Read<Key, Value> = {
  /** Reads with the same name may differ only in their keys. */
  name: string;
  keys: readonly Key[];
  keyOf: (key: Key) => string;
  /** Maximum rows per key. */
  rows: number;
  /** May also receive other requests' keys. */
  load: (db: Queryable, keys: readonly Key[]) => Promise<Map<string, Value>>;
};

/** Passes the text of each executed statement to `note`. */
export type SharedReads = <Key, Value>(
  read: Read<Key, Value>,
  note: (text: string) => void,
) => Promise<Map<string, Value>>;

/**
 * Larger reads run alone: combining saves a statement's constant cost, which many rows outweigh, and makes each request
 * wait for all rows.
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
 * Combines the reads of one turn of the event loop, without a timer (gain: docs/performance.md). Reports errors of
 * combined statements to `onFault`, because requests do not see them.
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
      // A refusal (database unavailable or busy) applies to all requests. After other errors each request reads alone,
      // so that one's rows cannot fail another.
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
