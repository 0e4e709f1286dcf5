import { refuseDistributed } from '../../db/distributed/layout.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import { keptDate } from '../retain/index.ts';
import type { StoredPart } from '../retain/needed.ts';
import { isGone, partsOf } from '../retain/parts.ts';
import { rewriteMonth, type SwapOptions } from './month.ts';
import { orderOf, TABLE } from './order.ts';

export type RepackOptions = Partial<SwapOptions> & {
  /** Like `2025-01`. */
  months?: readonly string[] | undefined;
  dryRun: boolean;
  now?: Date;
};

/** `rows` is an estimate unless the month was repacked. */
export type RepackReport = {
  /** Absent if no month was found. */
  month?: string;
  before?: string;
  part?: string;
  rows?: number;
  bytes?: number;
  state: 'repacked' | 'would repack' | 'in order' | 'nothing' | 'refused' | 'failed' | 'skipped';
  lockedMs?: number;
  error?: string;
  seconds: number;
};

/** Unless months are requested, newer days stay in date order, in which a refresh reads them. */
const READ_BY_DATE_DAYS = 90;
/** For requested months: imports may still write to newer days. */
const WRITTEN_DAYS = 4;

/** A month of thirty days with five corrected days has order 0.7. */
const LEAST_ORDER = 0.75;

type Run = RepackOptions & { pool: Pool; url: string; stop: AbortSignal };

const monthOf = ({ from }: StoredPart) => from.slice(0, 7);

async function newestDate(pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query({
    text: '/* newestStoredDate */ select max(date)::text as date from validator_day_dates',
    values: [],
  });
  return (rows[0]?.date as string | null) ?? undefined;
}

async function repackMonth(
  run: Run,
  part: StoredPart,
): Promise<Pick<RepackReport, 'state'> & Partial<RepackReport>> {
  if ((await orderOf(run.pool, part.part)) >= LEAST_ORDER) return { state: 'in order' };
  if (run.dryRun) return { state: 'would repack' };
  const { attempts = 120, pauseMs = 5_000, lockTimeoutMs = 500, stop } = run;
  let lockedAt = 0;
  const rows = await transaction(run.pool, async (client) => {
    const done = await rewriteMonth(client, run.url, part.part, { attempts, pauseMs, lockTimeoutMs, stop });
    lockedAt = done?.lockedAt ?? 0;
    return done?.rows;
  });
  if (rows === undefined && stop.aborted)
    return { state: 'skipped', error: 'it was stopped before it began' };
  if (rows === undefined)
    return { state: 'skipped', error: 'another process is repacking or has dropped it' };
  return { state: 'repacked', rows, lockedMs: Math.ceil(performance.now() - lockedAt) };
}

export async function repack(
  { pool, url }: { pool: Pool; url: string },
  options: RepackOptions,
  tell: (report: RepackReport) => void,
  stop: AbortSignal = new AbortController().signal,
): Promise<void> {
  refuseDistributed('stakegraph repack');
  const run: Run = { ...options, pool, url, stop };
  const { months, now = new Date() } = options;
  const newest = await newestDate(pool);
  const parts = newest ? await partsOf(pool, TABLE) : [];
  for (const month of months ?? [])
    if (!parts.some((part) => monthOf(part) === month))
      tell({ month, state: 'refused', error: 'no days of this month are stored', seconds: 0 });
  if (!newest) {
    if (!months) tell({ state: 'nothing', seconds: 0 });
    return;
  }
  const ended = keptDate(months ? WRITTEN_DAYS : READ_BY_DATE_DAYS, now, newest);
  if (!months && !parts.some((part) => part.before <= ended))
    tell({ state: 'nothing', before: ended, seconds: 0 });
  for (const part of parts) {
    const month = monthOf(part);
    if (stop.aborted) return;
    if (months ? !months.includes(month) : part.before > ended) continue;
    const { rows, bytes } = part;
    const began = performance.now();
    const done =
      part.before > ended
        ? {
            state: 'refused' as const,
            error: `it does not end before ${ended}, and days of it may still be imported`,
          }
        : await repackMonth(run, part).catch((error: Error) => ({
            state: isGone(error) ? ('skipped' as const) : ('failed' as const),
            error: error.message,
          }));
    const seconds = Math.round(performance.now() - began) / 1000;
    tell({ month, part: part.part, rows, bytes, ...done, seconds });
  }
}
