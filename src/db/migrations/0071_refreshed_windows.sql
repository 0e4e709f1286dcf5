-- A refresh passes over windows of operators whose facts have not changed since it published them.
create table refreshed_windows (
  network text collate "C" not null,
  time_window text collate "C" not null,
  -- the version of the program, the classes, and the revision and time of the last change of each dataset that was read
  facts text not null,
  validators integer not null,
  rows integer not null,
  primary key (network, time_window)
);

-- How many of the revisions come from refreshes, which are no news to the next refresh.
alter table datasets add computed integer not null default 0;
