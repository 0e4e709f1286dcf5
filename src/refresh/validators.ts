import type pg from 'pg';
import { SLOTS_PER_DAY } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import type { TimeWindow } from '../chain/windows.ts';
import { join, raw, type Sql, sql } from '../db/rows.ts';
import { summedCounts } from '../ingest/importers/validator-months.ts';
import * as figure from '../periods/effectiveness.ts';
import { relayNames, relayPart } from '../periods/relays.ts';
import { droppedBlocks } from './dropped-relays.ts';
import { areStill, type Kept, keptSums } from './incremental/kept-sums.ts';
import { type ComputedType, gatherOwners, numberOperators } from './owners.ts';
import { joined, sourcesOf } from './sums.ts';
import { difference, monthOf, type Parts, partsOf, type StoredDays, storedDays } from './windows.ts';
import { run } from './write.ts';

/**
 * Figures are summed as integers of 1e-15, because a sum of doubles depends on the order of rows. 100 % has 18 digits,
 * which fit 64 bits.
 */
const SCALE = sql`1e15::float8`;
export const scaled = (value: Sql) => sql`round(${SCALE} * ${value})::bigint`;

const figures = {
  correctness: scaled(figure.correctness),
  delay: scaled(figure.inclusionDelay),
  uptime: scaled(figure.uptime),
  effectiveness: scaled(figure.effectiveness),
  proposals: figure.proposals,
  missed: sql`a.missed_proposal_count`,
};
const ofWindow = [...Object.keys(figures), 'apr_rewards', 'apr_stake'];

type SummaryScope = { network: Network; windows: readonly TimeWindow[]; types: readonly ComputedType[] };

export type Gathered = {
  stored: StoredDays;
  ofWindow: ReadonlyMap<TimeWindow, { facts: number; epoch: number | null }>;
};

const ATTEMPTS = 3;

/**
 * Fills `window_validators`: a row for each validator with its figures in each window. Starts again if the kept sums are
 * replaced meanwhile. Starts again if labels of validators change, but at most twice: the next refresh computes later changes.
 */
export async function gatherValidators(
  client: pg.ClientBase,
  { network, windows, types }: SummaryScope,
  keeps: boolean,
): Promise<Gathered | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await storedDays(client, network);
    if (!stored) return undefined;
    const labels = await labelsNow(client);
    await gatherOwners(client, network, types);
    const wanted = partsOf(stored, windows);
    const kept = keeps && attempt < ATTEMPTS ? await keptSums(client, network, windows) : undefined;
    const more = kept && moreThan(kept, stored, wanted);
    const parts = more ?? (difference(stored, wanted, new Map()) as Parts);
    await gather(client, { network, windows }, { stored, parts, kept: more && kept });
    const isWhole = !more || (await areStill(client, network, kept as Kept));
    if (isWhole && (attempt === ATTEMPTS || labels === (await labelsNow(client)))) {
      await numberOperators(client, types);
      return { stored, ofWindow: await factsOfWindows(client, network, windows, wanted) };
    }
    await client.query('/* forgetValidators */ drop table window_validators, owners, owned');
  }
}

/** Owners and validators are gathered by two statements. */
async function labelsNow(client: pg.ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ revision: number }>(
    `/* labelsNow */ select revision from datasets where name = 'validators'`,
  );
  return rows[0]?.revision;
}

/** Days to add to the kept sums; undefined if the sums cannot be used. Balances are read from the newest day. */
function moreThan({ parts }: Kept, stored: StoredDays, wanted: Parts): Parts | undefined {
  const more = difference(stored, wanted, parts);
  return more && more.size < wanted.size && more.has(stored.days[0]?.date as string) ? more : undefined;
}

async function gather(
  client: pg.ClientBase,
  { network, windows }: Omit<SummaryScope, 'types'>,
  { stored, parts, kept }: { stored: StoredDays; parts: Parts; kept: Kept | undefined },
): Promise<void> {
  // The planner expects few rows of sums and days together, and would look up each validator by index. JIT saves a
  // fifth of the time of the sums.
  await client.query(
    '/* hashedSums */ set local enable_nestloop = off; set local enable_mergejoin = off; set local jit = on',
  );
  const { sources, newest } = await sourcesOf(client, network, stored, parts);
  const all = [...(kept ? [kept.source] : []), ...sources];
  const at = raw(`s${all.findIndex(({ rows }) => rows === newest)}`);
  const balances = sql`, ${at}.balance, ${at}.effective, ${at}.end_epoch`;
  const window = (name: TimeWindow) => sql`
    cross join lateral (
      select ${join(Object.entries(figures).map(([column, value]) => sql`${value} as ${raw(`${column}_${name}`)}`))}
      from (select ${raw(summedCounts.map((count) => `j.${count}_${name} as ${count}`).join(', '))}) a
    ) f${raw(name)}`;
  // Without "offset 0", each of the many places of a sum in the figures would add it up once more.
  const list = windows.flatMap((name) => ofWindow.map((column) => `${column}_${name}`));
  await run(
    client,
    sql`/* gatherValidators */
    create temp table window_validators on commit drop as
    select j.validator_index, o.owner, c.client,
      j.balance, j.effective, j.end_epoch, ${raw(list.join(', '))}
    from (${joined(all, windows, balances)} offset 0) j ${join(windows.map(window), ' ')}
    left join owned o using (validator_index)
    left join validator_clients c on c.network = ${network} and c.validator_index = j.validator_index`,
  );
  await client.query('/* interpreted */ set local jit = off; set local enable_mergejoin to default');
  await client.query('/* analyzeValidators */ analyze window_validators');
}

/** Counts the validators of each window. `epoch` is the last one of the newest day on which a validator has duties. */
async function factsOfWindows(
  client: pg.ClientBase,
  network: Network,
  windows: readonly TimeWindow[],
  wanted: Parts,
): Promise<Gathered['ofWindow']> {
  const { rows } = await run(
    client,
    sql`/* validatorsOfWindows */
    select max(end_epoch) as epoch, ${raw(windows.map((window) => `count(uptime_${window})::int as "${window}"`).join(', '))}
    from window_validators`,
  );
  const { epoch, ...counts } = rows[0];
  const found = new Map<TimeWindow, { facts: number; epoch: number | null }>();
  for (const window of windows) {
    const last = epoch ?? (counts[window] > 0 ? await lastEpoch(client, network, window, wanted) : null);
    found.set(window, { facts: counts[window], epoch: last });
  }
  return found;
}

/** Days and months are read by themselves, because Citus answers some joins of distributed days wrongly. */
async function lastEpoch(
  client: pg.ClientBase,
  network: Network,
  window: TimeWindow,
  wanted: Parts,
): Promise<number | null> {
  const counted = [...wanted].filter(([, { shares }]) => shares[window]?.[0] === 1);
  const of = (isMonth: boolean) =>
    counted.filter(([, part]) => part.isMonth === isMonth).map(([key]) => monthOf(key));
  const { rows: days } = await run(
    client,
    sql`/* lastEpochOfDays */
    select max(a.end_epoch) as epoch from validator_days a
    where a.network = ${network} and not a.utc and a.date = any(${of(false)}::date[]) and ${figure.duties} > 0`,
  );
  if (days[0].epoch !== null) return days[0].epoch;
  const { rows: months } = await run(
    client,
    sql`/* lastEpochOfMonths */
    select max(end_epoch) as epoch from validator_month_sums
    where network = ${network} and month = any(${of(true)}::date[])`,
  );
  return months[0].epoch;
}

/** The relays of each proposed block of the window's members. */
export async function gatherRelays(
  client: pg.ClientBase,
  { network, window }: { network: Network; window: TimeWindow },
  days: { first: number; last: number },
): Promise<void> {
  const first = days.first * SLOTS_PER_DAY;
  const end = (days.last + 1) * SLOTS_PER_DAY;
  const relaysOf = (blocks: Sql) => sql`
    select w.owner, r.relayer, ${relayPart} as blocks
    from (${blocks}) b
    join window_validators w on w.validator_index = b.validator_index and w.uptime_${raw(window)} is not null
    cross join lateral unnest(${relayNames}) as r (relayer)`;
  // Without "offset 0", the planner would read the blocks of a year by proposer: a page for each.
  const stored = sql`
    select validator_index, relays from blocks
    where network = ${network} and consensus_proposer_duty = 'proposed' and relays is not null
      and slot >= ${first} and slot < ${end} offset 0`;
  // One statement, so that blocks that are dropped meanwhile count once.
  await run(
    client,
    sql`/* gatherRelays */
    create temp table window_relays on commit drop as
    ${relaysOf(stored)} union all ${relaysOf(droppedBlocks(network, first, end))}`,
  );
  await client.query('/* analyzeRelays */ analyze window_relays');
}
