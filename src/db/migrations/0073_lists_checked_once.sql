-- Whoever ranks a list checks it once, in store_operator_orders and store_stake_authority_orders, which takes a hundredth of
-- the time of a foreign key that looks up each row. Triggers on the lists delete their ranks and orders.
alter table operator_ranks drop constraint operator_ranks_list_id_fkey, drop constraint operator_ranks_summary_id_fkey;
alter table operator_orders drop constraint operator_orders_list_id_fkey;
alter table stake_authority_ranks drop constraint stake_authority_ranks_list_id_fkey,
  drop constraint stake_authority_ranks_summary_id_fkey;
alter table stake_authority_orders drop constraint stake_authority_orders_list_id_fkey;
