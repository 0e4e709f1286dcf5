-- Raises the revision of a dataset, gives it to the rows that were noted since the last one, and tells gateways of it.
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

-- Notes which rows a statement added to a table of the name of its dataset, by their integer key, the argument, so that
-- subscriptions continue where a client left them.
create or replace function note_added_rows() returns trigger language plpgsql as $$
begin
  execute format(
    'insert into added_rows (dataset, network, keys, omitted)
    select %1$L, n.network, case when n.count <= 10000 then array(
      select c.%2$I from changed c where c.network = n.network order by 1
    ) else ''{}'' end, case when n.count <= 10000 then 0 else n.count end
    from (select network, count(*)::int as count from changed group by network) n',
    tg_table_name, tg_argv[0]
  );
  return null;
end
$$;

create or replace trigger blocks_noted after insert on blocks
  referencing new table as changed for each statement execute function note_added_rows('slot');
create or replace trigger slashings_noted after insert on slashings
  referencing new table as changed for each statement execute function note_added_rows('validator_index');

-- Another block took the slot, or the next block told whether this one has its payload.
create or replace function note_replaced_block() returns trigger language plpgsql as $$
begin
  insert into added_rows values ('blocks', new.network, null, array[new.slot], 0);
  return null;
end
$$;

create or replace trigger blocks_replaced after update of consensus_block_root, payload_status on blocks for each row
  when (old.consensus_block_root is distinct from new.consensus_block_root
    or old.payload_status <> new.payload_status)
  execute function note_replaced_block();
