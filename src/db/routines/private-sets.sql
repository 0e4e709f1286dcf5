create or replace function count_set_change() returns trigger language plpgsql as $$
begin
  new.revision := old.revision + 1;
  return new;
end
$$;

create or replace trigger private_sets_counted before update on private_sets for each row execute function count_set_change();

create or replace function tell_set_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('stakegraph_sets', old.set_id::text);
  return null;
end
$$;

create or replace trigger private_sets_told after update or delete on private_sets for each row execute function tell_set_change();
