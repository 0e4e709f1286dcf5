import { setTimeout as sleep } from 'node:timers/promises';
import { serialize } from '../../kernel/serialize.ts';
import { outsideSpans } from '../../kernel/tracing.ts';
import { lagMeter, type Reached, reachedOf, reaches } from '../changes/reached.ts';
import type { Pool, Queryable, Result, Statement } from '../pool.ts';
import { targetOf } from '../servers.ts';
import {
  areDifferent,
  identityOf,
  type Listeners,
  openProbePool,
  type Replica,
  type ReplicaState,
  readReached,
  type ServerFault,
} from './replica.ts';

const PROBE_MS = 1_000;
const MAX_LAG_MS = 5_000;
/** Lower than MAX_LAG_MS, so that a replica at the limit does not come and go. */
const RETURN_LAG_MS = 1_000;
const STRANGER =
  'is no replica of DATABASE_URL: it is another database, or of another PostgreSQL cluster (the OIDs or the system identifiers differ)';

export type ReadServers = {
  pool: Pool;
  /** Its statement must select `name` and `revision` from `datasets`. */
  revisions: Queryable;
  pools: readonly Pool[];
  states(): ReplicaState[];
  /** Calls `listener` when use of a replica begins or ends, and at once for each replica that is not used. */
  onUse(listener: (name: string, fault: ServerFault | undefined) => void): void;
  /** Calls `listener` when reads go to servers whose rows may differ at equal revisions. */
  onMove(listener: () => void): void;
  /** Calls `listener` before the result of a statement is returned, with revisions read after it. */
  onRead(listener: (reached: Reached) => Promise<void>): void;
};

type Options = {
  make: (listeners: Listeners) => Replica[];
  primary: Pool;
  primaryUrl: string;
};

const newestOf = (replicas: readonly Replica[]): Replica[] =>
  replicas
    .slice(0, 1)
    .map((first) =>
      replicas.reduce(
        (newest, one) => (reaches(newest.reached as Reached, one.reached as Reached) ? newest : one),
        first,
      ),
    );

/**
 * Reads from replicas that have every revision shown so far, so that no later request sees older rows. Without such a
 * replica, reads from the primary, or from the newest replica if the primary is down. A server may show a change before
 * the gateway is notified, so revisions are read again on the same server before the result of a statement is returned.
 */
export function readServers({ make, primary, primaryUrl }: Options): ReadServers {
  const primaryProbes = openProbePool(primaryUrl);
  const lag = lagMeter();
  const useListeners: Parameters<ReadServers['onUse']>[0][] = [];
  const moveListeners: (() => void)[] = [];
  const readListeners: ((reached: Reached) => Promise<void>)[] = [];
  const faults = new Map<Replica, ServerFault>();
  let shown: Reached = new Map();
  let rotation: Replica[] = [];
  let primaryUp = true;
  let primaryIdentity: string | undefined;
  let turn = 0;
  let timer: NodeJS.Timeout | undefined;
  let firstProbe: Promise<unknown> | undefined;

  const replicas = make({
    onProbe(replica) {
      noteUse(replica);
      assess();
    },
    onRead: show,
  });
  targetOf(primaryUrl).onChange(() => {
    primaryIdentity = undefined;
  });
  const isStranger = ({ identity }: Replica) => areDifferent(identity, primaryIdentity);
  const isUsable = (replica: Replica) => {
    const { fault, reached, isLate } = replica;
    return !fault && reached && !isStranger(replica) && !(isLate && primaryUp);
  };
  const moved = () => {
    for (const listener of moveListeners) listener();
  };

  function inUse(): Replica[] {
    const usable = replicas.filter(isUsable);
    const current = usable.filter(({ reached }) => reaches(reached as Reached, shown));
    return current.length > 0 || primaryUp ? current : newestOf(usable);
  }

  function assess() {
    rotation = inUse();
  }

  async function show(reached: Reached) {
    if (reaches(reached, shown)) shown = reached;
    assess();
    for (const listener of readListeners) await listener(reached);
  }

  function noteUse(replica: Replica) {
    replica.lagMs = replica.reached ? lag.of(replica.reached) : 0;
    replica.isLate = replica.lagMs > (replica.isLate ? RETURN_LAG_MS : MAX_LAG_MS);
    replica.isStranger = isStranger(replica);
    const fault =
      replica.fault ??
      (replica.isStranger ? { reason: STRANGER } : undefined) ??
      (replica.isLate ? { reason: 'lags more than 5 s behind' } : undefined);
    if (faults.get(replica)?.reason === fault?.reason) return;
    if (fault) faults.set(replica, fault);
    else faults.delete(replica);
    for (const listener of useListeners) listener(replica.name, fault);
    moved();
  }

  async function probePrimary() {
    const found = await readReached(primaryProbes).catch(() => undefined);
    if (found) {
      lag.note(found);
      // Later requests must see at least these revisions.
      if (reaches(found, shown)) shown = found;
    }
    // Another cluster may answer after a failure.
    if (found && (!primaryUp || !primaryIdentity)) {
      primaryIdentity = await identityOf(primaryProbes).catch(() => undefined); // the next probe tries again
      for (const replica of replicas) if (replica.reached) noteUse(replica);
    }
    const wasUp = primaryUp;
    primaryUp = found !== undefined;
    assess();
    if (primaryUp !== wasUp) moved();
    return found;
  }
  const probing = serialize(probePrimary);
  const probe = () => Promise.all([probing.run(), ...replicas.map((replica) => replica.probe())]);
  const start = () => {
    // Probing starts at the first read, because some commands read nothing.
    timer ??= setInterval(() => void outsideSpans(probe), PROBE_MS).unref();
    return (firstProbe ??= outsideSpans(probe));
  };

  function leastBusy(of: readonly Replica[]): Replica | undefined {
    turn += 1;
    let found: Replica | undefined;
    for (let n = 0; n < of.length; n += 1) {
      const one = of[(turn + n) % of.length] as Replica;
      if (!found || one.busy < found.busy) found = one;
    }
    return found;
  }

  const fromPrimary: Queryable = {
    async query(statement) {
      const result = await primary.query(statement);
      const reached = await outsideSpans(() => probing.run());
      if (reached) await show(reached);
      return result;
    },
  };

  const has = ({ reached }: Replica, { dataset, revision }: NonNullable<Statement['since']>) =>
    (reached?.get(dataset) ?? 0) >= revision;

  function send(replica: Replica, statement: Statement, failed: readonly Replica[]): Promise<Result> {
    const tried = [...failed, replica];
    const { since } = statement;
    const lacks = since !== undefined && !has(replica, since);
    const elsewhere = () => {
      const others = replicas.filter(
        (one) => isUsable(one) && !tried.includes(one) && (!since || has(one, since)),
      );
      // A request that has read a failed replica goes on at the primary, because other replicas may be older.
      const next = lacks || !primaryUp ? leastBusy(others) : undefined;
      return next ? send(next, statement, tried) : fromPrimary.query(statement);
    };
    return lacks || replica.fault ? elsewhere() : replica.query(statement, elsewhere);
  }

  const perReplica = new Map(
    replicas.map((replica): [Replica, Queryable] => [
      replica,
      { query: (statement) => send(replica, statement, []) },
    ]),
  );
  const choose = (): Queryable => {
    start();
    const replica = leastBusy(rotation);
    return replica ? (perReplica.get(replica) as Queryable) : fromPrimary;
  };

  async function readRevisions(statement: Statement): Promise<Result> {
    await start();
    const results = new Map<Replica, Result>();
    const within = (work: Promise<unknown>, ms: number) =>
      Promise.race([work, sleep(ms, undefined, { ref: false })]);
    const readFrom = async (replica: Replica) => {
      const result = replica.fault ? undefined : await replica.readRevisions(statement);
      if (result) results.set(replica, result);
    };
    await Promise.all([
      within(probing.run(), primaryUp ? PROBE_MS : 0),
      within(Promise.all(replicas.map(readFrom)), PROBE_MS),
    ]);
    const [newest] = newestOf(inUse().filter((replica) => results.has(replica)));
    const result = newest ? (results.get(newest) as Result) : await primary.query(statement);
    const found = newest?.reached ?? reachedOf(result.rows); // it may have replayed more since
    if (!newest || !primaryUp || reaches(found, shown)) shown = found;
    assess();
    return result;
  }

  const all = [primary, ...replicas.map(({ pool }) => pool)];
  const sum = (name: keyof ReturnType<Pool['stats']>) =>
    all.reduce((total, one) => total + one.stats()[name], 0);
  const pool: Pool = {
    choose,
    query: (statement) => choose().query(statement),
    withClient: (work, account) => (leastBusy(rotation)?.pool ?? primary).withClient(work, account),
    commit: (client) => primary.commit(client),
    abandon: async () => void (await Promise.all(all.map((one) => one.abandon()))),
    stats: () => ({
      total: sum('total'),
      idle: sum('idle'),
      waiting: sum('waiting'),
      inLine: sum('inLine'),
    }),
    async end() {
      clearInterval(timer);
      await probing.stop();
      await Promise.all([primaryProbes.end(), primary.end(), ...replicas.map((replica) => replica.end())]);
    },
  };
  return {
    pool,
    revisions: { query: readRevisions },
    pools: replicas.map((replica) => replica.pool),
    states: () => replicas.map((replica) => replica.state()),
    onUse(listener) {
      useListeners.push(listener);
      for (const [replica, fault] of faults) listener(replica.name, fault);
    },
    onMove: (listener) => moveListeners.push(listener),
    onRead: (listener) => readListeners.push(listener),
  };
}
