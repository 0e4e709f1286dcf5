-- The operators of each stored slot's proposer, in the order of each operator's slots.
insert into compatible_migrations values ('0038_block_operators', '0034_index_fills');

-- Columns of the proposer's row in validators, as it is now. Kept by triggers of blocks and validators. Slots whose
-- proposer is not stored have no row.
create table block_operators (
  network text collate "C" not null,
  slot integer not null,
  consensus_proposer_duty text collate "C" not null,
  deposit_address text collate "C",
  withdrawal_address text collate "C",
  node_operator text collate "C",
  pool text collate "C"
);

insert into block_operators
select b.network, b.slot, b.consensus_proposer_duty, v.deposit_address, v.withdrawal_address, v.node_operator, v.pool
from blocks b join validators v using (network, validator_index)
order by b.network, b.slot;

alter table block_operators add primary key (network, slot);
create index block_operators_deposit_address on block_operators (network, deposit_address, slot)
  include (consensus_proposer_duty) where deposit_address is not null;
create index block_operators_withdrawal_address on block_operators (network, withdrawal_address, slot)
  include (consensus_proposer_duty) where withdrawal_address is not null;
create index block_operators_node_operator on block_operators (network, node_operator, slot)
  include (consensus_proposer_duty) where node_operator is not null;
create index block_operators_pool on block_operators (network, pool, slot)
  include (consensus_proposer_duty) where pool is not null;
create index block_operators_pool_share on block_operators (network, pool, node_operator, slot)
  include (consensus_proposer_duty) where pool is not null and node_operator is not null;
-- Few slots are without a block: a page of them would read many others.
create index block_operators_lost_deposit_address on block_operators
  (network, deposit_address, consensus_proposer_duty, slot) where consensus_proposer_duty <> 'proposed';
create index block_operators_lost_withdrawal_address on block_operators
  (network, withdrawal_address, consensus_proposer_duty, slot) where consensus_proposer_duty <> 'proposed';
create index block_operators_lost_node_operator on block_operators
  (network, node_operator, consensus_proposer_duty, slot) where consensus_proposer_duty <> 'proposed';
create index block_operators_lost_pool on block_operators
  (network, pool, consensus_proposer_duty, slot) where consensus_proposer_duty <> 'proposed';
create index block_operators_lost_pool_share on block_operators
  (network, pool, node_operator, consensus_proposer_duty, slot) where consensus_proposer_duty <> 'proposed';
create index blocks_lost on blocks (network, consensus_proposer_duty, slot)
  where consensus_proposer_duty <> 'proposed';

-- As operator_validators.
create view operator_blocks as
  select network, 'depositAddress'::text collate "C" as id_type, deposit_address as operator_id,
    ''::text collate "C" as share_of, slot, consensus_proposer_duty from block_operators
  union all
  select network, 'withdrawalAddress'::text collate "C", withdrawal_address, ''::text collate "C", slot,
    consensus_proposer_duty from block_operators
  union all
  select network, 'nodeOperator'::text collate "C", node_operator, ''::text collate "C", slot,
    consensus_proposer_duty from block_operators
  union all
  select network, 'pool'::text collate "C", pool, ''::text collate "C", slot, consensus_proposer_duty
  from block_operators
  union all
  select network, 'poolShare'::text collate "C", node_operator, pool, slot, consensus_proposer_duty
  from block_operators;

-- `offset 0` forces lookups by key: plans of functions are kept, whatever the number of changed rows.
create function store_block_operators() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'blocks' then
    insert into block_operators as o
    select b.network, b.slot, b.consensus_proposer_duty, v.deposit_address, v.withdrawal_address, v.node_operator, v.pool
    from changed b
    cross join lateral (
      select * from validators v where v.network = b.network and v.validator_index = b.validator_index offset 0
    ) v
    order by b.network, b.slot
    on conflict (network, slot) do nothing;
  else
    insert into block_operators as o
    select b.network, b.slot, b.consensus_proposer_duty, v.deposit_address, v.withdrawal_address, v.node_operator, v.pool
    from changed v
    cross join lateral (
      select * from blocks b where b.network = v.network and b.validator_index = v.validator_index offset 0
    ) b
    order by b.network, b.slot
    on conflict (network, slot) do update
      set (deposit_address, withdrawal_address, node_operator, pool)
        = (excluded.deposit_address, excluded.withdrawal_address, excluded.node_operator, excluded.pool)
      where (o.deposit_address, o.withdrawal_address, o.node_operator, o.pool)
        is distinct from (excluded.deposit_address, excluded.withdrawal_address, excluded.node_operator, excluded.pool);
  end if;
  return null;
end
$$;

create function remove_block_operators() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from block_operators;
  elsif tg_table_name = 'blocks' then
    delete from block_operators o using changed b where o.network = b.network and o.slot = b.slot;
  else
    delete from block_operators o using changed v
    cross join lateral (
      select * from blocks b where b.network = v.network and b.validator_index = v.validator_index offset 0
    ) b
    where o.network = b.network and o.slot = b.slot;
  end if;
  return null;
end
$$;

-- Also when a slot becomes final: a validator may have changed in a transaction that did not see the block.
create function change_block_operators() returns trigger language plpgsql as $$
begin
  delete from block_operators where network = old.network and slot = old.slot;
  insert into block_operators
  select new.network, new.slot, new.consensus_proposer_duty, v.deposit_address, v.withdrawal_address, v.node_operator,
    v.pool
  from validators v where v.network = new.network and v.validator_index = new.validator_index;
  return null;
end
$$;

create trigger blocks_operators_inserted after insert on blocks
  referencing new table as changed for each statement execute function store_block_operators();
create trigger blocks_operators_deleted after delete on blocks
  referencing old table as changed for each statement execute function remove_block_operators();
create trigger blocks_operators_truncated after truncate on blocks
  for each statement execute function remove_block_operators();
create trigger blocks_operators_changed
  after update of network, slot, validator_index, consensus_proposer_duty, finalized on blocks for each row
  when ((old.network, old.slot, old.validator_index, old.consensus_proposer_duty, old.finalized)
    is distinct from (new.network, new.slot, new.validator_index, new.consensus_proposer_duty, new.finalized))
  execute function change_block_operators();
create trigger validators_operators_inserted after insert on validators
  referencing new table as changed for each statement execute function store_block_operators();
create trigger validators_operators_updated after update on validators
  referencing new table as changed for each statement execute function store_block_operators();
create trigger validators_operators_deleted after delete on validators
  referencing old table as changed for each statement execute function remove_block_operators();
create trigger validators_operators_truncated after truncate on validators
  for each statement execute function remove_block_operators();

-- Orders of slashings and validators.
create index slashings_penalties on slashings (network, slashing_penalties, validator_index);
create index validators_activation on validators (network, coalesce(activation_epoch, 2147483647), validator_index);
create index validators_exit on validators (network, coalesce(exit_epoch, 2147483647), validator_index);
create index validators_slashed on validators (network, validator_index) where slashed;
