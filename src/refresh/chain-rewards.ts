import type pg from 'pg';
import { EPOCHS_PER_DAY, SLOTS_PER_DAY } from '../chain/calendar.ts';
import type { Network } from '../chain/networks.ts';
import { raw, type Sql, sql } from '../db/rows.ts';
import { chainDailyRewardImporter } from '../ingest/importers/chain-daily-rewards.ts';
import { filterProposed, hasFees, isProposed } from './block-fees.ts';
import { type DaySelection, doneDates, dueDates, NO_COUNTS } from './due-days.ts';
import { allIndices, chainDays } from './known.ts';
import { localDays } from './local-days.ts';
import { run, type Written, writeSelected } from './write.ts';

const imported = sql`exists (
  select from chain_daily_rewards c where c.network = d.network and c.day = d.day and not c.computed
)`;

/** Returns undefined if no days are stored, or if some are due and a validator index is missing. Incomplete days stay due. */
export async function refreshChainRewards(
  client: pg.ClientBase,
  selection: DaySelection,
): Promise<(Written & { dates: string[] }) | undefined> {
  const { network } = selection;
  const dates = await dueDates(client, 'rewards_due', selection, sql`not ${imported}`);
  if (!dates?.length) return dates && NO_COUNTS;
  const { rows } = await run(client, sql`/* everyIndex */ select ${allIndices(network)} as known`);
  if (!rows[0].known) return undefined;
  const days = await localDays(client, selection, dates);
  let computed: string[] = [];
  const importer: typeof chainDailyRewardImporter = {
    ...chainDailyRewardImporter,
    merge: async (_, options) => {
      // Does not overwrite days that an import loaded meanwhile. Later imports wait for the merge lock.
      await client.query(`/* keepImported */ delete from staged d where ${imported.sql}`);
      return chainDailyRewardImporter.merge(client, options);
    },
  };
  const written = await writeSelected(client, importer, rewards(selection, dates, days), {
    replace: false,
    check: async () => {
      const found = await run(
        client,
        sql`/* computedDays */
        select date::text as date from validator_day_dates join staged using (network, day) where not utc`,
      );
      computed = found.rows.map(({ date }) => date);
    },
  });
  await doneDates(client, 'rewards_due', selection, computed);
  return { ...written, dates };
}

/** Whether a refresh would compute rewards of any of these dates. Call in a transaction. */
export async function computesRewards(
  client: pg.ClientBase,
  network: Network,
  dates: readonly string[],
): Promise<boolean> {
  await client.query('/* beforeRewards */ savepoint rewards');
  const selection = { network, utc: false, all: false, after: '-infinity' };
  const days = await localDays(client, selection, dates);
  const { rows } = await run(
    client,
    sql`/* anyRewards */ select 1 ${rewards(selection, dates, days).from}
    and not exists (
      select from chain_daily_rewards c where c.network = ${network} and c.day = d.day and not c.computed
    ) limit 1`,
  );
  await client.query('/* forgetLocalDays */ rollback to savepoint rewards; release savepoint rewards');
  return rows.length > 0;
}

/** Rules: docs/data-model.md. */
const rewards = ({ network }: DaySelection, dates: readonly string[], days: Sql) => ({
  columns: {
    network: sql`${network}`,
    day: sql`d.day`,
    sum_consensus_rewards: sql`d.consensus`,
    sum_execution_rewards: sql`case when b.known then b.execution else d.fees + d.mev end`,
    sum_priority_fees: sql`case when b.known then b.fees else d.fees end`,
    sum_baseline_mev: sql`case when b.known then b.mev else d.mev end`,
    sum_effective_balance: sql`coalesce(c.total_active_balance, d.effective_at_end)`,
    effective_balance_epochs: sql`coalesce(e.effective_epochs, d.effective_epochs)`,
    computed: sql`true`,
  },
  from: sql`
  from (${chainDays(network, sql`${[...dates]}::date[]`, days)}) d
  cross join lateral (
    select count(*) = ${SLOTS_PER_DAY} and bool_and(${known}) as known,
      coalesce(sum(b.execution_rewards) ${proposed}, 0) as execution,
      coalesce(sum(b.total_priority_fees_validator) ${proposed}, 0) as fees,
      coalesce(sum(b.baseline_mev) ${proposed}, 0) as mev
    from blocks b
    where b.network = ${network} and b.slot >= d.day * ${SLOTS_PER_DAY} and b.slot < (d.day + 1) * ${SLOTS_PER_DAY}
  ) b
  cross join lateral (
    select case when count(*) = ${EPOCHS_PER_DAY} then sum(total_active_balance) end as effective_epochs
    from chain_balances where network = ${network} and epoch between d.first and d.last
  ) e
  left join chain_balances c on c.network = ${network} and c.epoch = d.last
  where d.complete and d.first = d.day * ${EPOCHS_PER_DAY} and d.last = d.day * ${EPOCHS_PER_DAY} + ${EPOCHS_PER_DAY - 1}
    and d.fees >= 0 and d.mev >= 0 -- execution rewards are never negative`,
});

const proposed = raw(filterProposed);
const known = raw(`not ${isProposed} or ${hasFees}`);
