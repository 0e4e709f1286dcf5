import { EPOCHS_PER_DAY } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import { type Sql, sql } from '../db/rows.ts';
import { duties, epochs, meanBalance } from '../periods/effectiveness.ts';

/** True if validators are stored from index 0 without a gap. */
export const allIndices = (network: Network): Sql => sql`
  (select coalesce(count(*) = max(validator_index) + 1, false) from validators where network = ${network})`;

/** `complete` is true if all validators and their activations are known (docs/data-model.md). */
export const chainDays = (network: Network, dates: Sql, days: Sql): Sql => sql`
  select d.*, ${allIndices(network)} and d.fitting and d.active = (
      select count(*) from validators v
      where v.network = ${network} and v.activation_epoch <= d.last
        and coalesce(v.exit_epoch > greatest(v.activation_epoch, d.first), true)
    ) as complete
  from (
    select a.day, a.date, min(a.start_epoch) filter (where ${duties} > 0) as first,
      max(a.end_epoch) filter (where ${duties} > 0) as last, count(*) filter (where ${duties} > 0) as active,
      bool_and(coalesce(v.activation_epoch <= a.end_epoch and coalesce(v.exit_epoch > a.start_epoch, true), false))
        filter (where ${duties} > 0) as fitting,
      sum(a.sum_attestation_rewards + a.sum_sync_committee_rewards + a.sum_proposer_rewards) as consensus,
      sum(coalesce(a.effective_balance_epochs, ${meanBalance} * ${epochs})) filter (where ${duties} > 0) as effective_epochs,
      sum(a.sum_priority_fees) as fees, sum(a.sum_baseline_mev) as mev,
      sum(a.end_epoch_effective_balance) filter (where ${duties} > 0) as effective,
      sum(a.end_epoch_effective_balance) filter (where ${duties} > 0 and a.end_epoch % ${EPOCHS_PER_DAY} = ${EPOCHS_PER_DAY - 1}) as effective_at_end
    from ${days} a
    left join validators v on v.network = a.network and v.validator_index = a.validator_index
    where a.network = ${network} and not a.utc and a.date = any(${dates})
    group by a.day, a.date
  ) d`;
