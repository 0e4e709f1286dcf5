-- A token that was rotated runs out, so its replacement must not be made from it again.
insert into compatible_migrations values ('0065_rotated_tokens', '0034_index_fills');

alter table tokens add column rotated_at timestamptz;
