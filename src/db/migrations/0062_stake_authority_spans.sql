-- Epochs of stake authorities in parts of 15 epochs, about a month, and their sums for the window `all`: with 500,000
-- authorities they grow by some 30 GB a year, and a refresh read all of them. Stored rows are copied, which needs disk
-- space for a second copy. Imports and refreshes wait meanwhile, readers only at the end. Older versions do not make
-- parts, so the newest span and the next two have theirs.
insert into compatible_migrations values ('0062_stake_authority_spans', '0034_index_fills');

-- Spans with stored stake authorities. `due`: a row of the span has changed since it was summed.
create table solana_epoch_spans (
  first_epoch integer primary key check (first_epoch % 15 = 0),
  due boolean not null default true,
  -- of the epochs that are summed; null until then
  epochs integer[],
  seconds numeric
);

-- Sums by span of the rows of a stake authority.
create table stake_authority_span_sums (
  first_epoch integer not null,
  stake_authority text collate "C" not null,
  last_epoch integer not null,
  -- in its last epoch
  pool_name text,
  stake numeric not null,
  -- stake × figures of the validators, and × seconds
  stake_effectiveness numeric not null,
  stake_vote_commission numeric not null,
  stake_mev_commission numeric not null,
  stake_seconds numeric not null,
  staking_rewards numeric not null,
  mev_rewards numeric not null,
  staking_commission_paid numeric not null,
  mev_commission_paid numeric not null,
  missed numeric,
  primary key (first_epoch, stake_authority)
);

-- The lock keeps two transactions from making the same part.
create function solana_epoch_parts(epochs integer[]) returns void language plpgsql as $$
declare
  parent constant text := 'solana_stake_authority_epochs';
  start integer;
  part text;
begin
  for start in select distinct epoch - epoch % 15 from unnest(epochs) as epoch order by 1 loop
    part := parent || '_' || start;
    for attempt in 1..2 loop
      exit when exists (select from pg_inherits where inhrelid = to_regclass(part) and inhparent = to_regclass(parent));
      if attempt = 1 then
        perform pg_advisory_xact_lock(hashtext('stakegraph parts ' || parent));
      else
        if to_regclass(part) is not null then
          raise exception 'part % was detached and is still there; attach it again, or rename or drop it', part;
        end if;
        execute format('create table %I (like %I including all)', part, parent);
        execute format('alter table %I attach partition %I for values from (%s) to (%s)', parent, part, start, start + 15);
      end if;
    end loop;
  end loop;
end $$;

do $$
declare
  starts integer[];
  start integer;
  newest integer;
begin
  lock table solana_stake_authority_epochs in share mode;
  set local maintenance_work_mem = '256MB';
  -- reads a row of each epoch
  with recursive e as (
    (select epoch from solana_stake_authority_epochs order by epoch limit 1)
    union all
    select n.epoch from e cross join lateral (
      select a.epoch from solana_stake_authority_epochs a where a.epoch > e.epoch order by a.epoch limit 1
    ) n
  )
  select coalesce(array_agg(distinct epoch - epoch % 15), '{}'), max(epoch - epoch % 15) into starts, newest from e;

  create table solana_stake_authority_epochs_parted (like solana_stake_authority_epochs including all)
    partition by range (epoch);
  foreach start in array starts || case when newest is null then '{}' else array[newest + 15, newest + 30] end loop
    execute format('create table %I partition of solana_stake_authority_epochs_parted for values from (%s) to (%s)',
      'solana_stake_authority_epochs_' || start, start, start + 15);
    execute format('insert into %I select * from solana_stake_authority_epochs where epoch >= %s and epoch < %s order by epoch, stake_authority, vote_account',
      'solana_stake_authority_epochs_' || start, start, start + 15);
    execute format('analyze %I', 'solana_stake_authority_epochs_' || start);
  end loop;
  drop table solana_stake_authority_epochs;
  alter table solana_stake_authority_epochs_parted rename to solana_stake_authority_epochs;
  alter index solana_stake_authority_epochs_parted_pkey rename to solana_stake_authority_epochs_pkey;
  insert into solana_epoch_spans (first_epoch) select unnest(starts);
end $$;

create function solana_spans_due() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'solana_stake_authority_epochs' then
    insert into solana_epoch_spans (first_epoch)
    select distinct epoch - epoch % 15 from changed order by 1
    on conflict (first_epoch) do update set due = true;
  else
    -- in order, because two imports may change the same spans
    perform from solana_epoch_spans s where s.first_epoch in (select epoch - epoch % 15 from changed)
    order by s.first_epoch for update;
    update solana_epoch_spans s set due = true where s.first_epoch in (select epoch - epoch % 15 from changed);
  end if;
  return null;
end $$;

do $$
declare
  of_table text;
begin
  foreach of_table in array array['solana_epochs', 'solana_validator_epochs', 'solana_stake_authority_epochs'] loop
    execute format('create trigger spans_inserted after insert on %I
      referencing new table as changed for each statement execute function solana_spans_due()', of_table);
    execute format('create trigger spans_updated after update on %I
      referencing new table as changed for each statement execute function solana_spans_due()', of_table);
    execute format('create trigger spans_deleted after delete on %I
      referencing old table as changed for each statement execute function solana_spans_due()', of_table);
  end loop;
end $$;
