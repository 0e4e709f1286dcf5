import type pg from 'pg';
import type { Network } from '../chain/networks.ts';
import { sql } from '../db/rows.ts';
import { slashingImporter } from '../ingest/slashings.ts';
import { type Written, writeSelected } from './write.ts';

/**
 * Brings what slashed validators lost up to date (spec §4.5, decisions on slashings): `balanceBeforeWithdrawal` is the
 * balance at the end of the newest day stored that ends after the slashing, and `slashingPenalties` the rest of
 * `balanceBeforeSlashing`, only while the head of the chain is before `withdrawableEpoch`: afterwards the row is frozen.
 * The head is the newest that blocks or days of validators tell.
 */
export const refreshSlashings = (client: pg.ClientBase, network: Network): Promise<Written> =>
  writeSelected(
    client,
    slashingImporter,
    sql`
    with head as (
      select greatest(
        (select slot / 32 from chain_heads where network = ${network}),
        (select max(a.end_epoch) from validator_days a
          where a.network = ${network} and not a.utc and a.date = (
            select max(date) from validator_day_dates where network = ${network} and not utc))
      ) as epoch
    )
    select s.network, s.validator_index, s.validator_pubkey, s.slashing_epoch, s.withdrawable_epoch,
      s.balance_before_slashing, a.end_epoch_balance, s.balance_before_slashing - a.end_epoch_balance
    from slashings s
    join head on head.epoch < s.withdrawable_epoch
    cross join lateral (
      select end_epoch, end_epoch_balance from validator_days a
      where a.network = ${network} and not a.utc and a.validator_index = s.validator_index
      order by a.date desc limit 1
    ) a
    where s.network = ${network} and a.end_epoch >= s.slashing_epoch`,
    { replace: false },
  );
