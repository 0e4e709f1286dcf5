-- Access tokens. The token itself is shown once and never stored: only its SHA-256.
create table tokens (
  token_id uuid primary key default gen_random_uuid(),
  name text not null,
  hash bytea not null unique,
  prefix text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
