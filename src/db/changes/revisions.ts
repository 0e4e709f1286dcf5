import type pg from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { withDeadline } from '../../kernel/deadline.ts';
import { count } from '../../kernel/leaves.ts';
import { serialize } from '../../kernel/serialize.ts';
import type { Queryable } from '../pool.ts';
import { momentText, rows, sql } from '../rows.ts';
import { listen } from './listen.ts';

/**
 * The revision that a change of a dataset gets, raised when first asked for: once in the transaction of the client,
 * which other writers of the dataset wait for from then on.
 */
export function raisedRevision(client: pg.ClientBase, dataset: string): () => Promise<number> {
  let raised: Promise<number> | undefined;
  const raise = async () => {
    const { rows } = await client.query(`/* raiseRevision */ select raise_revision($1) as revision`, [
      dataset,
    ]);
    return rows[0].revision as number;
  };
  return () => (raised ??= raise());
}

const Dataset = z.object({ name: z.string(), revision: count(), refreshedAt: z.string() });
export type Dataset = z.infer<typeof Dataset>;

/** Every dataset that has been written, by name, with its revision and when it last changed. */
export const readDatasets = (db: Queryable): Promise<Dataset[]> =>
  rows(
    db,
    Dataset,
    sql`/* readDatasets */
    select name, revision, ${momentText(sql`refreshed_at`)} as "refreshedAt"
    from datasets order by name`,
  );

export type Snapshot = ReadonlyMap<string, Dataset>;

export type Revisions = {
  /** What is known of the datasets; a new map for each change. */
  current(): Snapshot;
  /** Whether a change would be known at once: not while the connection that is told of them is away. */
  trusted(): boolean;
  /** Whether what was begun with this snapshot has been read from the database that answers now. */
  isOfSource(snapshot: Snapshot): boolean;
  /** Called after each change. */
  onChange(listener: (snapshot: Snapshot) => void): void;
  /** Called when that connection is lost: another database may answer next, with other rows of the same revisions. */
  onLost(listener: () => void): void;
  /** To be called when another database answers from now on: nothing is cached until its revisions have been read. */
  moved(): void;
  stop(): Promise<void>;
};

const POLL_MS = 5_000;
// A replica may be told of a change before it has it.
const AGAIN_MS = [100, 500, 2_000];

/**
 * The revisions of all datasets in memory. They are read from the pool that answers read from, so that no answer is older
 * than the revision that it is kept under; changes are told by NOTIFY from `url`, the primary.
 */
export async function openRevisions(options: {
  url: string;
  db: Queryable;
  log: Logger;
}): Promise<Revisions> {
  let snapshot: Snapshot = new Map();
  let listening = false;
  let losses = 0;
  /** How many losses there had been when a snapshot was made. */
  const begun = new WeakMap<Snapshot, number>();
  let answered = false;
  const listeners: ((snapshot: Snapshot) => void)[] = [];
  const lossListeners: (() => void)[] = [];
  const timers = new Set<NodeJS.Timeout>();

  const read = async () => {
    try {
      const read = await withDeadline(readDatasets(options.db));
      const found = new Map(read.map((dataset) => [dataset.name, dataset]));
      const same =
        found.size === snapshot.size &&
        [...found.values()].every(({ name, revision }) => snapshot.get(name)?.revision === revision);
      answered = true;
      if (same) return;
      snapshot = found;
      begun.set(snapshot, losses);
      for (const listener of listeners) listener(snapshot);
    } catch (error) {
      answered = false;
      options.log.warn({ err: error }, 'revisions could not be read; answers are not kept meanwhile');
    }
  };
  const reading = serialize(read);
  const soon = (ms: number) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      void reading.run();
    }, ms);
    timers.add(timer.unref());
  };
  const reload = async () => {
    const before = losses;
    await reading.run();
    if (before === losses) listening = true; // else it was cut again meanwhile
    for (const ms of AGAIN_MS) soon(ms);
  };

  /** Whether the connection that listens for changes is open. */
  let connected = false;
  const onConnectionLost = () => {
    listening = false;
    losses += 1;
    snapshot = new Map(snapshot); // what was begun before is told apart
    begun.set(snapshot, losses);
    for (const listener of lossListeners) listener();
  };

  await reading.run();
  const listener = listen(
    options.url,
    'stakegraph_data',
    () => {
      connected = true;
      void reload();
    },
    () => {
      connected = false;
      onConnectionLost();
    },
  );
  const poll = setInterval(() => void reading.run(), POLL_MS).unref();
  return {
    current: () => snapshot,
    trusted: () => listening && answered,
    isOfSource: (given) => (begun.get(given) ?? 0) === losses,
    onChange: (changed) => listeners.push(changed),
    onLost: (lost) => lossListeners.push(lost),
    moved() {
      onConnectionLost();
      if (connected) void reload();
    },
    async stop() {
      clearInterval(poll);
      await Promise.all([listener.stop(), reading.stop()]);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
