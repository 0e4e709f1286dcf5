-- Orders of validators of a status; which status follows from the newest epoch (src/resources/validators/status.ts).
insert into compatible_migrations values ('0046_validator_statuses', '0034_index_fills');

create index validators_unactivated on validators (network, validator_index) where activation_epoch is null;
create index validators_staying on validators (network, validator_index)
  where activation_epoch is not null and exit_epoch is null;
create index validators_staying_since on validators
  (network, coalesce(activation_epoch, 2147483647), validator_index)
  where activation_epoch is not null and exit_epoch is null;
-- Pages of exited validators skip those that have yet to exit, which are listed by the other index.
create index validators_exits on validators (network, validator_index) include (exit_epoch)
  where exit_epoch is not null;
create index validators_leaving on validators (network, exit_epoch, validator_index) include (activation_epoch)
  where exit_epoch is not null;
