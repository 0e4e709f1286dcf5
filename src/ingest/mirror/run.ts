import type { Pool } from '../../db/pool.ts';
import { traced } from '../../kernel/tracing.ts';
import { SourceError } from '../source/source.ts';
import { StoppedError, UpstreamError } from './failure.ts';
import type { MirrorList } from './list.ts';
import { loadList, titleOf } from './load.ts';
import type { MirrorResource, MirrorScope } from './options.ts';
import { plansOf } from './plans.ts';
import { emptyTally, type RoundReport, type Tally } from './report.ts';
import { addUsage, beginRun, endRun, type Run, stateOf, withAdvisoryLock } from './state.ts';
import { openUpstream, type Upstream, type UpstreamOptions } from './upstream.ts';

export type MirrorOptions = Omit<UpstreamOptions, 'stop' | 'onRequest' | 'onWait'> & {
  scope: MirrorScope;
  resumeWithinMs: number;
  replace: boolean;
};

export type MirrorHooks = {
  /** Ends the run after the current list; ends a wait immediately. */
  stop: AbortSignal;
  say: (message: string) => void;
  /** `title` is undefined when a list ends. */
  onList?: (title: string | undefined, tallies: readonly Tally[]) => void;
};

type Round = MirrorHooks & {
  db: Pool;
  run: Run;
  options: MirrorOptions;
  upstream: Upstream;
  spent: { requests: number; units: number | undefined };
  tallies: Tally[];
  failures: RoundReport['failures'];
  /** Consecutive lists that failed after all retries. */
  unanswered: number;
  ended: string | undefined;
};

const MAX_UNANSWERED = 5;

const sourceOf = (from: URL): string => from.origin + from.pathname.replace(/\/+$/, '');

/** Continues after a failed list. Throws if another process mirrors the service into this database. */
export function mirrorOnce(db: Pool, options: MirrorOptions, hooks: MirrorHooks): Promise<RoundReport> {
  const source = sourceOf(options.from);
  return withAdvisoryLock(db, source, (lost) =>
    traced('mirror', {}, async (span) => {
      const { scope, resumeWithinMs } = options;
      const startedAt = new Date().toISOString();
      const run = await beginRun(db, { source, scope: JSON.stringify(scope), resumeWithinMs });
      const round = openRound(db, run, options, { ...hooks, stop: AbortSignal.any([hooks.stop, lost]) });
      for (const resource of scope.resources) {
        if (!round.ended) await mirrorResource(round, resource);
      }
      if (lost.aborted) round.ended = 'the connection that holds the lock of this mirror was lost';
      const report = reportOf(round, startedAt);
      await endRun(db, run, report.complete);
      span?.set({ 'stakegraph.complete': report.complete });
      return report;
    }),
  );
}

function openRound(db: Pool, run: Run, options: MirrorOptions, hooks: MirrorHooks): Round {
  const spent: Round['spent'] = { requests: 0, units: undefined };
  const upstream = openUpstream({
    ...options,
    stop: hooks.stop,
    onWait: hooks.say,
    onRequest(units) {
      spent.requests += 1;
      if (units !== undefined) spent.units = (spent.units ?? 0) + units;
    },
  });
  const say = (message: string) => hooks.say(upstream.redacted(message));
  const found = { tallies: [], failures: [], unanswered: 0, ended: undefined };
  return { ...hooks, ...found, say, db, run, options, upstream, spent };
}

function reportOf(round: Round, startedAt: string): RoundReport {
  const { run, tallies, failures } = round;
  const nothing = failures.length === 0 && tallies.every(({ done, passed }) => done + passed === 0);
  if (nothing) round.ended ??= `the service has none of the lists; is ${run.source} its address?`;
  return {
    ...{ source: run.source, run: run.runId, round: run.roundId, resumed: run.resumed },
    ...{ startedAt, endedAt: new Date().toISOString() },
    ...{ complete: failures.length === 0 && round.ended === undefined, ended: round.ended ?? null },
    ...{ resources: tallies, failures },
  };
}

async function mirrorResource(round: Round, resource: MirrorResource): Promise<void> {
  const { db, run, upstream } = round;
  const { scope } = round.options;
  const position = async (list: Pick<MirrorList, 'resource' | 'network' | 'name'>) => {
    const state = await stateOf(db, run.source, list);
    const known = state && (!scope.full || state.roundId === run.roundId);
    return known ? (state.position ?? undefined) : undefined;
  };
  const tally = emptyTally(resource);
  round.tallies.push(tally);
  for (const [network, lists] of plansOf({ db, source: run.source, upstream, scope, position }, resource)) {
    try {
      for await (const list of lists) {
        if (!(await mirrorList(round, tally, list)) && list.part) break; // loading later parts would leave a gap
        if (round.stop.aborted) round.ended ??= 'stopped';
        if (round.ended) return;
      }
    } catch (error) {
      noteFailure(round, tally, { network: network ?? null, list: '' }, error);
      await settle(round, tally);
    }
    if (round.ended) return;
  }
}

async function mirrorList(round: Round, tally: Tally, list: MirrorList): Promise<boolean> {
  tally.lists += 1;
  const state = list.part ? undefined : await stateOf(round.db, round.run.source, list);
  if (state?.roundId === round.run.roundId) {
    tally.passed += 1;
    return true;
  }
  round.onList?.(titleOf(list), round.tallies);
  try {
    const { resource, network } = list;
    const attributes = { 'stakegraph.dataset': resource, ...(network && { 'stakegraph.network': network }) };
    const { absent, ...counts } = await traced(`mirror ${resource}`, attributes, () => loadList(round, list));
    round.onList?.(undefined, round.tallies);
    for (const name of ['rows', 'inserted', 'updated', 'removed'] as const) tally[name] += counts[name];
    tally[absent ? 'absent' : 'done'] += 1;
    round.unanswered = 0;
    return true;
  } catch (error) {
    noteFailure(round, tally, { network: list.network ?? null, list: list.name }, error);
    return false;
  } finally {
    await settle(round, tally);
  }
}

async function settle({ db, run, spent }: Round, tally: Tally): Promise<void> {
  const { requests, units } = spent;
  if (requests > 0) await addUsage(db, run, tally.resource, { requests, units });
  tally.requests += requests;
  if (units !== undefined) tally.computeUnits = (tally.computeUnits ?? 0) + units;
  Object.assign(spent, { requests: 0, units: undefined });
}

function noteFailure(
  round: Round,
  tally: Tally,
  where: { network: string | null; list: string },
  error: unknown,
): void {
  if (error instanceof StoppedError) {
    round.ended = 'stopped';
    return;
  }
  if (!(error instanceof UpstreamError || error instanceof SourceError)) throw error;
  const { status, again = false, fatal = false } = error instanceof UpstreamError ? error : {};
  if (status === 404 && !round.options.scope.resourcesNamed) {
    tally.absent += 1;
    return;
  }
  tally.failed += 1;
  const message = round.upstream.redacted(error.message);
  round.failures.push({ resource: tally.resource, ...where, error: message });
  round.say(`${[tally.resource, where.network, where.list].filter(Boolean).join(' ')}: ${message}`);
  round.unanswered = again ? round.unanswered + 1 : 0;
  if (round.unanswered >= MAX_UNANSWERED) round.ended = 'the service does not respond';
  if (fatal) round.ended = 'the service refuses further requests';
}
