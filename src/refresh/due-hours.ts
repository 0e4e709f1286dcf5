import type pg from 'pg';
import type { Network } from '../chain/networks.ts';

/** Call after names or addresses of validators changed, so that the hours of a day stay its parts. */
export const hoursDue = (client: pg.ClientBase, network: Network, validators: readonly number[]) =>
  client.query(
    `/* hoursDue */
    update index_periods set due = true
    where network = $1 and balances is not null and not due and exists (
      select from validators v join index_state s using (network)
      where v.network = $1 and v.validator_index = any($2::int[]) and v.activation_epoch <= s.epoch
    )`,
    [network, validators],
  );
