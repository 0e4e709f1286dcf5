import type pg from 'pg';
import { SPAN, spanOf } from '../db/epoch-spans.ts';
import { type Sql, sql } from '../db/rows.ts';
import { run } from './write.ts';

/** SQL over `s`, a span of epochs: whether its rows are stored. If none is, they were dropped, and the sums stay. */
export const hasRows = sql`exists (
  select from solana_stake_authority_epochs r where r.epoch >= s.first_epoch and r.epoch < s.first_epoch + ${SPAN}
)`;

/** SQL over `e`, an epoch: whether it counts. An epoch whose rows were dropped counts if it was summed. */
export const counts = sql`(
  exists (select from solana_validator_epochs v where v.epoch = e.epoch)
  and (exists (select from solana_stake_authority_epochs a where a.epoch = e.epoch)
    or not exists (select from solana_stake_authority_epochs)
    or exists (
      select from solana_epoch_spans s
      where s.first_epoch = ${spanOf(sql`e.epoch`)} and e.epoch = any(s.epochs) and not ${hasRows}
    ))
)`;

export const seconds = sql`extract(epoch from e.ended_at - e.started_at)::numeric`;

/** SQL over `s`: whether the window `all` reads its sums. The newest epoch is always read from its rows. */
export const isSummed = (newest: number): Sql =>
  sql`(s.epochs is not null and not (s.due and ${hasRows}) and s.first_epoch + ${SPAN} <= ${newest}::int)`;

export async function newestEpoch(client: pg.ClientBase): Promise<number | undefined> {
  const { rows } = await run(
    client,
    sql`/* newestEpoch */ select max(e.epoch) as epoch from solana_epochs e where ${counts}`,
  );
  return rows[0].epoch ?? undefined;
}

/** Rows of stake authorities with those of their validators. The list prunes partitions; a join does not. */
export const authorityRows = (epochs: readonly number[]): Sql => sql`
    select a.epoch, a.stake_authority, vote_account, a.pool_name, a.delegated_stake, a.staking_rewards, a.mev_rewards,
      a.staking_commission_paid, a.mev_commission_paid, v.effectiveness, v.vote_commission_rate, v.mev_commission_rate,
      v.validator_name
    from solana_stake_authority_epochs a
    join solana_validator_epochs v using (epoch, vote_account)
    where a.epoch = any(${epochs}::int[])`;

export async function checkValidators(client: pg.ClientBase, epochs: readonly number[]): Promise<void> {
  const { rows } = await run(
    client,
    sql`/* checkValidators */
    select a.epoch, a.vote_account from solana_stake_authority_epochs a
    where a.epoch = any(${epochs}::int[]) and not exists (
      select from solana_validator_epochs v where (v.epoch, v.vote_account) = (a.epoch, a.vote_account)
    )
    order by 1, 2 limit 1`,
  );
  const [missing] = rows;
  if (!missing) return;
  throw new Error(
    `Stake is with validator ${missing.vote_account} in epoch ${missing.epoch}, but solana-validator-epochs has no row for it: import that row.`,
  );
}
