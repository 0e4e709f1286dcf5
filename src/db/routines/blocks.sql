-- Keeps block_counts right whoever adds or deletes rows.
create or replace function count_blocks() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from block_counts;
    return null;
  end if;
  insert into block_counts as c (network, total)
  select network, case tg_op when 'INSERT' then count(*) else -count(*) end
  from changed
  group by network
  order by network -- writers that run at once take the rows in one order
  on conflict (network) do update set total = c.total + excluded.total;
  return null;
end
$$;

create or replace trigger blocks_inserted after insert on blocks
  referencing new table as changed for each statement execute function count_blocks();
create or replace trigger blocks_deleted after delete on blocks
  referencing old table as changed for each statement execute function count_blocks();
create or replace trigger blocks_truncated after truncate on blocks for each statement execute function count_blocks();
