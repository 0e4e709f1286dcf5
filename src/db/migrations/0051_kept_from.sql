-- From which date on facts are kept; `stakegraph retain` dropped those before it. Without a row, nothing was dropped.
insert into compatible_migrations values ('0051_kept_from', '0050_sync_committees');

create table kept_from (
  dataset text collate "C" not null,
  network text collate "C" not null,
  date date not null,
  primary key (dataset, network)
);
