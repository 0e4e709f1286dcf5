-- Migrations beside which an older version goes on, and the oldest migration that it has to know. Each of them adds its own
-- row; one without a row is for no older version.
create table compatible_migrations (
  name text primary key,
  least text not null
);
