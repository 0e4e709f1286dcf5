create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('stakegraph.audit_delete', true) = 'on' then
    if old.at < now() - interval '90 days' then
      return old;
    end if;
    raise exception 'entries of audit_log are kept for 90 days' using errcode = 'insufficient_privilege';
  end if;
  raise exception 'audit_log is append-only; "stakegraph audit --delete-before" removes old entries'
    using errcode = 'insufficient_privilege';
end
$$;

create or replace trigger audit_log_append_only before update or delete on audit_log
  for each row execute function refuse_audit_change();
create or replace trigger audit_log_not_truncated before truncate on audit_log
  for each statement execute function refuse_audit_change();

-- Gateways write each entry to their logs. PostgreSQL refuses payloads of 8,000 bytes.
create or replace function tell_audit_entry() returns trigger language plpgsql as $$
declare
  entry text := to_jsonb(new)::text;
begin
  if octet_length(entry) > 7500 then
    entry := (to_jsonb(new) || '{"details": {"omitted": true}}')::text;
  end if;
  if octet_length(entry) > 7500 then
    entry := jsonb_build_object('entry_id', new.entry_id, 'at', new.at, 'action', new.action)::text;
  end if;
  perform pg_notify('stakegraph_audit', entry);
  return null;
end
$$;

create or replace trigger audit_log_told after insert on audit_log for each row execute function tell_audit_entry();
