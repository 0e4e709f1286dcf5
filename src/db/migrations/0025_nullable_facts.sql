-- Facts that sources may not know: chain days told their effective balance from 2024 on, and who made a deposit
-- stands in no beacon node.
alter table chain_daily_rewards alter column sum_effective_balance drop not null;
alter table validators alter column deposit_address drop not null;
