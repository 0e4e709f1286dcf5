import type pg from 'pg';
import { type TimeWindow, windowDays } from '../chain/windows.ts';
import { spanOf } from '../db/epoch-spans.ts';
import { type Sql, sql } from '../db/rows.ts';
import { solanaOverviewImporter } from '../ingest/importers/solana-overview.ts';
import { stakeAuthorityImporter } from '../ingest/importers/stake-authorities.ts';
import { checkValidators, counts, isSummed, newestEpoch, seconds } from './solana-epochs.ts';
import { overview } from './solana-overview.ts';
import { stakeAuthorities } from './stake-authorities.ts';
import { run, type Written, writeSelected } from './write.ts';

/** In the window 1d, yields cover three days, because rewards come about every second day (spec §4.7, §4.8). */
const apyDaysOf: Record<TimeWindow, number | null> = { ...windowDays, '1d': 3 };

export async function refreshSolana(
  client: pg.ClientBase,
  window: TimeWindow,
): Promise<(Written & { facts: number }) | undefined> {
  const newest = await newestEpoch(client);
  if (newest === undefined) return undefined;
  const epochs = await gatherEpochs(client, window, newest);
  await checkValidators(client, epochs);
  const rows = await writeSelected(client, solanaOverviewImporter, overview(window), { replace: false });
  const authorities = await writeSelected(client, stakeAuthorityImporter, stakeAuthorities(window, epochs), {
    replace: true,
  });
  const { rows: counted } = await run(
    client,
    sql`/* countSolanaFacts */ select count(*)::int as facts from solana_stake_authority_epochs where epoch = any(${epochs}::int[])`,
  );
  return {
    facts: counted[0]?.facts,
    rows: rows.rows + authorities.rows,
    inserted: rows.inserted + authorities.inserted,
    updated: rows.updated + authorities.updated,
    removed: rows.removed + authorities.removed,
  };
}

/**
 * Creates two temporary tables: `window_epochs` has the epochs of the window, of which `before` marks the last one before it,
 * or else the first stored one; `window_spans` has the spans that are read from their sums, and is empty unless the window is
 * `all`. Returns the epochs whose rows are read.
 */
async function gatherEpochs(client: pg.ClientBase, window: TimeWindow, newest: number): Promise<number[]> {
  const within = (days: number | null): Sql =>
    days === null ? sql`true` : sql`ended_at > newest_end - make_interval(days => ${days})`;
  await run(
    client,
    sql`/* gatherSpans */
    create temp table window_spans on commit drop as
    select s.first_epoch, s.epochs, s.seconds from solana_epoch_spans s where ${window === 'all'} and ${isSummed(newest)}`,
  );
  await run(
    client,
    sql`/* gatherEpochs */
    create temp table window_epochs on commit drop as
    select *, epoch = max(epoch) over () as newest,
      epoch = coalesce(max(epoch) filter (where not inside) over (), min(epoch) over ()) as before,
      ${spanOf(sql`epoch`)} in (select first_epoch from window_spans) as summed
    from (
      select *, ${within(windowDays[window])} as inside, ${within(apyDaysOf[window])} as paid
      from (
        select e.*, ${seconds} as seconds, max(ended_at) over () as newest_end from solana_epochs e where ${counts}
      ) e
    ) e`,
  );
  await client.query('/* analyzeEpochs */ analyze window_epochs, window_spans');
  const { rows } = await run(
    client,
    sql`/* epochsOfWindow */ select epoch from window_epochs where (inside or paid) and not summed order by epoch`,
  );
  return rows.map(({ epoch }) => epoch);
}
