import type pg from 'pg';
import { EPOCHS_PER_DAY, SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';

const SLOTS_PER_DAY = EPOCHS_PER_DAY * SLOTS_PER_EPOCH;

/** Takes execution rewards over into the chain days that the index wrote, once all blocks of a changed day have them. */
export async function addChainDayFees(client: pg.ClientBase, network: Network): Promise<boolean> {
  const { rowCount } = await client.query(
    `/* addChainDayFees */
    update chain_daily_rewards c
    set (sum_execution_rewards, sum_priority_fees, sum_baseline_mev) = (b.execution, b.fees, b.mev)
    from validator_day_dates d
    cross join lateral (
      select sum(b.execution_rewards) as execution, sum(b.total_priority_fees_validator) as fees,
        sum(b.baseline_mev) as mev,
        bool_and((b.execution_rewards + b.total_priority_fees_validator + b.baseline_mev) is not null) as told
      from blocks b
      where b.network = $1 and b.slot >= d.day * ${SLOTS_PER_DAY} and b.slot < (d.day + 1) * ${SLOTS_PER_DAY}
        and b.consensus_proposer_duty = 'proposed'
    ) b
    where d.network = $1 and not d.utc and d.rewards_due and b.told and c.network = $1 and c.day = d.day
      and not c.computed
      and exists (
        select from index_ranges r
        where r.network = $1 and r.first_epoch <= d.day * ${EPOCHS_PER_DAY}
          and r.last_epoch >= d.day * ${EPOCHS_PER_DAY} + ${EPOCHS_PER_DAY - 1}
      )
      and (c.sum_execution_rewards, c.sum_priority_fees, c.sum_baseline_mev) is distinct from (b.execution, b.fees, b.mev)`,
    [network],
  );
  if (rowCount === 0) return false;
  await raisedRevision(client, 'chain-daily-rewards')();
  return true;
}
