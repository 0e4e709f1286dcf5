-- Which slots an operator's validators were to propose, as operator_validators.
create or replace view operator_blocks as
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
create or replace function store_block_operators() returns trigger language plpgsql as $$
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

create or replace function remove_block_operators() returns trigger language plpgsql as $$
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
create or replace function change_block_operators() returns trigger language plpgsql as $$
begin
  delete from block_operators where network = old.network and slot = old.slot;
  insert into block_operators
  select new.network, new.slot, new.consensus_proposer_duty, v.deposit_address, v.withdrawal_address, v.node_operator,
    v.pool
  from validators v where v.network = new.network and v.validator_index = new.validator_index;
  return null;
end
$$;

create or replace trigger blocks_operators_deleted after delete on blocks
  referencing old table as changed for each statement execute function remove_block_operators();
create or replace trigger blocks_operators_truncated after truncate on blocks
  for each statement execute function remove_block_operators();
create or replace trigger blocks_operators_changed
  after update of network, slot, validator_index, consensus_proposer_duty, finalized on blocks for each row
  when ((old.network, old.slot, old.validator_index, old.consensus_proposer_duty, old.finalized)
    is distinct from (new.network, new.slot, new.validator_index, new.consensus_proposer_duty, new.finalized))
  execute function change_block_operators();

create or replace function count_validators() returns trigger language plpgsql as $$
begin
  if tg_op in ('UPDATE', 'DELETE') then
    insert into validator_counts as c
    select network, activation_epoch is not null, exit_epoch is not null, slashed, -count(*) from removed group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict (network, activated, leaving, slashed) do update set validators = c.validators + excluded.validators;
  end if;
  if tg_op in ('UPDATE', 'INSERT') then
    insert into validator_counts as c
    select network, activation_epoch is not null, exit_epoch is not null, slashed, count(*) from changed group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict (network, activated, leaving, slashed) do update set validators = c.validators + excluded.validators;
  end if;
  if tg_op = 'TRUNCATE' then delete from validator_counts; end if;
  return null;
end
$$;

-- Without these triggers, imports keep block_operators and validator_counts: `stakegraph distribute` makes validators a reference table of Citus,
-- which has no triggers and is not joined in data-modifying WITH queries or with transition tables.
create or replace function keep_block_operators(by_triggers boolean) returns void language plpgsql as $$
begin
  if not by_triggers then
    drop trigger if exists blocks_operators_inserted on blocks;
    drop trigger if exists validators_operators_inserted on validators;
    drop trigger if exists validators_operators_updated on validators;
    drop trigger if exists validators_operators_deleted on validators;
    drop trigger if exists validators_operators_truncated on validators;
    drop trigger if exists validators_counts_inserted on validators;
    drop trigger if exists validators_counts_updated on validators;
    drop trigger if exists validators_counts_deleted on validators;
    drop trigger if exists validators_counts_truncated on validators;
    return;
  end if;
  create or replace trigger blocks_operators_inserted after insert on blocks
    referencing new table as changed for each statement execute function store_block_operators();
  create or replace trigger validators_operators_inserted after insert on validators
    referencing new table as changed for each statement execute function store_block_operators();
  create or replace trigger validators_operators_updated after update on validators
    referencing new table as changed for each statement execute function store_block_operators();
  create or replace trigger validators_operators_deleted after delete on validators
    referencing old table as changed for each statement execute function remove_block_operators();
  create or replace trigger validators_operators_truncated after truncate on validators
    for each statement execute function remove_block_operators();
  create or replace trigger validators_counts_inserted after insert on validators
    referencing new table as changed for each statement execute function count_validators();
  create or replace trigger validators_counts_updated after update on validators
    referencing old table as removed new table as changed for each statement execute function count_validators();
  create or replace trigger validators_counts_deleted after delete on validators
    referencing old table as removed for each statement execute function count_validators();
  create or replace trigger validators_counts_truncated after truncate on validators
    for each statement execute function count_validators();
end
$$;

-- Unless Citus has the validators.
do $$
begin
  if to_regclass('pg_dist_partition') is not null then
    if exists (select from pg_dist_partition where logicalrelid = 'validators'::regclass) then return; end if;
  end if;
  perform keep_block_operators(true);
end
$$;
