import type { TimeWindow } from '../chain/windows.ts';
import { type Sql, sql } from '../db/rows.ts';
import { apr, apy, divided, yearly } from './solana-rates.ts';

/** Rules: docs/data-model.md, spec §2.6, §4.7. */
export const overview = (window: TimeWindow) => ({
  with: sql`
  with stakes as (
    select active_stake, row_number() over (order by active_stake) as place
    from solana_validator_epochs v join window_epochs w using (epoch)
    where w.newest and active_stake > 0
  ), spread as (
    select count(*)::int as validators, coalesce(sum(active_stake), 0.000000000) as stake,
      coalesce(${divided(
        sql`2 * sum(place * active_stake) - (count(*) + 1) * sum(active_stake)`,
        sql`count(*) * sum(active_stake)`,
      )}, 0) as gini
    from stakes
  ), figures as (
    select ${weighted('w.inside')} as effectiveness, coalesce(${weighted('w.before')}, 0) as effectiveness_before,
      sum(votes_landed) filter (where w.inside) as landed, sum(votes_due) filter (where w.inside) as due,
      sum(sum_voting_latency) filter (where w.inside) as latency,
      sum(produced_blocks) filter (where w.inside) as produced, sum(leader_slots) filter (where w.inside) as leader,
      sum(voting_rewards) filter (where w.inside) as voting, sum(proposal_rewards) filter (where w.inside) as proposals,
      sum(mev_rewards) filter (where w.inside) as mev, sum(rent_rewards) filter (where w.inside) as rent,
      count(*) filter (where w.before and active_stake > 0)::int as validators_before,
      sum(active_stake * w.seconds) filter (where w.paid) as earning,
      sum(voting_commission + mev_commission + proposal_rewards + rent_rewards) filter (where w.paid) as income,
      sum(voting_costs) filter (where w.paid) as costs,
      sum(voting_rewards - voting_commission) filter (where w.paid) as staked,
      sum(mev_rewards - mev_commission) filter (where w.paid) as tipped
    from solana_validator_epochs v join window_epochs w using (epoch)
  ), pace as (
    select ${yearly(sql`count(*)`)} as pace from window_epochs where paid
  )`,
  columns: {
    time_window: sql`${window}`,
    as_of_epoch: sql`n.epoch`,
    as_of_time: sql`n.ended_at`,
    network_effectiveness: sql`coalesce(f.effectiveness, 0)::float8`,
    network_vote_success_rate: sql`coalesce(${divided(sql`f.landed`, sql`f.due`)}, 0)::float8`,
    network_missed_blocks_rate: sql`coalesce(${divided(sql`f.leader - f.produced`, sql`f.leader`)}, 0)::float8`,
    network_voting_latency: sql`coalesce(${divided(sql`f.latency`, sql`f.landed`)}, 0)::float8`,
    validator_apy: sql`${apy(sql`f.income`, sql`f.earning`)}::float8`,
    net_validator_apy: sql`${apy(sql`f.income - f.costs`, sql`f.earning`)}::float8`,
    delegator_apy: sql`(${apy(sql`f.staked`, sql`f.earning`)} + ${apr(sql`f.tipped`, sql`f.earning`)})::float8`,
    rewards_solana_voting: sql`f.voting`,
    rewards_solana_proposals: sql`f.proposals`,
    rewards_solana_mev: sql`f.mev`,
    rewards_solana_rent: sql`f.rent`,
    active_validator_count: sql`s.validators`,
    active_validator_diff: sql`s.validators - f.validators_before`,
    total_delegated_stake: sql`s.stake`,
    active_delegator_stake_account_count: sql`n.stake_account_count`,
    active_delegator_stake_account_count_diff: sql`n.stake_account_count - b.stake_account_count`,
    active_delegator_withdraw_authority_count: sql`n.withdraw_authority_count`,
    active_delegator_withdraw_authority_count_diff: sql`n.withdraw_authority_count - b.withdraw_authority_count`,
    stake_account_withdraw_authority_ratio: sql`coalesce(${divided(sql`n.stake_account_count`, sql`n.withdraw_authority_count`)}, 0)`,
    active_delegator_stake_authority_count: sql`n.stake_authority_count`,
    active_delegator_stake_authority_count_diff: sql`n.stake_authority_count - b.stake_authority_count`,
    stake_account_stake_authority_ratio: sql`coalesce(${divided(sql`n.stake_account_count`, sql`n.stake_authority_count`)}, 0)`,
    network_effectiveness_diff: sql`coalesce(f.effectiveness, 0) - f.effectiveness_before`,
    gini_coefficient: sql`s.gini`,
    deactivating_stake_accounts: sql`n.deactivating_stake_account_count`,
  },
  from: sql`
  from figures f
  cross join spread s
  cross join pace p
  join window_epochs n on n.newest
  join window_epochs b on b.before`,
});

function weighted(where: 'w.inside' | 'w.before'): Sql {
  const chosen = where === 'w.inside' ? sql`filter (where w.inside)` : sql`filter (where w.before)`;
  return divided(sql`sum(active_stake * effectiveness) ${chosen}`, sql`sum(active_stake) ${chosen}`);
}
