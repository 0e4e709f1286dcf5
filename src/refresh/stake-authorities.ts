import type { TimeWindow } from '../chain/windows.ts';
import { join, raw, type Sql, sql } from '../db/rows.ts';
import { authorityRows } from './solana-epochs.ts';
import { apr, apy, divided, yearly } from './solana-rates.ts';
import { summedFigures } from './solana-spans.ts';
import { shownObjects } from './write.ts';

const inWindow = [
  ...(['stake', 'stake_effectiveness', 'stake_vote_commission', 'stake_mev_commission'] as const),
  ...([
    'staking_rewards',
    'mev_rewards',
    'staking_commission_paid',
    'mev_commission_paid',
    'missed',
  ] as const),
] as const;
/** Sums over the epochs from which yields are computed. */
const yielding = ['stake_seconds', 'staking_rewards', 'mev_rewards'] as const;

/**
 * Adds up the rows of `epochs`, and the sums of `window_spans`. Rules: docs/data-model.md, spec §2.7, §4.8.
 */
export const stakeAuthorities = (window: TimeWindow, epochs: readonly number[]) => ({
  with: sql`
  with part as (
    select w.inside, w.paid, w.newest, w.seconds, a.*
    from (${authorityRows(epochs)}) a
    join window_epochs w using (epoch)
  ), total as (
    select greatest(
      (select sum(active_stake) from solana_validator_epochs join window_epochs w using (epoch) where w.newest),
      (select sum(delegated_stake) from part where newest)
    ) as stake
  ), pace as (
    select ${yearly(sql`sum(epochs)`)} as pace from (
      select 1 as epochs, seconds from window_epochs where paid and not summed
      union all
      select cardinality(epochs), seconds from window_spans
    ) paid
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
  ), facts as (
    select stake_authority, inside, epoch, pool_name,
      case when newest then delegated_stake end as newest_stake,
      ${join(inWindow.map((name) => sql`case when inside then ${summedFigures[name]} end as ${raw(name)}`))},
      ${join(yielding.map((name) => sql`case when paid then ${summedFigures[name]} end as ${raw(`paid_${name}`)}`))}
    from part
    union all
    select stake_authority, true, last_epoch, pool_name, null,
      ${raw([...inWindow, ...yielding].join(', '))}
    from window_spans join stake_authority_span_sums using (first_epoch)
  ), figures as (
    select stake_authority,
      (array_agg(pool_name order by epoch desc, pool_name) filter (where inside))[1] as pool_name,
      coalesce(sum(newest_stake), 0.000000000) as stake,
      ${weighted(sql`stake_effectiveness`)} as effectiveness,
      ${weighted(sql`stake_vote_commission`)} as vote_commission, ${weighted(sql`stake_mev_commission`)} as mev_commission,
      sum(staking_rewards) as staking, sum(mev_rewards) as mev,
      sum(staking_commission_paid) as staking_paid, sum(mev_commission_paid) as mev_paid,
      coalesce(sum(missed), 0) as missed,
      sum(paid_stake_seconds) as earning, sum(paid_staking_rewards) as staked, sum(paid_mev_rewards) as tipped
    from facts
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

const weighted = (column: Sql): Sql => sql`coalesce(${divided(sql`sum(${column})`, sql`sum(stake)`)}, 0)`;
