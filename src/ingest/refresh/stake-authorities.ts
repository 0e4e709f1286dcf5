import type { TimeWindow } from '../../chain/windows.ts';
import { type Sql, sql } from '../../db/rows.ts';
import { apr, apy, divided, yearly } from './solana-rates.ts';
import { shownObjects } from './write.ts';

/** Rules: docs/data-model.md, spec §2.7, §4.8. */
export const stakeAuthorities = (window: TimeWindow) => ({
  with: sql`
  with part as (
    select epoch, w.inside, w.paid, w.newest, w.seconds, a.stake_authority, vote_account, a.pool_name,
      a.delegated_stake, a.staking_rewards, a.mev_rewards, a.staking_commission_paid, a.mev_commission_paid,
      v.effectiveness, v.vote_commission_rate, v.mev_commission_rate, v.validator_name
    from window_epochs w
    join solana_stake_authority_epochs a using (epoch)
    join solana_validator_epochs v using (epoch, vote_account)
    where w.inside or w.paid
  ), total as (
    select greatest(
      (select sum(active_stake) from solana_validator_epochs join window_epochs w using (epoch) where w.newest),
      (select sum(delegated_stake) from part where newest)
    ) as stake
  ), pace as (
    select ${yearly} as pace from window_epochs where paid
  ), delegation as (
    select stake_authority, count(*)::int as delegates,
      ${shownObjects(sql`shown`, sql`d.percentage desc, vote_account`)} as delegations
    from (
      select stake_authority, vote_account, validator_name,
        ${divided(sql`delegated_stake`, sql`sum(delegated_stake) over (partition by stake_authority)`)} as percentage
      from part where newest and delegated_stake > 0
    ) d
    cross join lateral (
      select vote_account as "validatorVoteAccount", validator_name as "validatorName", percentage::text
    ) shown
    group by stake_authority
  ), figures as (
    select stake_authority,
      (array_agg(pool_name order by epoch desc, pool_name) filter (where inside))[1] as pool_name,
      coalesce(sum(delegated_stake) filter (where newest), 0.000000000) as stake,
      ${weighted(sql`effectiveness`)} as effectiveness,
      ${weighted(sql`vote_commission_rate`)} as vote_commission, ${weighted(sql`mev_commission_rate`)} as mev_commission,
      sum(staking_rewards) filter (where inside) as staking, sum(mev_rewards) filter (where inside) as mev,
      sum(staking_commission_paid) filter (where inside) as staking_paid,
      sum(mev_commission_paid) filter (where inside) as mev_paid,
      coalesce(sum(${missed}) filter (where inside), 0) as missed,
      sum(delegated_stake * seconds) filter (where paid) as earning,
      sum(staking_rewards) filter (where paid) as staked, sum(mev_rewards) filter (where paid) as tipped
    from part
    group by stake_authority
    having bool_or(inside)
  )`,
  columns: {
    time_window: sql`${window}`,
    as_of_epoch: sql`n.epoch`,
    as_of_time: sql`n.ended_at`,
    stake_authority: sql`f.stake_authority`,
    validator_delegates: sql`coalesce(d.delegates, 0)`,
    delegations: sql`coalesce(d.delegations, '[]')`,
    staking_rewards_apy: sql`y.staking`,
    mev_rewards_apr: sql`y.mev`,
    delegator_apy: sql`y.staking + y.mev`,
    sum_missed_staking_rewards: sql`round(f.missed, 9)`,
    pool_name: sql`f.pool_name`,
    delegated_stake: sql`f.stake`,
    network_penetration: sql`coalesce(${divided(sql`f.stake`, sql`total.stake`)}, 0)`,
    aggregate_validator_effectiveness: sql`f.effectiveness`,
    blended_vote_commission_rate: sql`f.vote_commission`,
    blended_mev_commission_rate: sql`f.mev_commission`,
    sum_staking_rewards: sql`f.staking`,
    sum_mev_rewards: sql`f.mev`,
    sum_rewards: sql`f.staking + f.mev`,
    sum_staking_commission_paid: sql`f.staking_paid`,
    sum_mev_commission_paid: sql`f.mev_paid`,
    sum_commission_paid: sql`f.staking_paid + f.mev_paid`,
  },
  from: sql`
  from figures f
  cross join total
  cross join pace p
  join window_epochs n on n.newest
  left join delegation d using (stake_authority)
  cross join lateral (
    select ${apy(sql`f.staked`, sql`f.earning`)} as staking, ${apr(sql`f.tipped`, sql`f.earning`)} as mev
  ) y`,
});

const weighted = (column: Sql): Sql =>
  sql`coalesce(${divided(
    sql`sum(delegated_stake * ${column}) filter (where inside)`,
    sql`sum(delegated_stake) filter (where inside)`,
  )}, 0)`;

const missed = divided(sql`staking_rewards * (1 - effectiveness)`, sql`effectiveness`);
