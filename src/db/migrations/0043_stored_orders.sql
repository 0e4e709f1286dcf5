-- Lists of operators and stake authorities in other orders than that of their ranks, made anew with each list. A row has
-- the summaries of 64 consecutive ranks, some 10 bytes for each. Indexes on the figures took 200, and inserting 300,000
-- operators then took 69 s instead of 4. `valued` are the summaries with a value, by value and key; the others follow, by
-- key. By the least and most figures and the names of tags, a filter skips rows without reading their summaries. The order
-- `networkPenetration` also has what filters compare, by which they are counted: reading 300,000 summaries took a minute.
create table operator_orders (
  list_id bigint not null references operator_lists on delete cascade,
  ordered_by text collate "C" not null,
  valued boolean not null,
  first_rank integer not null,
  members bigint[] not null,
  least_validator_count integer not null,
  most_validator_count integer not null,
  least_avg_validator_effectiveness double precision not null,
  most_avg_validator_effectiveness double precision not null,
  least_apr_percentage double precision,
  most_apr_percentage double precision,
  least_sum_end_epoch_effective_balance bigint,
  most_sum_end_epoch_effective_balance bigint,
  tags text[],
  each_operator_id text[] collate "C", -- null in classes where filters have no name
  each_display_name text[],
  each_validator_count integer[],
  each_avg_validator_effectiveness double precision[],
  each_apr_percentage double precision[],
  each_sum_end_epoch_effective_balance bigint[],
  each_operator_tags json[],
  primary key (list_id, ordered_by, valued, first_rank)
);

create table stake_authority_orders (
  list_id bigint not null references stake_authority_lists on delete cascade,
  ordered_by text collate "C" not null,
  valued boolean not null,
  first_rank integer not null,
  members bigint[] not null,
  least_delegated_stake numeric not null,
  most_delegated_stake numeric not null,
  least_delegator_apy numeric not null,
  most_delegator_apy numeric not null,
  least_blended_vote_commission_rate numeric not null,
  most_blended_vote_commission_rate numeric not null,
  least_validator_delegates integer not null,
  most_validator_delegates integer not null,
  each_pool_name text[],
  each_delegated_stake numeric[],
  each_delegator_apy numeric[],
  each_blended_vote_commission_rate numeric[],
  each_validator_delegates integer[],
  primary key (list_id, ordered_by, valued, first_rank)
);

-- Stores the orders of the current lists that have none.
create function store_operator_orders() returns void language sql as $$
  with listed as materialized (
    select r.list_id, r.rank, r.summary_id,
      s.network_penetration, s.validator_count, s.avg_validator_effectiveness, s.apr_percentage,
      s.sum_end_epoch_effective_balance,
      -- over the window of the list; of all time, over 30 days
      case l.time_window when '1d' then s.network_penetration_change_1d when '7d' then s.network_penetration_change_7d
        else s.network_penetration_change_30d end as penetration_change,
      case l.time_window when '1d' then s.validator_count_change_1d when '7d' then s.validator_count_change_7d
        else s.validator_count_change_30d end as validators_change,
      case l.time_window when '1d' then s.avg_validator_effectiveness_change_1d
        when '7d' then s.avg_validator_effectiveness_change_7d
        else s.avg_validator_effectiveness_change_30d end as effectiveness_change,
      case l.time_window when '1d' then s.apr_percentage_change_1d when '7d' then s.apr_percentage_change_7d
        else s.apr_percentage_change_30d end as apr_change,
      case when s.operator_tags::text <> '[]' then s.operator_tags end as tags,
      case when l.id_type not in ('depositAddress', 'withdrawalAddress', 'validator') then s.operator_id end as name,
      s.display_name,
      row_number() over (partition by r.list_id order by s.operator_id)::int - 1 as by_id
    from operator_lists l
    join operator_ranks r using (list_id)
    join operator_summaries s using (summary_id)
    where l.superseded_at is null and not exists (select from operator_orders o where o.list_id = l.list_id)
  ), ranked as materialized (
    select l.*,
      -- backwards, because ranks are by penetration descending
      row_number() over (partition by list_id, network_penetration is null order by rank desc)::int - 1 as by_penetration,
      row_number() over (partition by list_id order by validator_count, by_id)::int - 1 as by_validators,
      row_number() over (partition by list_id order by avg_validator_effectiveness, by_id)::int - 1 as by_effectiveness,
      row_number() over (partition by list_id, apr_percentage is null order by apr_percentage, by_id)::int - 1 as by_apr,
      row_number() over (partition by list_id, penetration_change is null order by penetration_change, by_id)::int - 1
        as by_penetration_change,
      row_number() over (partition by list_id, validators_change is null order by validators_change, by_id)::int - 1
        as by_validators_change,
      row_number() over (partition by list_id, effectiveness_change is null order by effectiveness_change, by_id)::int - 1
        as by_effectiveness_change,
      row_number() over (partition by list_id, apr_change is null order by apr_change, by_id)::int - 1 as by_apr_change
    from listed l
  ), placed as (
    select r.*, o.field, o.valued, o.place, o.place / 64 as part -- numbers, which sort faster than names
    from ranked r cross join lateral (values
      (1, network_penetration is not null, by_penetration),
      (2, true, by_validators),
      (3, true, by_effectiveness),
      (4, apr_percentage is not null, by_apr),
      (5, true, by_id),
      (6, penetration_change is not null, by_penetration_change),
      (7, validators_change is not null, by_validators_change),
      (8, effectiveness_change is not null, by_effectiveness_change),
      (9, apr_change is not null, by_apr_change)
    ) as o (field, valued, place)
  )
  insert into operator_orders
  select list_id,
    (array['networkPenetration', 'validatorCount', 'avgValidatorEffectiveness', 'aprPercentage', 'operatorId',
      'networkPenetrationChange', 'validatorCountChange', 'avgValidatorEffectivenessChange', 'aprPercentageChange'])[field],
    valued, part * 64, array_agg(summary_id order by place),
    min(validator_count), max(validator_count), min(avg_validator_effectiveness), max(avg_validator_effectiveness),
    min(apr_percentage), max(apr_percentage),
    min(sum_end_epoch_effective_balance), max(sum_end_epoch_effective_balance),
    (select array_agg(distinct t ->> 'name') from unnest(array_agg(tags)) g cross join json_array_elements(g) t),
    array_agg(name order by place) filter (where field = 1),
    array_agg(display_name order by place) filter (where field = 1),
    array_agg(validator_count order by place) filter (where field = 1),
    array_agg(avg_validator_effectiveness order by place) filter (where field = 1),
    array_agg(apr_percentage order by place) filter (where field = 1),
    array_agg(sum_end_epoch_effective_balance order by place) filter (where field = 1),
    array_agg(tags order by place) filter (where field = 1)
  from placed group by list_id, field, valued, part
$$;

create function store_stake_authority_orders() returns void language sql as $$
  with ranked as (
    select r.list_id, o.ordered_by, o.value is not null as valued, s.summary_id,
      s.pool_name, s.delegated_stake, s.delegator_apy, s.blended_vote_commission_rate, s.validator_delegates,
      row_number() over (
        partition by r.list_id, o.ordered_by, o.value is not null order by o.value, o.name, s.stake_authority
      )::int - 1 as rank
    from stake_authority_lists l
    join stake_authority_ranks r using (list_id)
    join stake_authority_summaries s using (summary_id)
    cross join lateral (values
      ('delegatedStakeChange', case l.time_window when '1d' then s.delegated_stake_change_1d
        when '7d' then s.delegated_stake_change_7d else s.delegated_stake_change_30d end, null),
      ('delegatorApyChange', case l.time_window when '1d' then s.delegator_apy_change_1d
        when '7d' then s.delegator_apy_change_7d else s.delegator_apy_change_30d end, null),
      ('aggregateValidatorEffectivenessChange', case l.time_window
        when '1d' then s.aggregate_validator_effectiveness_change_1d
        when '7d' then s.aggregate_validator_effectiveness_change_7d
        else s.aggregate_validator_effectiveness_change_30d end, null),
      ('networkPenetration', -r.rank::numeric, null),
      ('delegatedStake', s.delegated_stake, null),
      ('delegatorApy', s.delegator_apy, null),
      ('blendedVoteCommissionRate', s.blended_vote_commission_rate, null),
      ('validatorDelegates', s.validator_delegates, null),
      ('poolName', case when s.pool_name is not null then 0 end, s.pool_name collate "C")
    ) as o (ordered_by, value, name)
    where l.superseded_at is null and not exists (select from stake_authority_orders o where o.list_id = l.list_id)
  )
  insert into stake_authority_orders
  select list_id, ordered_by, valued, rank / 64 * 64, array_agg(summary_id order by rank),
    min(delegated_stake), max(delegated_stake), min(delegator_apy), max(delegator_apy),
    min(blended_vote_commission_rate), max(blended_vote_commission_rate), min(validator_delegates), max(validator_delegates),
    array_agg(pool_name order by rank) filter (where ordered_by = 'networkPenetration'),
    array_agg(delegated_stake order by rank) filter (where ordered_by = 'networkPenetration'),
    array_agg(delegator_apy order by rank) filter (where ordered_by = 'networkPenetration'),
    array_agg(blended_vote_commission_rate order by rank) filter (where ordered_by = 'networkPenetration'),
    array_agg(validator_delegates order by rank) filter (where ordered_by = 'networkPenetration')
  from ranked group by list_id, ordered_by, valued, rank / 64
  order by 1, 2, 3, 4
$$;

select store_operator_orders(), store_stake_authority_orders();
