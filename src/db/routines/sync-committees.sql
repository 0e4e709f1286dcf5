create or replace function sync_committee_digest(validators integer[], positions smallint[]) returns bytea
language sql stable as $$
  select sha256(convert_to(array_to_string(validators, ',') || '/' || array_to_string(positions, ','), 'UTF8'))
$$;

-- Returns the key of a committee and stores it if it is new. The lock keeps other transactions from removing it.
create or replace function sync_committee(of_network text, of_validators integer[], of_positions smallint[]) returns integer
language plpgsql as $$
declare
  of_digest bytea := sync_committee_digest(of_validators, of_positions);
  found_key integer;
begin
  loop
    select c.committee into found_key from sync_committees c
    where c.network = of_network and c.digest = of_digest for key share;
    if found then
      return found_key;
    end if;
    insert into sync_committees (network, validators, positions, digest)
    values (of_network, of_validators, of_positions, of_digest)
    on conflict (network, digest) do nothing returning committee into found_key;
    if found then
      insert into sync_committee_seats (network, validator_index, committee, first_rank, seats)
      select of_network, v.validator, found_key, min(v.rank) - 1, count(*)
      from unnest(of_validators) with ordinality as v (validator, rank) group by v.validator;
      return found_key;
    end if;
  end loop;
end $$;

-- A row for each seat, for SQL by hand.
create or replace view sync_committee_rewards as
select s.network, s.slot, r.validator_index, r.reward, r.position, (r.n - 1)::smallint as rank
from sync_committee_slots s
join sync_committees c on c.committee = s.committee
cross join lateral unnest(c.validators, s.rewards, c.positions) with ordinality as r (validator_index, reward, position, n);
