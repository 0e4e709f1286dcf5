-- Entities whose current summaries have different names or labels in different windows. Lists read the name of an entity
-- from its row unless it is one of these.
create table renamed_operators (
  network text collate "C" not null,
  operator_id text collate "C" not null,
  id_type text collate "C" not null,
  primary key (network, operator_id, id_type)
);
create table renamed_stake_authorities (
  stake_authority text collate "C" primary key
);

create index operator_summaries_named on operator_summaries (network, operator_id, id_type)
  where not superseded and (display_name is not null or operator_tags::text <> '[]');
create index stake_authority_summaries_named on stake_authority_summaries (stake_authority)
  where not superseded and pool_name is not null;

insert into renamed_operators (network, operator_id, id_type)
select network, operator_id, id_type from operator_summaries where not superseded
group by network, operator_id, id_type having count(distinct array[display_name, operator_tags::text]) > 1;
insert into renamed_stake_authorities (stake_authority)
select stake_authority from stake_authority_summaries where not superseded
group by stake_authority having count(distinct array[pool_name]) > 1;
