-- A span of epochs whose rows change is summed again.
create or replace function solana_spans_due() returns trigger language plpgsql as $$
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

create or replace trigger spans_inserted after insert on solana_epochs
  referencing new table as changed for each statement execute function solana_spans_due();
create or replace trigger spans_updated after update on solana_epochs
  referencing new table as changed for each statement execute function solana_spans_due();
create or replace trigger spans_deleted after delete on solana_epochs
  referencing old table as changed for each statement execute function solana_spans_due();

create or replace trigger spans_inserted after insert on solana_validator_epochs
  referencing new table as changed for each statement execute function solana_spans_due();
create or replace trigger spans_updated after update on solana_validator_epochs
  referencing new table as changed for each statement execute function solana_spans_due();
create or replace trigger spans_deleted after delete on solana_validator_epochs
  referencing old table as changed for each statement execute function solana_spans_due();

create or replace trigger spans_inserted after insert on solana_stake_authority_epochs
  referencing new table as changed for each statement execute function solana_spans_due();
create or replace trigger spans_updated after update on solana_stake_authority_epochs
  referencing new table as changed for each statement execute function solana_spans_due();
create or replace trigger spans_deleted after delete on solana_stake_authority_epochs
  referencing old table as changed for each statement execute function solana_spans_due();

-- The name of the pool of a summary in its shortest stored window; its own if no summary is stored any more.
create or replace function current_authority_name(of_authority text, own text) returns text language sql stable as $$
  select (coalesce((
    select array[pool_name] from stake_authority_summaries
    where stake_authority = of_authority and not superseded
    order by array_position('{1d,7d,30d,all}'::text[], time_window) limit 1
  ), array[own]))[1]
$$;
