import { z } from 'zod';
import { Network } from '../../chain/networks.ts';
import { type TimeWindow, windowDays } from '../../chain/windows.ts';
import type { Queryable } from '../../db/pool.ts';
import { raw, rows, sql } from '../../db/rows.ts';
import { count, gwei, number } from '../../kernel/leaves.ts';
import { earning } from '../../periods/effectiveness.ts';
import type { OperatorSummary } from '../operators/record.ts';
import { fromUnits } from './set-days.ts';

const Summary = z.object({
  network: Network,
  id: z.string(),
  displayName: z.string(),
  validatorCount: count(),
  avgCorrectness: number(),
  avgInclusionDelay: number().nullable(),
  avgUptime: number(),
  avgValidatorEffectiveness: number(),
  aprPercentage: number().nullable(),
  sumEndEpochBalance: gwei().nullable(),
  sumEndEpochEffectiveBalance: gwei().nullable(),
});
export type SetSummary = z.infer<typeof Summary>;

/**
 * A window of n days covers the newest n stored chain days, `all` every stored day of the set. Without ids, sets with
 * more validators come first.
 */
export function setSummaries(
  db: Queryable,
  accountId: string,
  key: { network: Network; timeWindow: TimeWindow },
  which: { ids: readonly string[] } | { from: number; size: number },
): Promise<SetSummary[]> {
  const chosen =
    'ids' in which
      ? sql`and s.set_id = any(${[...which.ids]}::uuid[])`
      : sql`order by "validatorCount" desc, s.set_id limit ${which.size} offset ${which.from}`;
  return rows(
    db,
    Summary,
    sql`/* setSummaries */
    with sets as (
      select s.set_id, s.name, (
        select count(*)::int from private_set_members m where m.set_id = s.set_id and m.removed_at is null
      ) as "validatorCount"
      from private_sets s where s.account_id = ${accountId} and s.network = ${key.network} ${chosen}
    ), dates as (${firstDate(key)})
    select ${key.network} as network, s.set_id::text as id, s.name as "displayName", s."validatorCount",
      coalesce(f.correctness, 0) as "avgCorrectness", f.delay as "avgInclusionDelay",
      coalesce(f.uptime, 0) as "avgUptime", coalesce(f.effectiveness, 0) as "avgValidatorEffectiveness",
      f.apr as "aprPercentage", f.balance::text as "sumEndEpochBalance", f.effective::text as "sumEndEpochEffectiveBalance"
    from sets s cross join dates
    cross join lateral (
      select ${mean('sum_correctness', 'attested_count')} as correctness,
        ${mean('sum_inclusion_delays', 'attested_count')} as delay, ${mean('sum_uptime', 'validator_count')} as uptime,
        ${mean('sum_validator_effectiveness', 'validator_count')} as effectiveness,
        36500::float8 * sum(a.sum_attestation_rewards + a.sum_sync_committee_rewards + a.sum_proposer_rewards
          + a.sum_priority_fees + a.sum_baseline_mev)::float8
          / nullif(sum(${earning(sql`a.sum_end_epoch_effective_balance`)}), 0)::float8 as apr,
        (array_agg(a.sum_end_epoch_balance order by a.day desc))[1] as balance,
        (array_agg(a.sum_end_epoch_effective_balance order by a.day desc))[1] as effective
      from private_set_days a where a.set_id = s.set_id and not a.utc and a.date >= dates.first
    ) f
    order by s."validatorCount" desc, s.set_id`,
  );
}

const mean = (sum: string, of: string) =>
  sql`${fromUnits(raw(`sum(a.${sum})`))} / nullif(sum(a.${raw(of)}), 0)`;

const firstDate = ({ network, timeWindow }: { network: Network; timeWindow: TimeWindow }) =>
  timeWindow === 'all'
    ? sql`select '-infinity'::date as first`
    : sql`
      select coalesce(min(date), 'infinity') as first from (
        select date from validator_day_dates where network = ${network} and not utc
        order by day desc limit ${windowDays[timeWindow]}
      ) d`;

export const summaryOf = (
  row: SetSummary,
  timeWindow: TimeWindow,
): OperatorSummary & { network: Network } => ({
  ...row,
  idType: 'privateSet',
  timeWindow,
  clientPercentages: [],
  networkPenetration: null,
  relayerPercentages: [],
  nodeOperatorCount: null,
  operatorTags: [],
});
