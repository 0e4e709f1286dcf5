import type pg from 'pg';
import type { Network } from '../chain/networks.ts';
import { type TimeWindow, timeWindows } from '../chain/windows.ts';
import { type Pool, transaction } from '../db/pool.ts';
import { type ComputedType, refreshOperators } from './operators.ts';
import { refreshSlashings } from './slashings.ts';
import { refreshSolana } from './solana.ts';
import type { Written } from './write.ts';

/** What can be refreshed. */
export const subjects = ['operators', 'slashings', 'solana'] as const;
export type Subject = (typeof subjects)[number];

export type RefreshOptions = {
  networks: readonly Network[];
  windows: readonly TimeWindow[];
  only: readonly Subject[];
  types: readonly ComputedType[];
  /** Whether a part that another process is refreshing is waited for, or passed over. */
  wait: boolean;
};

/** What became of a part: `passed` over since another process is at it, or without facts there is nothing to do. */
export type PartReport = {
  part: Subject;
  network?: Network;
  window?: TimeWindow;
  state: 'done' | 'passed' | 'no facts' | 'failed';
  seconds: number;
  error?: string;
} & Partial<Written & { facts: number }>;

type Part = Pick<PartReport, 'part' | 'network' | 'window'> & {
  refresh(client: pg.ClientBase): Promise<Partial<PartReport> | undefined>;
};

/** The parts of a refresh: each is a transaction, so that readers see all of it or nothing. */
function partsOf({ networks, windows, only, types }: RefreshOptions): Part[] {
  const chosen = timeWindows.filter((window) => windows.includes(window));
  const parts: Record<Subject, Part[]> = {
    operators: networks.flatMap((network) =>
      chosen.map((window) => ({
        ...{ part: 'operators' as const, network, window },
        refresh: (client) => refreshOperators(client, network, window, types),
      })),
    ),
    slashings: networks.map((network) => ({
      ...{ part: 'slashings' as const, network },
      refresh: (client) => refreshSlashings(client, network),
    })),
    solana: chosen.map((window) => ({
      ...{ part: 'solana' as const, window },
      refresh: (client) => refreshSolana(client, window),
    })),
  };
  return subjects.filter((subject) => only.includes(subject)).flatMap((subject) => parts[subject]);
}

/**
 * Computes what is published from the facts that are stored, part by part, and tells of each; a part that fails does not
 * keep the others back. Done twice it changes nothing the second time. Ends after the part at hand when `stopped` says so,
 * and is false where parts were left.
 */
export async function refresh(
  pool: Pool,
  options: RefreshOptions,
  tell: (report: PartReport) => void,
  stopped: () => boolean = () => false,
): Promise<boolean> {
  for (const { refresh: compute, ...part } of partsOf(options)) {
    if (stopped()) return false;
    const began = performance.now();
    const seconds = () => Math.round(performance.now() - began) / 1000;
    try {
      const outcome = await transaction(pool, async (client) => {
        if (!(await locked(client, Object.values(part).join(' '), options.wait)))
          return { state: 'passed' as const };
        // A million validators are grouped in memory: half a gigabyte, once.
        await client.query("/* refreshMemory */ set local work_mem = '256MB'");
        return (await compute(client)) ?? { state: 'no facts' as const };
      });
      tell({ ...part, state: 'done', ...outcome, seconds: seconds() });
    } catch (error) {
      tell({ ...part, state: 'failed', error: (error as Error).message, seconds: seconds() });
    }
  }
  return true;
}

/** One process at a time refreshes a part; false when another one does and it is not waited for. */
async function locked(client: pg.ClientBase, part: string, wait: boolean): Promise<boolean> {
  const key = `hashtext('stakegraph refresh ' || $1)`;
  const take = wait ? `pg_advisory_xact_lock(${key}) is not null` : `pg_try_advisory_xact_lock(${key})`;
  const { rows } = await client.query(`/* lockRefresh */ select ${take} as taken`, [part]);
  return rows[0].taken;
}
