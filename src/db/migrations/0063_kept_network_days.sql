-- Days of the network as a whole in months of attestation_days that retain has dropped: a row a day, which networkOverview
-- and its history go on reading. Older versions drop months without keeping these.
insert into compatible_migrations values ('0063_kept_network_days', '0034_index_fills');

create table kept_network_days (
  like attestation_days including defaults including constraints,
  primary key (entity_key, utc, date, day)
);
