import { networks } from '../../chain/networks.ts';
import { retainables } from '../../config/ages.ts';
import type { Pool } from '../../db/pool.ts';
import { DAY_MS } from '../../kernel/time.ts';
import { archivePart } from './archiving.ts';
import {
  attempted,
  dateOf,
  dropInOrder,
  keptDate,
  type RetainOptions,
  type RetainReport,
  type Run,
} from './dropping.ts';
import { whyNeeded } from './needed.ts';
import { retainNetworkRewards } from './network-rewards.ts';
import { retainSlots } from './old-slots.ts';
import { dropPart, newestDates, type PartedTable, partedTables, partsOf } from './parts.ts';
import { slotTables } from './slots.ts';
import { retainSpans } from './spans.ts';

export { keptDate, type RetainOptions, type RetainReport } from './dropping.ts';

async function retainParts(run: Run, parted: PartedTable, days: number): Promise<void> {
  const { table, dataset, revision } = parted;
  const { pool, tell, now = new Date(), lockTimeoutMs = 500 } = run;
  const about = { dataset, table, rows: 0, bytes: 0, seconds: 0 };
  const parts = await partsOf(pool, table);
  const end = parts.at(-1)?.before;
  if (!end) return tell({ ...about, state: 'nothing' });
  const latest = keptDate(days, now, dateOf(Date.parse(end) - DAY_MS));
  if (!parts.some((part) => part.before <= latest))
    return tell({ ...about, before: latest, state: 'nothing' });
  const newest = await newestDates(pool, parted, parts);
  const [first, last] = [newest[0], newest.at(-1)];
  if (!first || !last) return tell({ ...about, state: 'nothing' });
  const before = keptDate(days, now, first.date);
  const old = parts.filter((part) => part.before <= before);
  const held = parts.filter((part) => part.before <= keptDate(days, now, last.date)).length > old.length;
  if (held) {
    const error = `nothing is stored after ${first.date}, so months that do not end before ${before} are kept`;
    tell({ ...about, network: first.network, before, state: 'held', error });
  } else if (old.length === 0) tell({ ...about, before, state: 'nothing' });
  const ofDays = dataset === 'validator-days';
  const archive = ofDays ? run.archive : undefined;
  if (ofDays && old.length > 0 && (await refusesToDrop(run, about))) return;
  await dropInOrder(run, about, old, {
    whyNeeded: ofDays ? whyNeeded : undefined,
    would: archive === undefined ? 'would drop' : 'would archive',
    drop: (part, what) =>
      archive === undefined
        ? attempted(run, what, { datasets: [revision], of: networks }, (client) =>
            dropPart(client, parted, part, lockTimeoutMs),
          )
        : archivePart(run, parted, part, what, archive),
  });
}

/** Refuses if older months are archived: a call without the folder would lose days that are meant to be archived. */
async function refusesToDrop(run: Run, about: Omit<RetainReport, 'state'>): Promise<boolean> {
  if (run.archive !== undefined || run.dropsDays) return false;
  const { rows } = await run.pool.query({
    text: '/* anyArchive */ select folder from archived_months order by month desc limit 1',
    values: [],
  });
  if (!rows[0]) return false;
  const error = `older months are archived: give --archive ${rows[0].folder} too, or --no-archive to drop days for good`;
  run.tell({ ...about, state: run.dryRun ? 'would refuse' : 'refused', error });
  return true;
}

/** Drops the oldest parts first, each in its own transaction. Idempotent. */
export async function retain(
  pool: Pool,
  options: RetainOptions,
  tell: (report: RetainReport) => void,
  stop: AbortSignal = new AbortController().signal,
): Promise<void> {
  const run = { ...options, pool, tell, stop };
  for (const dataset of retainables) {
    const days = options.ages[dataset];
    if (days === undefined || stop.aborted) continue;
    const parted = partedTables.find((one) => one.dataset === dataset);
    if (parted) await retainParts(run, parted, days);
    if (dataset === 'solana-stake-authority-epochs') await retainSpans(run, days);
    const slots = slotTables.find((one) => one.dataset === dataset);
    if (slots) await retainSlots(run, slots, days);
    if (dataset === 'network-rewards') await retainNetworkRewards(run, days);
  }
}
