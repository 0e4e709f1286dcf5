-- A pool's hash is 56 hex digits, which its pool id encodes. The numbers stored until now were row numbers of the source's
-- own database: a row that had one gets the hash that its pool id stands for, and one without keeps null.
create function pg_temp.pool_hash(pool_id text) returns text language sql immutable as $$
  -- 5 bits a character after 'pool1'; the last of the 225 bits pads
  select string_agg(lpad(to_hex(substr(bits, byte * 8 + 1, 8)::bit(8)::int), 2, '0'), '' order by byte)
  from (
    select string_agg(
      (strpos('qpzry9x8gf2tvdw0s3jn54khce6mua7l', substr(pool_id, 5 + place, 1)) - 1)::bit(5)::text, '' order by place
    ) as bits
    from generate_series(1, 45) place
  ) of_id, generate_series(0, 27) byte
$$;
alter table cardano_validator_rewards
  alter column pool_hash_id type text collate "C"
  using case when pool_hash_id is not null then pg_temp.pool_hash(pool_id) end;
