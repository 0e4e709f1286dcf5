-- True for the summaries of an entity that has different names or labels in different windows. Lists of GraphQL read the
-- name of an entity from its row unless it is one of these.
alter table operator_summaries add column renamed boolean not null default false;
alter table stake_authority_summaries add column renamed boolean not null default false;

create index operator_summaries_named on operator_summaries (network, operator_id, id_type)
  where not superseded and (display_name is not null or operator_tags::text <> '[]');
create index operator_summaries_renamed on operator_summaries (network, operator_id, id_type)
  where renamed and not superseded;
create index stake_authority_summaries_named on stake_authority_summaries (stake_authority)
  where not superseded and pool_name is not null;
create index stake_authority_summaries_renamed on stake_authority_summaries (stake_authority)
  where renamed and not superseded;

update operator_summaries set renamed = true
where not superseded and (network, operator_id, id_type) in (
  select network, operator_id, id_type from operator_summaries where not superseded
  group by network, operator_id, id_type having count(distinct array[display_name, operator_tags::text]) > 1
);
update stake_authority_summaries set renamed = true
where not superseded and stake_authority in (
  select stake_authority from stake_authority_summaries where not superseded
  group by stake_authority having count(distinct array[pool_name]) > 1
);

insert into compatible_migrations values ('0075_renamed_summaries', '0074_archived_months');
