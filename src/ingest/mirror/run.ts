import type { Network } from '../../chain/networks.ts';
import type { Pool } from '../../db/pool.ts';
import { SourceError } from '../source/source.ts';
import { ChangedError, StoppedError, UpstreamError } from './failure.ts';
import type { MirrorList } from './list.ts';
import { type Loading, loadList, titleOf } from './load.ts';
import type { MirrorResource, MirrorScope } from './options.ts';
import { type Planning, plansOf } from './plans.ts';
import { emptyTally, type RoundReport, type Tally } from './report.ts';
import { addUsage, alone, beginRun, endRun, type Run, stateOf } from './state.ts';
import { openUpstream, type UpstreamOptions } from './upstream.ts';

export type MirrorOptions = Omit<UpstreamOptions, 'stop' | 'onRequest' | 'onWait'> & {
  scope: MirrorScope;
  /** A round that broke off within this time is gone on with. */
  resumeWithinMs: number;
};

export type MirrorHooks = {
  /** Ends the run after the list that is being read, and at once where it waits to try again. */
  stop: AbortSignal;
  /** What goes on, for a person: tries, failures. */
  say: (message: string) => void;
  /** A list was begun. */
  onList?: (title: string, tallies: readonly Tally[]) => void;
};

/** So many lists in a row without an answer: the service is away, and the others are not tried. */
const MOST_UNANSWERED = 5;

/** Origin and base path: what tells one service from another. */
export const sourceOf = (from: URL): string => from.origin + from.pathname.replace(/\/+$/, '');

/** Mirrors every list once, or those that are left of a round that broke off. Lists that fail do not keep others from being loaded. */
export function mirrorOnce(db: Pool, options: MirrorOptions, hooks: MirrorHooks): Promise<RoundReport> {
  const source = sourceOf(options.from);
  return alone(db, source, async () => {
    const { scope, resumeWithinMs } = options;
    const run = await beginRun(db, { source, scope: JSON.stringify(scope), resumeWithinMs });
    const report = await walkLists(db, run, options, hooks);
    await endRun(db, run, report.complete);
    return report;
  });
}

async function walkLists(
  db: Pool,
  run: Run,
  options: MirrorOptions,
  hooks: MirrorHooks,
): Promise<RoundReport> {
  const startedAt = new Date().toISOString();
  const tallies: Tally[] = [];
  const failures: RoundReport['failures'] = [];
  let spent: { requests: number; units: number | undefined } = { requests: 0, units: undefined };
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
  const { stop } = hooks;
  const loading: Loading = { db, upstream, run, stop, firstBackoffMs: options.firstBackoffMs, say };
  const planning: Planning = {
    ...{ db, upstream, scope: options.scope },
    async position(key) {
      const state = await stateOf(db, run.source, key);
      return options.scope.full && state?.roundId !== run.roundId
        ? undefined
        : (state?.position ?? undefined);
    },
  };
  let unanswered = 0;
  let ended: string | undefined;

  async function settle(tally: Tally) {
    if (spent.requests > 0) await addUsage(db, run, tally.resource, spent);
    tally.requests += spent.requests;
    if (spent.units !== undefined) tally.computeUnits = (tally.computeUnits ?? 0) + spent.units;
    spent = { requests: 0, units: undefined };
  }

  /** Notes a failure; whatever is none of the service is thrown on. */
  function fail(tally: Tally, where: { network: Network | undefined; list: string }, error: unknown) {
    if (error instanceof StoppedError) return void (ended = 'stopped');
    if (!(error instanceof UpstreamError || error instanceof ChangedError || error instanceof SourceError))
      throw error;
    const status = error instanceof UpstreamError ? error.status : undefined;
    if (status === 404 && !options.scope.resourcesNamed) return void (tally.absent += 1);
    const away = error instanceof UpstreamError && error.again;
    unanswered = away ? unanswered + 1 : 0;
    tally.failed += 1;
    const message = upstream.redacted(error.message);
    failures.push({
      resource: tally.resource,
      network: where.network ?? null,
      list: where.list,
      error: message,
    });
    say(`${[tally.resource, where.network, where.list].filter(Boolean).join(' ')}: ${message}`);
    if (error instanceof UpstreamError && error.fatal) ended = 'the service refuses to go on';
    if (unanswered >= MOST_UNANSWERED) ended = 'the service does not answer';
  }

  /** Loads a list and counts it; false when it failed. */
  async function mirrorList(tally: Tally, list: MirrorList): Promise<boolean> {
    tally.lists += 1;
    const state = list.part ? undefined : await stateOf(db, run.source, list);
    if (state?.roundId === run.roundId) {
      tally.passed += 1;
      return true;
    }
    hooks.onList?.(titleOf(list), tallies);
    try {
      const { absent, ...counts } = await loadList(loading, list);
      for (const [name, count] of Object.entries(counts)) tally[name as keyof typeof counts] += count;
      tally[absent ? 'absent' : 'done'] += 1;
      unanswered = 0;
      return true;
    } catch (error) {
      fail(tally, { network: list.network, list: list.name }, error);
      return false;
    } finally {
      await settle(tally);
    }
  }

  async function mirrorResource(resource: MirrorResource) {
    const tally = emptyTally(resource);
    tallies.push(tally);
    for (const [network, lists] of plansOf(planning, resource)) {
      try {
        for await (const list of lists) {
          if (!(await mirrorList(tally, list)) && list.part) break; // what follows would leave a gap
          if (stop.aborted) ended ??= 'stopped';
          if (ended) return;
        }
      } catch (error) {
        fail(tally, { network, list: '' }, error);
        await settle(tally);
      }
      if (ended) return;
    }
  }

  for (const resource of options.scope.resources) {
    if (!ended) await mirrorResource(resource);
  }
  const nothing = tallies.every(({ done, passed }) => done + passed === 0) && failures.length === 0;
  if (nothing && !ended) ended = `the service has none of the lists; is ${run.source} its address?`;
  return {
    ...{ source: run.source, run: run.runId, round: run.roundId, resumed: run.resumed },
    ...{ startedAt, endedAt: new Date().toISOString() },
    ...{ complete: failures.length === 0 && ended === undefined, ended: ended ?? null },
    ...{ resources: tallies, failures },
  };
}
