import type pg from 'pg';
import { z } from 'zod';
import { type TimeWindow, timeWindows } from '../chain/windows.ts';
import { decode } from '../kernel/decode.ts';
import { StakeAuthoritySummary } from '../resources/stake-authorities/record.ts';
import type { ImportCounts, Importer, WriteOptions } from './importer.ts';
import { forgetOldLists, type RankedTables, writeSummaries } from './ranked-lists.ts';

/** A stake authority summary as it comes in: the published record, and the window, which it does not carry. */
const ImportedStakeAuthority = StakeAuthoritySummary.extend({
  timeWindow: z.enum(timeWindows, {
    error: `must be one of ${timeWindows.join(', ')}: in the row or as --window`,
  }),
});
export type ImportedStakeAuthority = z.infer<typeof ImportedStakeAuthority>;

const fields = [
  ['time_window', 'timeWindow', 'text'],
  ['stake_authority', 'stakeAuthority', 'text'],
  ['validator_delegates', 'validatorDelegates', 'integer'],
  ['delegations', 'delegations', 'jsonb'],
  ['staking_rewards_apy', 'stakingRewardsApy', 'numeric'],
  ['mev_rewards_apr', 'mevRewardsApr', 'numeric'],
  ['delegator_apy', 'delegatorApy', 'numeric'],
  ['sum_missed_staking_rewards', 'sumMissedStakingRewards', 'numeric'],
  ['pool_name', 'poolName', 'text'],
  ['delegated_stake', 'delegatedStake', 'numeric'],
  ['network_penetration', 'networkPenetration', 'numeric'],
  ['aggregate_validator_effectiveness', 'aggregateValidatorEffectiveness', 'numeric'],
  ['blended_vote_commission_rate', 'blendedVoteCommissionRate', 'numeric'],
  ['blended_mev_commission_rate', 'blendedMevCommissionRate', 'numeric'],
  ['sum_staking_rewards', 'sumStakingRewards', 'numeric'],
  ['sum_mev_rewards', 'sumMevRewards', 'numeric'],
  ['sum_rewards', 'sumRewards', 'numeric'],
  ['sum_staking_commission_paid', 'sumStakingCommissionPaid', 'numeric'],
  ['sum_mev_commission_paid', 'sumMevCommissionPaid', 'numeric'],
  ['sum_commission_paid', 'sumCommissionPaid', 'numeric'],
] as const satisfies (readonly [string, keyof ImportedStakeAuthority, string])[];

// Digits become numeric: in the columns by their type, in the delegations here.
const numericDelegations = `coalesce((
  select jsonb_agg(d.value || jsonb_build_object('percentage', (d.value ->> 'percentage')::numeric) order by d.place)
  from jsonb_array_elements(delegations) with ordinality as d (value, place)
), '[]')`;

const tables: RankedTables = {
  summaries: 'stake_authority_summaries',
  lists: 'stake_authority_lists',
  ranks: 'stake_authority_ranks',
  key: ['stake_authority', 'time_window'],
  columns: fields.map(([name, , type]) => ({
    name,
    type,
    ...(name === 'delegations' ? { from: numericDelegations } : {}),
  })),
};

const stored = (row: ImportedStakeAuthority) =>
  Object.fromEntries(fields.map(([name, field]) => [name, row[field]]));

async function removeAbsent(client: pg.ClientBase, rows: readonly ImportedStakeAuthority[]): Promise<number> {
  const removed = await client.query(
    `/* removeAbsentStakeAuthorities */
    update stake_authority_summaries s set superseded = true
    where not s.superseded and s.time_window = any($1::text[]) and not exists (
      select from unnest($1::text[], $2::text[]) as k (time_window, stake_authority)
      where (k.time_window, k.stake_authority) = (s.time_window, s.stake_authority)
    )`,
    [rows.map((row) => row.timeWindow), rows.map((row) => row.stakeAuthority)],
  );
  return removed.rowCount ?? 0;
}

/** Makes the lists of these windows anew under a revision: network penetration descending, then address; whole and of each type. */
async function rankWindows(client: pg.ClientBase, windows: readonly TimeWindow[], revision: number) {
  await client.query(
    `/* supersedeStakeAuthorityLists */
    update stake_authority_lists set superseded_at = now()
    where superseded_at is null and time_window = any($1::text[])`,
    [windows],
  );
  await client.query(
    `/* rankStakeAuthorities */
    with ranked as (
      select s.summary_id, s.time_window, t.list_type, row_number() over (
        partition by s.time_window, t.list_type order by s.network_penetration desc, s.stake_authority
      ) - 1 as rank
      from stake_authority_summaries s
      cross join lateral (
        values ('all'), (case when s.pool_name is null then 'individual' else 'pool' end)
      ) as t (list_type)
      where not s.superseded and s.time_window = any($1::text[])
    ), list as (
      insert into stake_authority_lists (time_window, list_type, total, revision)
      select time_window, list_type, count(*), $2 from ranked group by 1, 2
      returning list_id, time_window, list_type
    )
    insert into stake_authority_ranks (list_id, rank, summary_id)
    select list_id, rank, summary_id from ranked join list using (time_window, list_type)`,
    [windows, revision],
  );
  await forgetOldLists(client, tables, ['time_window', 'list_type']);
}

const BATCH = 1_000;

/** Writes stake authority summaries and the ranks of every window they touch, in the client's transaction. */
export async function writeStakeAuthorities(
  client: pg.ClientBase,
  rows: readonly ImportedStakeAuthority[],
  options: WriteOptions,
): Promise<ImportCounts> {
  await client.query(`select pg_advisory_xact_lock(hashtext('stakegraph stake authorities'))`);
  const counts = { inserted: 0, updated: 0, removed: 0 };
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH).map(stored);
    const { inserted, updated } = await writeSummaries(client, tables, batch);
    counts.inserted += inserted;
    counts.updated += updated;
    options.onProgress?.(Math.min(rows.length, start + BATCH));
  }
  if (options.replace) counts.removed = await removeAbsent(client, rows);
  if (counts.inserted + counts.updated + counts.removed > 0) {
    await rankWindows(client, [...new Set(rows.map((row) => row.timeWindow))], await options.revision());
  }
  return counts;
}

export const stakeAuthorityImporter: Importer<ImportedStakeAuthority> = {
  resource: 'stake-authorities',
  check: (raw, { window }) => {
    const value = decode(ImportedStakeAuthority, raw) as Record<string, unknown>;
    const named = window ? { timeWindow: window } : {};
    return ImportedStakeAuthority.safeParse(
      typeof value === 'object' && value ? { ...named, ...value } : value,
    );
  },
  key: (row) => `${row.timeWindow}:${row.stakeAuthority}`,
  write: writeStakeAuthorities,
  // A body of nothing but pools, or but individuals, may have been narrowed by type: it is not all.
  replacesBy: (rows) => new Set(rows.map((row) => row.poolName === null)).size === 2,
};
