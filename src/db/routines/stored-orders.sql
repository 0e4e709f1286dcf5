-- Refuses lists without orders whose ranks are not those of so many stored summaries. Foreign keys would look up each row.
create or replace function check_ranks(kind text, ranked bigint) returns void language plpgsql as $$
declare
  listed bigint;
begin
  execute format('select coalesce(sum(total), 0) from %1$I l
    where superseded_at is null and not exists (select from %2$I o where o.list_id = l.list_id)', kind || '_lists', kind || '_orders')
  into listed;
  if listed <> ranked then
    raise exception 'the current lists of % have % rows, but % ranks with a summary', kind || '_lists', listed, ranked;
  end if;
end $$;

-- A list is deleted with its ranks and orders. Summaries are only deleted when no list has them.
create or replace function forget_ranks() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    execute format('delete from %I', tg_argv[0] || '_ranks');
    execute format('delete from %I', tg_argv[0] || '_orders');
    if tg_argv[0] = 'operator' then delete from refreshed_windows; end if;
    return null;
  end if;
  execute format('delete from %I r using removed d where r.list_id = d.list_id', tg_argv[0] || '_ranks');
  execute format('delete from %I o using removed d where o.list_id = d.list_id', tg_argv[0] || '_orders');
  return null;
end $$;

create or replace trigger operator_lists_deleted after delete on operator_lists
  referencing old table as removed for each statement execute function forget_ranks('operator');
create or replace trigger operator_lists_truncated after truncate on operator_lists
  for each statement execute function forget_ranks('operator');
create or replace trigger operator_summaries_truncated after truncate on operator_summaries
  for each statement execute function forget_ranks('operator');
create or replace trigger stake_authority_lists_deleted after delete on stake_authority_lists
  referencing old table as removed for each statement execute function forget_ranks('stake_authority');
create or replace trigger stake_authority_lists_truncated after truncate on stake_authority_lists
  for each statement execute function forget_ranks('stake_authority');
create or replace trigger stake_authority_summaries_truncated after truncate on stake_authority_summaries
  for each statement execute function forget_ranks('stake_authority');

-- Stores the orders of the current lists that have none, one after the other: sorting the rows of all at once took
-- more than twice as long.
create or replace function store_operator_orders() returns void language plpgsql as $$
declare
  orders text[] := array['networkPenetration', 'validatorCount', 'avgValidatorEffectiveness', 'aprPercentage', 'operatorId',
    'networkPenetrationChange', 'validatorCountChange', 'avgValidatorEffectivenessChange', 'aprPercentageChange',
    'missedProposalCount', 'sumEndEpochEffectiveBalanceChange'];
begin
  -- The lists that have no orders yet.
  create temp table operators_to_order on commit drop as
    select r.list_id, r.summary_id,
      s.validator_count, s.avg_validator_effectiveness, s.apr_percentage, s.sum_end_epoch_effective_balance,
      case when s.operator_tags::text <> '[]' then s.operator_tags end as tags,
      case when l.id_type not in ('depositAddress', 'withdrawalAddress', 'validator') then s.operator_id end as name,
      s.display_name,
      s.network_penetration is not null as has_penetration,
      -- over the window of the list; of all time, over 30 days
      array[
        -- backwards, because ranks are by penetration descending
        -r.rank,
        s.validator_count, s.avg_validator_effectiveness, s.apr_percentage, 0,
        case l.time_window when '1d' then s.network_penetration_change_1d when '7d' then s.network_penetration_change_7d
          else s.network_penetration_change_30d end,
        case l.time_window when '1d' then s.validator_count_change_1d when '7d' then s.validator_count_change_7d
          else s.validator_count_change_30d end,
        case l.time_window when '1d' then s.avg_validator_effectiveness_change_1d
          when '7d' then s.avg_validator_effectiveness_change_7d
          else s.avg_validator_effectiveness_change_30d end,
        case l.time_window when '1d' then s.apr_percentage_change_1d when '7d' then s.apr_percentage_change_7d
          else s.apr_percentage_change_30d end,
        s.missed_proposal_count,
        case l.time_window when '1d' then s.sum_end_epoch_effective_balance_change_1d
          when '7d' then s.sum_end_epoch_effective_balance_change_7d
          else s.sum_end_epoch_effective_balance_change_30d end
      ]::double precision[] as figures,
      row_number() over (partition by r.list_id order by s.operator_id)::int as by_id
    from operator_lists l
    join operator_ranks r using (list_id)
    join operator_summaries s using (summary_id)
    where l.superseded_at is null and not exists (select from operator_orders o where o.list_id = l.list_id);
  perform check_ranks('operator', (select count(*) from operators_to_order));
  for field in 1..array_length(orders, 1) loop
    insert into operator_orders
    select list_id, orders[field], valued, place / 64 * 64, array_agg(summary_id order by place),
      min(validator_count), max(validator_count), min(avg_validator_effectiveness), max(avg_validator_effectiveness),
      min(apr_percentage), max(apr_percentage),
      min(sum_end_epoch_effective_balance), max(sum_end_epoch_effective_balance),
      (select array_agg(distinct t ->> 'name')
        from unnest(array_agg(tags) filter (where tags is not null)) g cross join json_array_elements(g) t),
      array_agg(name order by place) filter (where field = 1),
      array_agg(display_name order by place) filter (where field = 1),
      array_agg(validator_count order by place) filter (where field = 1),
      array_agg(avg_validator_effectiveness order by place) filter (where field = 1),
      array_agg(apr_percentage order by place) filter (where field = 1),
      array_agg(sum_end_epoch_effective_balance order by place) filter (where field = 1),
      array_agg(tags order by place) filter (where field = 1)
    from (
      select v.*, row_number() over (partition by list_id, valued order by figure, by_id)::int - 1 as place
      from (
        select o.*, figures[field] as figure,
          case field when 1 then has_penetration else figures[field] is not null end as valued
        from operators_to_order o
      ) v
    ) placed
    group by list_id, valued, place / 64;
  end loop;
  drop table operators_to_order;
end $$;

create or replace function store_stake_authority_orders() returns void language plpgsql as $$
declare
  orders text[] := array['networkPenetration', 'delegatedStake', 'delegatorApy', 'blendedVoteCommissionRate',
    'validatorDelegates', 'poolName', 'delegatedStakeChange', 'delegatorApyChange',
    'aggregateValidatorEffectivenessChange'];
begin
  create temp table authorities_to_order on commit drop as
    select r.list_id, r.summary_id,
      s.pool_name, s.delegated_stake, s.delegator_apy, s.blended_vote_commission_rate, s.validator_delegates,
      array[
        -r.rank, s.delegated_stake, s.delegator_apy, s.blended_vote_commission_rate, s.validator_delegates,
        case when s.pool_name is not null then rank() over (partition by r.list_id order by s.pool_name collate "C") end,
        case l.time_window when '1d' then s.delegated_stake_change_1d when '7d' then s.delegated_stake_change_7d
          else s.delegated_stake_change_30d end,
        case l.time_window when '1d' then s.delegator_apy_change_1d when '7d' then s.delegator_apy_change_7d
          else s.delegator_apy_change_30d end,
        case l.time_window when '1d' then s.aggregate_validator_effectiveness_change_1d
          when '7d' then s.aggregate_validator_effectiveness_change_7d
          else s.aggregate_validator_effectiveness_change_30d end
      ]::numeric[] as figures,
      row_number() over (partition by r.list_id order by s.stake_authority)::int as by_key
    from stake_authority_lists l
    join stake_authority_ranks r using (list_id)
    join stake_authority_summaries s using (summary_id)
    where l.superseded_at is null and not exists (select from stake_authority_orders o where o.list_id = l.list_id);
  perform check_ranks('stake_authority', (select count(*) from authorities_to_order));
  for field in 1..array_length(orders, 1) loop
    insert into stake_authority_orders
    select list_id, orders[field], valued, place / 64 * 64, array_agg(summary_id order by place),
      min(delegated_stake), max(delegated_stake), min(delegator_apy), max(delegator_apy),
      min(blended_vote_commission_rate), max(blended_vote_commission_rate), min(validator_delegates), max(validator_delegates),
      array_agg(pool_name order by place) filter (where field = 1),
      array_agg(delegated_stake order by place) filter (where field = 1),
      array_agg(delegator_apy order by place) filter (where field = 1),
      array_agg(blended_vote_commission_rate order by place) filter (where field = 1),
      array_agg(validator_delegates order by place) filter (where field = 1)
    from (
      select v.*, row_number() over (partition by list_id, valued order by figure, by_key)::int - 1 as place
      from (select o.*, figures[field] as figure, figures[field] is not null as valued from authorities_to_order o) v
    ) placed
    group by list_id, valued, place / 64;
  end loop;
  drop table authorities_to_order;
end $$;
