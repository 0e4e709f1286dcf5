import type pg from 'pg';
import { type TimeWindow, windowDays } from '../../chain/windows.ts';
import { type Sql, sql } from '../../db/rows.ts';
import { solanaOverviewImporter } from '../solana-overview.ts';
import { stakeAuthorityImporter } from '../stake-authorities.ts';
import { overview } from './solana-overview.ts';
import { stakeAuthorities } from './stake-authorities.ts';
import { run, type Written, writeSelected } from './write.ts';

/** In the window 1d, yields cover three days, because rewards come about every second day (spec §4.7, §4.8). */
const apyDaysOf: Record<TimeWindow, number | null> = { ...windowDays, '1d': 3 };

export async function refreshSolana(
  client: pg.ClientBase,
  window: TimeWindow,
): Promise<(Written & { facts: number }) | undefined> {
  if (!(await gatherEpochs(client, window))) return undefined;
  await checkValidators(client);
  const rows = await writeSelected(client, solanaOverviewImporter, overview(window), { replace: false });
  const authorities = await writeSelected(client, stakeAuthorityImporter, stakeAuthorities(window), {
    replace: true,
  });
  const { rows: counted } = await run(
    client,
    sql`/* countSolanaFacts */ select count(*)::int as facts from window_epochs w
      join solana_stake_authority_epochs a using (epoch) where w.inside or w.paid`,
  );
  return {
    facts: counted[0]?.facts,
    rows: rows.rows + authorities.rows,
    inserted: rows.inserted + authorities.inserted,
    updated: rows.updated + authorities.updated,
    removed: rows.removed + authorities.removed,
  };
}

/** `before` marks the last epoch before the window, or else the first stored epoch. */
async function gatherEpochs(client: pg.ClientBase, window: TimeWindow): Promise<boolean> {
  const within = (days: number | null): Sql =>
    days === null ? sql`true` : sql`ended_at > newest_end - make_interval(days => ${days})`;
  const gathered = await run(
    client,
    sql`/* gatherEpochs */
    create temp table window_epochs on commit drop as
    select *, epoch = max(epoch) over () as newest,
      epoch = coalesce(max(epoch) filter (where not inside) over (), min(epoch) over ()) as before
    from (
      select *, ${within(windowDays[window])} as inside, ${within(apyDaysOf[window])} as paid
      from (
        select e.*, extract(epoch from ended_at - started_at)::numeric as seconds, max(ended_at) over () as newest_end
        from solana_epochs e
        where exists (select from solana_validator_epochs v where v.epoch = e.epoch)
          and (exists (select from solana_stake_authority_epochs a where a.epoch = e.epoch)
            or not exists (select from solana_stake_authority_epochs))
      ) e
    ) e`,
  );
  await client.query('/* analyzeEpochs */ analyze window_epochs');
  return (gathered.rowCount ?? 0) > 0;
}

async function checkValidators(client: pg.ClientBase): Promise<void> {
  const { rows } = await run(
    client,
    sql`/* checkValidators */
    select a.epoch, a.vote_account from window_epochs w
    join solana_stake_authority_epochs a using (epoch)
    where (w.inside or w.paid) and not exists (
      select from solana_validator_epochs v where (v.epoch, v.vote_account) = (a.epoch, a.vote_account)
    )
    order by 1, 2 limit 1`,
  );
  const [missing] = rows;
  if (!missing) return;
  throw new Error(
    `Stake is with validator ${missing.vote_account} in epoch ${missing.epoch}, but solana-validator-epochs has no row for it: import that row.`,
  );
}
