-- Who changed accounts, tokens, private sets, data and the schema.
insert into compatible_migrations values ('0055_audit_log', '0034_index_fills');

create table audit_log (
  entry_id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- a user of the operating system, or a token of the API
  actor_type text collate "C" not null check (actor_type in ('user', 'token')),
  actor text not null,
  action text collate "C" not null,
  subject text not null,
  details jsonb not null
);
create index audit_log_at on audit_log (at, entry_id);

create function refuse_audit_change() returns trigger language plpgsql as $$
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
create trigger audit_log_append_only before update or delete on audit_log
  for each row execute function refuse_audit_change();
create trigger audit_log_not_truncated before truncate on audit_log
  for each statement execute function refuse_audit_change();

-- Gateways write each entry to their logs. PostgreSQL refuses payloads of 8,000 bytes.
create function tell_audit_entry() returns trigger language plpgsql as $$
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
create trigger audit_log_told after insert on audit_log for each row execute function tell_audit_entry();
