-- Sync committee rewards: a row for each slot instead of one for each seat. The committee, which hardly ever changes
-- within a sync period, is stored once. Stored rows are copied: about half a minute for 5 million seats. Writers and readers
-- of these rewards wait meanwhile.

create table sync_committees (
  committee integer generated always as identity primary key,
  network text collate "C" not null,
  -- by rank: the validator of each seat, ascending by validator and position, and the seat's position
  validators integer[] not null,
  positions smallint[] not null,
  -- arrays of 512 seats exceed what a B-tree can hold
  digest bytea not null,
  unique (network, digest),
  check (cardinality(validators) = cardinality(positions))
);

-- A validator's seats have consecutive ranks.
create table sync_committee_seats (
  network text collate "C" not null,
  validator_index integer not null,
  committee integer not null references sync_committees on delete cascade,
  first_rank smallint not null,
  seats smallint not null,
  primary key (network, validator_index, committee)
);
create index sync_committee_seats_committee on sync_committee_seats (committee);

create table sync_committee_slots (
  network text collate "C" not null,
  slot integer not null,
  -- no foreign key, which would be checked for every slot: committees without slots are removed by their writers
  committee integer not null,
  -- Gwei by rank, negative for a missed signature
  rewards bigint[] not null,
  primary key (network, slot)
);
create index sync_committee_slots_committee on sync_committee_slots (committee, slot);

create function sync_committee_digest(validators integer[], positions smallint[]) returns bytea
language sql stable as $$
  select sha256(convert_to(array_to_string(validators, ',') || '/' || array_to_string(positions, ','), 'UTF8'))
$$;

-- Returns the key of a committee and stores it if it is new. The lock keeps other transactions from removing it.
create function sync_committee(of_network text, of_validators integer[], of_positions smallint[]) returns integer
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

lock table sync_committee_rewards in access exclusive mode;

create temp table slots on commit drop as
select network, slot, array_agg(validator_index order by rank) as validators,
  array_agg(position order by rank) as positions, array_agg(reward order by rank) as rewards
from sync_committee_rewards group by network, slot;
alter table slots add column digest bytea;
update slots set digest = sync_committee_digest(validators, positions);

create temp table committees on commit drop as
select network, digest, sync_committee(network, validators, positions) as committee
from (
  select distinct on (network, digest) network, digest, validators, positions from slots order by network, digest, slot
) c;
insert into sync_committee_slots (network, slot, committee, rewards)
select network, slot, committee, rewards from slots join committees using (network, digest) order by network, slot;

drop table sync_committee_rewards;
-- A row for each seat, for SQL by hand.
create view sync_committee_rewards as
select s.network, s.slot, r.validator_index, r.reward, r.position, (r.n - 1)::smallint as rank
from sync_committee_slots s
join sync_committees c on c.committee = s.committee
cross join lateral unnest(c.validators, s.rewards, c.positions) with ordinality as r (validator_index, reward, position, n);

analyze sync_committees, sync_committee_seats, sync_committee_slots;
