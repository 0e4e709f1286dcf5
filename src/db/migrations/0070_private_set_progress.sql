-- A set of many validators is made in little time: its newest days are summed at once, and older ones in the background.
alter table private_set_members add summed_from date not null default '-infinity';
comment on column private_set_members.summed_from is 'Days of the validator before this date are not summed yet.';
create index private_set_members_unsummed on private_set_members (set_id, summed_from desc, validator_index)
  where summed_from > '-infinity';
alter table private_sets add complete_from date not null default '-infinity';
comment on column private_sets.complete_from is 'The latest summed_from of its members. Days before are not shown.';
create index private_sets_incomplete on private_sets (set_id) where complete_from > '-infinity';
