import type pg from 'pg';
import type { Network } from '../../chain/networks.ts';
import { TimeWindow } from '../../chain/windows.ts';
import { raw, type Sql, sql } from '../../db/rows.ts';
import { joined, type Source, sourcesOf, sumColumns } from '../sums.ts';
import {
  difference,
  type Parts,
  partsOf,
  type StoredDays,
  type SummedPart,
  storedDays,
  versionsOf,
  windowsOf,
} from '../windows.ts';
import { run } from '../write.ts';

/** The window `1d` is a single day. */
const keptWindows: readonly TimeWindow[] = TimeWindow.options.filter((window) => window !== '1d');
/** An index still changes the newest days: fees of the last blocks of a day arrive after it. */
const OPEN_DAYS = 2;

/** `stamp` differs after the sums were replaced. */
export type Kept = { parts: Parts; stamp: string; source: Source };

const sourceOf = (rows: Sql): Source => ({
  rows,
  shares: Object.fromEntries(keptWindows.map((window) => [window, [1, 1]])),
  isOfWindows: true,
});

/** The sums that are kept of these windows; undefined if none are. */
export async function keptSums(
  client: pg.ClientBase,
  network: Network,
  windows: readonly TimeWindow[],
): Promise<Kept | undefined> {
  const { rows } = await run(
    client,
    sql`/* keptSums */ select parts, stamp from kept_sums where network = ${network} and parts is not null`,
  );
  if (!rows[0]) return undefined;
  const parts = partsFrom(rows[0].parts, windows);
  const source = sourceOf(sql`(select * from window_sums where network = ${network})`);
  return parts.size > 0 ? { parts, stamp: rows[0].stamp, source } : undefined;
}

/** Whether nobody has replaced the sums since they were read. */
export async function areStill(client: pg.ClientBase, network: Network, { stamp }: Kept): Promise<boolean> {
  const { rows } = await run(
    client,
    sql`/* areSumsStill */ select from kept_sums where network = ${network} and stamp = ${stamp}::uuid`,
  );
  return rows.length > 0;
}

function partsFrom(stored: readonly [string, SummedPart][], windows: readonly TimeWindow[]): Parts {
  const parts: Parts = new Map();
  for (const [key, part] of stored) {
    const own = windowsOf(part).filter((window) => windows.includes(window));
    const shares = Object.fromEntries(own.map((window) => [window, part.shares[window]]));
    if (own.length > 0) parts.set(key, { ...part, shares });
  }
  return parts;
}

/**
 * Brings the kept sums up to date: adds days that have come, and subtracts those that have left their window. Sums all days
 * if one of them has changed since it was added, but only for a refresh of all windows. Call in a transaction of its own.
 * Returns false if days changed meanwhile: then roll back.
 */
export async function keepSums(
  client: pg.ClientBase,
  network: Network,
  { windows, wait, anew }: { windows: readonly TimeWindow[]; wait: boolean; anew: boolean },
): Promise<boolean> {
  await run(
    client,
    sql`/* firstSums */ insert into kept_sums (network) values (${network}) on conflict do nothing`,
  );
  // Amounts that are added to these sums wait, and are added to the new ones.
  const { rows } = await run(
    client,
    sql`/* lockSums */ select parts from kept_sums where network = ${network} for update ${raw(wait ? '' : 'skip locked')}`,
  );
  if (rows.length === 0) return true; // another process brings them up to date
  const stored = await storedDays(client, network);
  if (!stored) return true;
  const wanted = partsOf(stored, keptWindows);
  for (const { date } of stored.days.slice(0, OPEN_DAYS)) wanted.delete(date);
  const had = !anew && rows[0].parts && partsFrom(rows[0].parts, keptWindows);
  const changes = had && difference(stored, wanted, had);
  if (changes?.size === 0) return true;
  const isAdded = changes && changes.size < wanted.size;
  if (!isAdded && keptWindows.some((window) => !windows.includes(window))) return true;
  const added = isAdded ? changes : (difference(stored, wanted, new Map()) as Parts);
  await client.query(
    '/* hashedSums */ set local enable_nestloop = off; set local enable_mergejoin = off; set local jit = on',
  );
  const { sources } = await sourcesOf(client, network, stored, added);
  await replaceSums(client, network, sources, Boolean(isAdded));
  await run(
    client,
    sql`/* noteSums */
    update kept_sums set parts = ${JSON.stringify([...wanted])}::json, stamp = gen_random_uuid() where network = ${network}`,
  );
  return areUnchanged(
    stored,
    await storedDays(client, network),
    new Set([...wanted.keys(), ...added.keys()]),
  );
}

async function replaceSums(
  client: pg.ClientBase,
  network: Network,
  sources: readonly Source[],
  isAdded: boolean,
) {
  const columns = keptWindows.flatMap((window) => sumColumns(window).map(({ column }) => column));
  const duties = keptWindows
    .map((w) => `total_unique_attestations_${w} + sum_missed_attestations_${w}`)
    .join(' + ');
  const removed = sql`delete from window_sums where network = ${network}`;
  const all = isAdded ? [sourceOf(sql`removed`), ...sources] : sources;
  if (!isAdded) await run(client, sql`/* dropSums */ ${removed}`);
  if (all.length === 0) return;
  await run(
    client,
    sql`/* replaceSums */ ${isAdded ? sql`with removed as (${removed} returning *)` : sql``}
    insert into window_sums (network, validator_index, ${raw(columns.join(', '))})
    select ${network}, j.* from (${joined(all, keptWindows)}) j where ${raw(duties)} > 0`,
  );
}

/** `keys` of parts were read between the two. */
function areUnchanged(before: StoredDays, after: StoredDays | undefined, keys: ReadonlySet<string>): boolean {
  if (!after) return false;
  const [then, now] = [versionsOf(before), versionsOf(after)];
  return [...keys].every((key) => then.get(key) === now.get(key));
}
