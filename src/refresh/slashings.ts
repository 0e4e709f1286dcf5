import type pg from 'pg';
import { EPOCHS_PER_DAY, SLOTS_PER_EPOCH } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import { sql } from '../db/rows.ts';
import { slashingImporter } from '../ingest/importers/slashings.ts';
import { localDays } from './local-days.ts';
import { run, type Written, writeSelected } from './write.ts';

/**
 * Rules: docs/data-model.md, spec §4.5. A slashed validator has no days after its exit, but penalties continue, so only a
 * balance below the stored one replaces it.
 */
export async function refreshSlashings(client: pg.ClientBase, network: Network): Promise<Written> {
  if (!(await hasOpen(client, network))) return { rows: 0, inserted: 0, updated: 0, removed: 0 };
  const days = await localDays(client, { network, utc: false });
  const { rows } = await run(
    client,
    sql`/* newestDay */
    select max(a.date)::text as date, max(a.end_epoch) as epoch,
      greatest(max(a.end_epoch), (select slot / ${SLOTS_PER_EPOCH} from chain_heads where network = ${network})) as head
    from ${days} a
    where a.network = ${network} and not a.utc and a.date = (
      select max(date) from validator_day_dates where network = ${network} and not utc)`,
  );
  const { date, epoch, head } = rows[0];
  return writeSelected(
    client,
    slashingImporter,
    {
      columns: {
        network: sql`s.network`,
        validator_index: sql`s.validator_index`,
        validator_pubkey: sql`s.validator_pubkey`,
        slashing_epoch: sql`s.slashing_epoch`,
        withdrawable_epoch: sql`s.withdrawable_epoch`,
        balance_before_slashing: sql`s.balance_before_slashing`,
        balance_before_withdrawal: sql`b.balance`,
        slashing_penalties: sql`s.balance_before_slashing - b.balance`,
      },
      from: sql`
    from slashings s
    join ${days} a on a.network = s.network and not a.utc and a.validator_index = s.validator_index
    cross join lateral (
      select case when a.end_epoch < ${epoch}::int then least(a.end_epoch_balance, s.balance_before_withdrawal)
        else a.end_epoch_balance end as balance
    ) b
    where s.network = ${network} and s.withdrawable_epoch > ${head}::int
      and a.date = ${date}::date and a.end_epoch >= s.slashing_epoch
      and coalesce(a.end_epoch >= s.balance_epoch, true) -- an index knows newer balances`,
    },
    { replace: false },
  );
}

/** Whether a validator is withdrawable after the newest day has begun. */
async function hasOpen(client: pg.ClientBase, network: Network): Promise<boolean> {
  const { rows } = await run(
    client,
    sql`/* openSlashings */
    select from slashings where network = ${network} and withdrawable_epoch > ${EPOCHS_PER_DAY}::int * (
      select max(day) from validator_day_dates where network = ${network} and not utc) limit 1`,
  );
  return rows.length > 0;
}
