-- Which blocks and slashings each revision added, so that subscriptions continue where a client left them.
insert into compatible_migrations values ('0047_added_rows', '0034_index_fills');

-- The keys of the rows that a statement added: slots or validator indices. `omitted` counts the rows of a statement that
-- added more than 10,000, whose keys are not stored. `revision` is null until the transaction raises it.
create table added_rows (
  dataset text collate "C" not null,
  network text collate "C" not null,
  revision integer,
  keys integer[] not null,
  omitted integer not null
);
create index added_rows_revision on added_rows (dataset, revision);

-- Since which revision added_rows is complete.
alter table datasets add column added_from integer not null default 0;
update datasets set added_from = revision;

create or replace function raise_revision(dataset text) returns integer language plpgsql as $$
declare
  raised integer;
  forgotten integer;
begin
  insert into datasets as d (name, revision, refreshed_at) values ($1, 1, clock_timestamp())
  on conflict (name) do update set revision = d.revision + 1, refreshed_at = clock_timestamp()
  returning d.revision into raised;
  update added_rows r set revision = raised where r.dataset = $1 and r.revision is null;
  with old as (
    delete from added_rows r where r.dataset = $1 and r.revision <= raised - 20000 returning r.revision
  )
  select max(old.revision) into forgotten from old;
  if forgotten is not null then
    update datasets d set added_from = greatest(d.added_from, forgotten) where d.name = $1;
  end if;
  perform pg_notify('stakegraph_data', $1);
  return raised;
end
$$;

create function note_added_rows() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'blocks' then
    insert into added_rows (dataset, network, keys, omitted)
    select 'blocks', n.network, case when n.count <= 10000 then array(
      select c.slot from changed c where c.network = n.network order by c.slot
    ) else '{}' end, case when n.count <= 10000 then 0 else n.count end
    from (select network, count(*)::int as count from changed group by network) n;
  else
    insert into added_rows (dataset, network, keys, omitted)
    select 'slashings', n.network, case when n.count <= 10000 then array(
      select c.validator_index from changed c where c.network = n.network order by c.validator_index
    ) else '{}' end, case when n.count <= 10000 then 0 else n.count end
    from (select network, count(*)::int as count from changed group by network) n;
  end if;
  return null;
end
$$;
create trigger blocks_noted after insert on blocks
  referencing new table as changed for each statement execute function note_added_rows();
create trigger slashings_noted after insert on slashings
  referencing new table as changed for each statement execute function note_added_rows();

-- Another block took the slot.
create function note_replaced_block() returns trigger language plpgsql as $$
begin
  insert into added_rows values ('blocks', new.network, null, array[new.slot], 0);
  return null;
end
$$;
create trigger blocks_replaced after update of consensus_block_root on blocks for each row
  when (old.consensus_block_root is distinct from new.consensus_block_root)
  execute function note_replaced_block();

-- Counts the changes of a set: its name, its validators and its figures.
alter table private_sets add column revision integer not null default 1;
create function count_set_change() returns trigger language plpgsql as $$
begin
  new.revision := old.revision + 1;
  return new;
end
$$;
create trigger private_sets_counted before update on private_sets for each row execute function count_set_change();
create function tell_set_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('stakegraph_sets', old.set_id::text);
  return null;
end
$$;
create trigger private_sets_told after update or delete on private_sets for each row execute function tell_set_change();
