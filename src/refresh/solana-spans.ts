import type pg from 'pg';
import { SPAN } from '../db/epoch-spans.ts';
import { join, raw, sql } from '../db/rows.ts';
import { analyzeGrown } from '../ingest/merge/staging.ts';
import { authorityRows, checkValidators, counts, hasRows, newestEpoch, seconds } from './solana-epochs.ts';
import { divided } from './solana-rates.ts';
import { run } from './write.ts';

/** What windows add up by stake authority; columns of `stake_authority_span_sums`. */
export const summedFigures = {
  stake: sql`delegated_stake`,
  stake_effectiveness: sql`delegated_stake * effectiveness`,
  stake_vote_commission: sql`delegated_stake * vote_commission_rate`,
  stake_mev_commission: sql`delegated_stake * mev_commission_rate`,
  stake_seconds: sql`delegated_stake * seconds`,
  staking_rewards: sql`staking_rewards`,
  mev_rewards: sql`mev_rewards`,
  staking_commission_paid: sql`staking_commission_paid`,
  mev_commission_paid: sql`mev_commission_paid`,
  missed: divided(sql`staking_rewards * (1 - effectiveness)`, sql`effectiveness`),
};

/**
 * Sums the first span that is due and ends before the newest epoch. Returns false if there is none. Locks the span: a
 * concurrent import then commits later and makes it due again.
 */
export async function sumDueSpan(client: pg.ClientBase): Promise<boolean> {
  const newest = await newestEpoch(client);
  if (newest === undefined) return false;
  const { rows } = await run(
    client,
    sql`/* dueSpan */
    select s.first_epoch as first from solana_epoch_spans s
    where s.due and s.first_epoch + ${SPAN} <= ${newest}::int and ${hasRows}
    order by s.first_epoch limit 1 for update`,
  );
  const first: number | undefined = rows[0]?.first;
  if (first === undefined) return false;
  const { rows: epochs } = await run(
    client,
    sql`/* epochsOfSpan */ select e.epoch from solana_epochs e
    where e.epoch >= ${first} and e.epoch < ${first}::int + ${SPAN} and ${counts} order by e.epoch`,
  );
  const counted: number[] = epochs.map(({ epoch }) => epoch);
  await checkValidators(client, counted);
  await run(client, sql`/* dropSums */ delete from stake_authority_span_sums where first_epoch = ${first}`);
  const names = Object.keys(summedFigures).join(', ');
  const summed = await run(
    client,
    sql`/* sumSpan */
    insert into stake_authority_span_sums (first_epoch, stake_authority, last_epoch, pool_name, ${raw(names)})
    select ${first}, stake_authority, max(epoch), (array_agg(pool_name order by epoch desc, pool_name))[1],
      ${join(Object.values(summedFigures).map((figure) => sql`sum(${figure})`))}
    from (${authorityRows(counted)}) a
    join (select e.epoch, ${seconds} as seconds from solana_epochs e) e using (epoch)
    group by stake_authority order by stake_authority`,
  );
  await run(
    client,
    sql`/* spanSummed */
    update solana_epoch_spans set due = false, epochs = ${counted}::int[], seconds = (
      select sum(${seconds}) from solana_epochs e where e.epoch = any(${counted}::int[])
    ) where first_epoch = ${first}`,
  );
  await analyzeGrown(client, 'stake_authority_span_sums', summed.rowCount ?? 0);
  return true;
}
