-- Slots with what happened in them (decisions on the further endpoints): a block, or a proposal that was missed. Fees by
-- kind of transaction and the base fee are wei, rewards and what they are made of Gwei. The time follows from the slot.
create table blocks (
  network text collate "C" not null,
  slot integer not null,
  validator_index integer not null,
  consensus_proposer_duty text collate "C" not null
    check (consensus_proposer_duty in ('proposed', 'missed', 'orphaned')),
  execution_proposer_duty text collate "C" check (execution_proposer_duty in ('proposed', 'missed', 'orphaned')),
  consensus_block_root text collate "C",
  execution_block_number integer,
  execution_block_hash text collate "C",
  fee_recipient text collate "C",
  total_transactions integer,
  total_type0_transactions integer,
  total_type1_transactions integer,
  total_type2_transactions integer,
  total_sanctioned_transactions integer,
  total_gas_used integer,
  -- wei passes 64 bits: a block has burnt more than 100 ETH
  base_fee_per_gas numeric,
  total_burnt_fees numeric,
  total_type0_tx_fees numeric,
  total_type1_tx_fees numeric,
  total_type2_tx_fees numeric,
  -- execution rewards may be parts of a Gwei
  total_priority_fees numeric,
  total_priority_fees_validator numeric,
  baseline_mev numeric,
  execution_rewards numeric,
  missed_execution_rewards numeric,
  consensus_rewards bigint,
  missed_consensus_rewards bigint,
  total_rewards numeric,
  total_rewards_missed numeric,
  relays text[] not null,
  block_builder_pubkeys text[] not null,
  primary key (network, slot)
);
-- the slots in which a validator was to propose
create index blocks_proposer on blocks (network, validator_index, slot);

-- How many slots of a network are stored: counting millions of rows for each page would cost more than the page. Kept
-- by the table itself, so that it is right whoever adds or deletes rows.
create table block_counts (
  network text collate "C" primary key,
  total integer not null
);
create function count_blocks() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from block_counts;
    return null;
  end if;
  insert into block_counts as c (network, total)
  select network, case tg_op when 'INSERT' then count(*) else -count(*) end
  from changed
  group by network
  order by network -- writers that run at once take the rows in one order
  on conflict (network) do update set total = c.total + excluded.total;
  return null;
end
$$;
create trigger blocks_inserted after insert on blocks
  referencing new table as changed for each statement execute function count_blocks();
create trigger blocks_deleted after delete on blocks
  referencing old table as changed for each statement execute function count_blocks();
create trigger blocks_truncated after truncate on blocks for each statement execute function count_blocks();

-- What a network's validators earned in a chain day, in Gwei; date, epochs and times follow from the day.
create table chain_daily_rewards (
  network text collate "C" not null,
  day integer not null,
  sum_consensus_rewards bigint not null,
  -- execution rewards may be parts of a Gwei
  sum_execution_rewards numeric not null,
  sum_priority_fees numeric not null,
  sum_baseline_mev numeric not null,
  sum_effective_balance bigint not null,
  primary key (network, day)
);
