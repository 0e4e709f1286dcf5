import type pg from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { withDeadline } from '../../kernel/deadline.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { serialize } from '../../kernel/serialize.ts';
import type { Queryable } from '../pool.ts';
import { momentText, queryOf, raw, sql } from '../rows.ts';
import { epochGaps } from './epoch-gaps.ts';
import { listen } from './listen.ts';
import { type Reached, totalRevisions } from './reached.ts';

/** Raises the revision at most once. Other writers of the dataset then wait. */
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

const Dataset = z.object({ name: z.string(), revision: Leaf.count(), refreshedAt: z.string() });
/** `isSample`: nothing was loaded into it but the sample data. */
const CurrentDataset = Dataset.extend({ isSample: z.boolean() });
export type Dataset = z.infer<typeof CurrentDataset>;

const readDatasets = queryOf(
  CurrentDataset,
  () => sql`/* readDatasets */
    select name, revision, ${momentText(sql`refreshed_at`)} as "refreshedAt", coalesce((
      select bool_and(o.origin = 'sample') from dataset_origins o where o.dataset = name
    ), false) as "isSample"
    from datasets order by name`,
);

const DatasetOrigin = z.object({ network: z.string().nullable(), origin: z.string() });
export type DatasetOrigin = z.infer<typeof DatasetOrigin>;
const DatasetKeptFrom = z.object({ network: z.string(), facts: z.string(), date: z.string() });
export type DatasetKeptFrom = z.infer<typeof DatasetKeptFrom>;
const DatasetGap = z.object({ network: z.string(), firstEpoch: Leaf.count(), lastEpoch: Leaf.count() });
export type DatasetGap = z.infer<typeof DatasetGap>;
const ListedDataset = Dataset.extend({
  origins: z.array(DatasetOrigin),
  keptFrom: z.array(DatasetKeptFrom),
  missingEpochs: z.array(DatasetGap),
});
export type ListedDataset = z.infer<typeof ListedDataset>;

export const listDatasets = queryOf(
  ListedDataset,
  () => sql`/* listDatasets */
    select name, revision, ${momentText(sql`refreshed_at`)} as "refreshedAt", array(
      select json_build_object('network', nullif(o.network, ''), 'origin', o.origin)
      from dataset_origins o where o.dataset = name order by o.network, o.origin
    ) as origins, array(
      select json_build_object('network', k.network, 'facts', k.dataset, 'date', k.date)
      from kept_from k
      where name = case
        when k.dataset like 'attestation-%' then 'attestations'
        when k.dataset = 'operator-history' then 'operators'
        when k.dataset = 'stake-authority-history' then 'stake-authorities'
        when k.dataset = 'network-rewards' then k.network || '-rewards'
        else k.dataset
      end
      order by k.dataset, k.network
    ) as "keptFrom", array(
      select json_build_object('network', g.network, 'firstEpoch', g.first, 'lastEpoch', g.last)
      from dataset_origins o join (${raw(epochGaps)}) g using (network)
      where o.dataset = name and o.origin = 'index'
      order by g.network, g.first
    ) as "missingEpochs"
    from datasets order by name`,
);

export type Snapshot = ReadonlyMap<string, Dataset>;

export type Revisions = {
  readonly current: Snapshot;
  /** False while changes could go unnoticed. */
  trusted(): boolean;
  /** False if another database may have answered since `snapshot` was read. */
  isOfSource(snapshot: Snapshot): boolean;
  onChange(listener: (snapshot: Snapshot) => void): void;
  /** Calls `listener` when statements may reach another database, whose rows may differ at equal revisions. */
  onLost(listener: () => void): void;
  /** Calls `listener` with the id of each changed private set; without one after a (re)connect. */
  onSetChange(listener: (setId?: string) => void): void;
  /** Reads revisions unless the current ones have all changes of `reached`. */
  reach(reached: Reached): Promise<void>;
  /** Like `reach`, for a number of changes. */
  reachChanges(changes: number): Promise<void>;
  /** Stops caching until the revisions of the new database are read. */
  moved(): void;
  stop(): Promise<void>;
};

const SETS_CHANNEL = 'stakegraph_sets';
const POLL_MS = 5_000;
// Revisions are read again, because a notification may arrive before the change reaches a replica.
const REREAD_MS = [100, 500, 2_000];

/**
 * `db` must be the pool that also reads rows: a replica that lags then shows an old revision with its old rows. `url`
 * is the primary, on which changes are announced.
 */
export async function openRevisions(options: {
  url: string;
  db: Queryable;
  log: Logger;
}): Promise<Revisions> {
  const shown: { current: Snapshot } = { current: new Map() };
  let listening = false;
  let losses = 0;
  const lossesAt = new WeakMap<Snapshot, number>();
  let readable = false;
  const listeners: ((snapshot: Snapshot) => void)[] = [];
  const lossListeners: (() => void)[] = [];
  const setListeners: ((setId?: string) => void)[] = [];
  const timers = new Set<NodeJS.Timeout>();

  const read = async () => {
    const lossesBefore = losses;
    try {
      const read = await withDeadline(readDatasets(options.db));
      const found = new Map(read.map((dataset) => [dataset.name, dataset]));
      const same =
        found.size === shown.current.size &&
        [...found.values()].every(({ name, revision }) => shown.current.get(name)?.revision === revision);
      readable = true;
      if (same) return;
      shown.current = found;
      lossesAt.set(found, lossesBefore);
      for (const listener of listeners) listener(found);
    } catch (error) {
      readable = false;
      options.log.warn({ err: error }, 'revisions could not be read; responses are not cached meanwhile');
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
    if (before === losses) listening = true;
    for (const ms of REREAD_MS) soon(ms);
  };

  let connected = false;
  const onConnectionLost = () => {
    listening = false;
    losses += 1;
    shown.current = new Map(shown.current); // `isOfSource` refuses the previous object
    lossesAt.set(shown.current, losses);
    for (const listener of lossListeners) listener();
  };

  await reading.run();
  const listener = listen(
    options.url,
    ['stakegraph_data', SETS_CHANNEL],
    (notification) => {
      connected = true;
      if (notification?.channel !== 'stakegraph_data')
        for (const changed of setListeners) changed(notification?.payload);
      if (notification?.channel === SETS_CHANNEL) return;
      void reload();
    },
    () => {
      connected = false;
      onConnectionLost();
    },
  );
  const poll = setInterval(() => void reading.run(), POLL_MS).unref();
  return Object.assign(shown, {
    trusted: () => listening && readable,
    isOfSource: (given: Snapshot) => (lossesAt.get(given) ?? 0) === losses,
    onChange: (changed: (snapshot: Snapshot) => void) => void listeners.push(changed),
    onLost: (lost: () => void) => void lossListeners.push(lost),
    onSetChange: (changed: (setId?: string) => void) => void setListeners.push(changed),
    async reach(reached: Reached) {
      const isNew = ([name, revision]: [string, number]) =>
        (shown.current.get(name)?.revision ?? 0) < revision;
      if ([...reached].some(isNew)) await reading.run();
    },
    async reachChanges(changes: number) {
      if (totalRevisions([...shown.current.values()].map(({ revision }) => revision)) < changes)
        await reading.run();
    },
    moved() {
      onConnectionLost();
      if (connected) void reload();
    },
    async stop() {
      clearInterval(poll);
      await Promise.all([listener.stop(), reading.stop()]);
      for (const timer of timers) clearTimeout(timer);
    },
  });
}
