-- Who proposed the blocks that `stakegraph retain` has dropped, for the relays of operators in the window `all`.
insert into compatible_migrations values ('0059_dropped_relays', '0034_index_fills');

create table dropped_relays (
  network text collate "C" not null,
  -- the dropped slots, all of one chain day: from `first_slot` to before `end_slot`
  first_slot integer not null,
  end_slot integer not null check (end_slot > first_slot),
  relays text[] collate "C" not null,
  -- one for each block that came through exactly these relays
  proposers integer[] not null
);
create index dropped_relays_slots on dropped_relays (network, first_slot);
