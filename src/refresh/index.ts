import type pg from 'pg';
import { type Calendar, calendars } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import { TimeWindow } from '../chain/windows.ts';
import { type Pool, transaction } from '../db/pool.ts';
import { sumDueMonth } from '../ingest/importers/validator-months.ts';
import { type Attributes, traced } from '../kernel/tracing.ts';
import { refreshAttestations } from './attestations.ts';
import { refreshChainRewards } from './chain-rewards.ts';
import { DAYS_AT_ONCE } from './due-days.ts';
import { keepSums } from './incremental/kept-sums.ts';
import { isIncremental } from './incremental/switch.ts';
import { type ComputedType, refreshOperators } from './operators.ts';
import { refreshSlashings } from './slashings.ts';
import { refreshSolana } from './solana.ts';
import { sumDueSpan } from './solana-spans.ts';
import type { Written } from './write.ts';

/** In this order: chain daily rewards would wait minutes for attestations, which lock the same dates. */
export const subjects = ['operators', 'slashings', 'chain-daily-rewards', 'attestations', 'solana'] as const;
export type Subject = (typeof subjects)[number];

export type RefreshOptions = {
  networks: readonly Network[];
  windows: readonly TimeWindow[];
  only: readonly Subject[];
  types: readonly ComputedType[];
  allDays: boolean;
  wait: boolean;
  jobs: number;
};

/** `passed`: another process refreshes the part. Counts then cover the weeks written before. */
export type PartReport = {
  part: Subject;
  network?: Network;
  window?: TimeWindow;
  calendar?: Calendar;
  state: 'done' | 'passed' | 'no facts' | 'failed';
  seconds: number;
  error?: string;
  days?: number;
} & Partial<Written & { facts: number }>;

type Outcome = Written & { facts?: number; dates?: readonly string[] };
type RefreshPart = Pick<PartReport, 'part' | 'network' | 'window' | 'calendar'> & {
  /** Computes only dates later than `after`. */
  refresh(client: pg.ClientBase, after: string): Promise<Outcome | undefined>;
  /** Runs before `refresh`, in a transaction of its own each time, until it returns false. */
  prepare?(client: pg.ClientBase): Promise<boolean>;
};
/** Windows that are computed from the same rows, in one transaction. */
type Windows = { network: Network; windows: readonly TimeWindow[] };

/** Parts that are computed by day have one transaction per seven days; other parts have one in all. */
function partsOf({
  networks,
  windows,
  only,
  types,
  allDays: all,
}: RefreshOptions): (RefreshPart | Windows)[] {
  const chosen = TimeWindow.options.filter((window) => windows.includes(window));
  const parts: Record<Subject, (RefreshPart | Windows)[]> = {
    operators: networks.map((network) => ({ network, windows: chosen })),
    slashings: networks.map((network) => ({
      ...{ part: 'slashings' as const, network },
      refresh: (client) => refreshSlashings(client, network),
    })),
    attestations: networks.flatMap((network) =>
      calendars.map((calendar) => ({
        ...{ part: 'attestations' as const, network, calendar },
        refresh: (client, after) =>
          refreshAttestations(client, { network, utc: calendar === 'utc', all, after }, types),
      })),
    ),
    'chain-daily-rewards': networks.map((network) => ({
      ...{ part: 'chain-daily-rewards' as const, network },
      refresh: (client, after) => refreshChainRewards(client, { network, utc: false, all, after }),
    })),
    solana: chosen.map((window) => ({
      ...{ part: 'solana' as const, window },
      refresh: (client) => refreshSolana(client, window),
      ...(window === 'all' && { prepare: sumDueSpan }),
    })),
  };
  return subjects.filter((subject) => only.includes(subject)).flatMap((subject) => parts[subject]);
}

/** Continues after a failed part. Returns false if stopped before the last part. Idempotent. */
export const refresh = (
  pool: Pool,
  options: RefreshOptions,
  tell: (report: PartReport) => void,
  stopped: () => boolean = () => false,
): Promise<boolean> => traced('refresh', {}, () => refreshParts(pool, options, tell, stopped));

async function refreshParts(
  pool: Pool,
  options: RefreshOptions,
  tell: (report: PartReport) => void,
  stopped: () => boolean,
): Promise<boolean> {
  const queue = partsOf(options).values();
  const work = async () => {
    for (const part of queue) {
      const isWhole = await ('windows' in part
        ? refreshWindows(pool, part, options, tell, stopped)
        : refreshPart(pool, part, options, tell, stopped));
      if (!isWhole) return false;
    }
    return true;
  };
  const whole = await Promise.all(Array.from({ length: options.jobs }, work));
  return !whole.includes(false);
}

async function refreshPart(
  pool: Pool,
  { refresh: compute, prepare, ...part }: RefreshPart,
  options: RefreshOptions,
  tell: (report: PartReport) => void,
  stopped: () => boolean,
): Promise<boolean> {
  const began = performance.now();
  const seconds = () => Math.round(performance.now() - began) / 1000;
  try {
    const name = Object.values(part).join(' ');
    while (!stopped() && prepare && (await locking(pool, name, options, prepare)));
    if (stopped()) return false;
    const { stopped: early, ...outcome } = await traced(`refresh ${part.part}`, attributesOf(part), () =>
      computed(pool, name, compute, options, stopped),
    );
    tell({ ...part, ...outcome, seconds: seconds() });
    return !early;
  } catch (error) {
    tell({ ...part, state: 'failed', error: (error as Error).message, seconds: seconds() });
    return true;
  }
}

async function refreshWindows(
  pool: Pool,
  { network, windows }: Windows,
  options: RefreshOptions,
  tell: (report: PartReport) => void,
  stopped: () => boolean,
): Promise<boolean> {
  const part = 'operators' as const;
  const name = (window: TimeWindow) => `${part} ${network} ${window}`;
  let began = performance.now();
  const reports: PartReport[] = [];
  const note = (window: TimeWindow, report: Omit<PartReport, 'part' | 'network' | 'window' | 'seconds'>) => {
    const now = performance.now();
    reports.push({ ...{ part, network, window }, ...report, seconds: Math.round(now - began) / 1000 });
    began = now;
  };
  try {
    if (windows.includes('all'))
      while (
        !stopped() &&
        (await locking(pool, name('all'), options, (client) => sumDueMonth(client, network)))
      );
    if (stopped()) return false;
    await traced(`refresh ${part}`, attributesOf({ part, network }), async () => {
      if (isIncremental()) await keepUpToDate(pool, network, options);
      await transaction(pool, async (client) => {
        const own: TimeWindow[] = [];
        for (const window of windows) {
          if (await locked(client, name(window), options.wait)) own.push(window);
          else note(window, { state: 'passed' });
        }
        if (stopped()) return;
        await setMemory(client, options);
        const selection = { network, windows: own, types: options.types, allDays: options.allDays };
        const noted = (window: TimeWindow, outcome: Outcome | Error | undefined) => {
          if (outcome instanceof Error) note(window, { state: 'failed', error: outcome.message });
          else note(window, outcome ? { state: 'done', ...outcome } : { state: 'no facts' });
        };
        await refreshOperators(client, selection, noted, stopped);
      });
    });
  } catch (error) {
    // Nothing of this attempt is committed.
    for (const window of windows) {
      note(window, { state: 'failed', error: (error as Error).message });
    }
  }
  const inOrder = windows.flatMap((window) => reports.findLast((report) => report.window === window) ?? []);
  for (const report of inOrder) tell(report);
  return inOrder.length === windows.length;
}

const ATTEMPTS = 3;

/** If days change all the while, the windows are computed from the days that have not been added. */
async function keepUpToDate(pool: Pool, network: Network, options: RefreshOptions): Promise<void> {
  const { windows, wait, allDays: anew } = options;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const changed = new Error('Days changed while their sums were brought up to date.');
    const kept = transaction(pool, async (client) => {
      await setMemory(client, options);
      if (!(await keepSums(client, network, { windows, wait, anew }))) throw changed;
    });
    const isKept = await kept.then(
      () => true,
      (error) => {
        if (error === changed) return false;
        throw error;
      },
    );
    if (isKept) return;
  }
}

const attributesOf = ({ network, window, calendar }: Omit<PartReport, 'state' | 'seconds'>): Attributes => ({
  ...(network && { 'stakegraph.network': network }),
  ...(window && { 'stakegraph.window': window }),
  ...(calendar && { 'stakegraph.calendar': calendar }),
});

async function computed(
  pool: Pool,
  part: string,
  compute: RefreshPart['refresh'],
  options: RefreshOptions,
  stopped: () => boolean,
): Promise<Pick<PartReport, 'state'> & Partial<PartReport> & { stopped?: boolean }> {
  let sum: Partial<PartReport> | undefined;
  for (let after = '-infinity'; ; ) {
    const outcome = await locking(
      pool,
      part,
      options,
      async (client) => (await compute(client, after)) ?? ('no facts' as const),
    );
    if (outcome === undefined) return { state: 'passed', ...sum };
    if (typeof outcome === 'string') return sum ? { state: 'done', ...sum } : { state: outcome };
    const { dates, ...written } = outcome;
    if (!dates) return { state: 'done', ...written };
    sum = addedUp(sum, { ...written, days: dates.length });
    after = dates.at(-1) as string;
    if (dates.length < DAYS_AT_ONCE) return { state: 'done', ...sum };
    if (stopped()) return { state: 'done', ...sum, stopped: true };
  }
}

function addedUp(
  sum: Partial<PartReport> | undefined,
  more: Written & { days: number },
): Partial<PartReport> {
  const of = (name: keyof typeof more) => (sum?.[name] ?? 0) + more[name];
  return {
    ...{ rows: of('rows'), inserted: of('inserted'), updated: of('updated'), removed: of('removed') },
    days: of('days'),
  };
}

/** Undefined if the part is locked. */
const locking = <T>(
  pool: Pool,
  part: string,
  { wait, jobs }: RefreshOptions,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T | undefined> =>
  transaction(pool, async (client) => {
    if (!(await locked(client, part, wait))) return undefined;
    await setMemory(client, { jobs });
    return work(client);
  });

/**
 * Grouping a million validators needs up to 512 MB, which is work_mem × hash_mem_multiplier (2). Each worker groups them
 * too, so that a second one costs more than it saves.
 */
const setMemory = (client: pg.ClientBase, { jobs }: Pick<RefreshOptions, 'jobs'>) =>
  client.query(
    `/* refreshMemory */ set local work_mem = '256MB'; set local max_parallel_workers_per_gather = ${jobs > 1 ? 0 : 1}`,
  );

async function locked(client: pg.ClientBase, part: string, wait: boolean): Promise<boolean> {
  const key = `hashtext('stakegraph refresh ' || $1)`;
  const take = wait ? `pg_advisory_xact_lock(${key}) is not null` : `pg_try_advisory_xact_lock(${key})`;
  const { rows } = await client.query(`/* lockRefresh */ select ${take} as taken`, [part]);
  return rows[0].taken;
}
