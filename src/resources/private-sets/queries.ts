import { z } from 'zod';
import { Network } from '../../chain/networks.ts';
import { type TimeWindow, windowDays } from '../../chain/windows.ts';
import type { Queryable } from '../../db/pool.ts';
import { rows, sql } from '../../db/rows.ts';
import { count, gwei, number } from '../../kernel/leaves.ts';
import type { Range } from '../../kernel/page.ts';
import { type Expression, last, periodKeys, same, summed } from '../../periods/expressions.ts';
import { type PeriodQuery, type PeriodRow, periodPages, type Series } from '../../periods/pages.ts';
import type { OperatorSummary } from '../operators/record.ts';
import { SetEffectiveness, SetProposals, SetRewards } from './record.ts';
import { type SetKey, setDays } from './set-days.ts';

/** The mean over the validators of a day (`stored`), or of all days together (`gathered`). */
const mean = (sum: string, of: string): Expression => ({
  stored: sql([`a.${sum} / nullif(a.${of}, 0)`]),
  gathered: sql([`sum(a.${sum}) / nullif(sum(a.${of}), 0)::float8`]),
});
/** Like `mean`, but 0 instead of null without duties. */
const meanOrZero = (sum: string, of: string): Expression => {
  const { stored, gathered } = mean(sum, of);
  return { stored: sql`coalesce(${stored}, 0)`, gathered: sql`coalesce(${gathered}, 0)` };
};
const added = (...columns: string[]) => summed(`${columns.join(' + a.')}`);

const shared = { id: same(sql`k.entity_id`), validatorCount: last('validator_count'), ...periodKeys };
const avgProposerEffectiveness = mean('sum_proposer_effectiveness', 'proposer_count');
const consensus = ['sum_attestation_rewards', 'sum_sync_committee_rewards', 'sum_proposer_rewards'];
const execution = ['sum_priority_fees', 'sum_baseline_mev'];

const effectiveness: Series<keyof SetEffectiveness> = {
  statement: 'setEffectiveness',
  record: SetEffectiveness,
  fields: {
    ...shared,
    avgCorrectness: mean('sum_correctness', 'attested_count'),
    avgInclusionDelay: mean('sum_inclusion_delays', 'attested_count'),
    avgUptime: meanOrZero('sum_uptime', 'validator_count'),
    avgAttesterEffectiveness: meanOrZero('sum_attester_effectiveness', 'validator_count'),
    avgProposerEffectiveness,
    avgValidatorEffectiveness: meanOrZero('sum_validator_effectiveness', 'validator_count'),
  },
};

const proposals: Series<keyof SetProposals> = {
  statement: 'setProposals',
  record: SetProposals,
  fields: {
    ...shared,
    proposerDutyCount: added('proposed_count', 'missed_proposal_count'),
    proposedCount: summed('proposed_count'),
    missedProposalCount: summed('missed_proposal_count'),
    avgProposerEffectiveness,
    sumProposerRewards: summed('sum_proposer_rewards'),
    sumPriorityFees: summed('sum_priority_fees'),
    sumBaselineMev: summed('sum_baseline_mev'),
  },
};

const rewards: Series<keyof SetRewards> = {
  statement: 'setRewards',
  record: SetRewards,
  fields: {
    ...shared,
    sumAttestationRewards: summed('sum_attestation_rewards'),
    sumSyncCommitteeRewards: summed('sum_sync_committee_rewards'),
    sumProposerRewards: summed('sum_proposer_rewards'),
    sumConsensusRewards: added(...consensus),
    sumPriorityFees: summed('sum_priority_fees'),
    sumBaselineMev: summed('sum_baseline_mev'),
    sumExecutionRewards: added(...execution),
    sumRewards: added(...consensus, ...execution),
    sumEndEpochBalance: last('sum_end_epoch_balance'),
    sumEndEpochEffectiveBalance: last('sum_end_epoch_effective_balance'),
  },
};

const figures = { effectiveness, proposals, rewards };
export type Figures = { effectiveness: SetEffectiveness; proposals: SetProposals; rewards: SetRewards };
export type FigureName = keyof Figures;
export type FigureQuery<Name extends FigureName> = PeriodQuery<keyof Figures[Name] & string>;

export const figurePages = <Name extends FigureName>(
  db: Queryable,
  name: Name,
  sets: readonly SetKey[],
  query: FigureQuery<Name>,
  range: Range<number>,
  asked: readonly (keyof Figures[Name] & string)[],
): Promise<PeriodRow<Figures[Name]>[]> =>
  periodPages(
    db,
    figures[name] as unknown as Series<keyof Figures[Name] & string>,
    setDays(sets, query.calendar, query),
    query,
    range,
    asked,
  );

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
 * Covers the newest stored chain days, as many as the window has. Without ids, returns `size` sets from rank `from`,
 * most validators first.
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
    ), dates as (
      select coalesce(min(date), 'infinity') as first from (
        select date from validator_day_dates where network = ${key.network} and not utc
        order by day desc limit ${windowDays[key.timeWindow]}
      ) d
    )
    select ${key.network} as network, s.set_id::text as id, s.name as "displayName", s."validatorCount",
      coalesce(f.correctness, 0) as "avgCorrectness", f.delay as "avgInclusionDelay",
      coalesce(f.uptime, 0) as "avgUptime", coalesce(f.effectiveness, 0) as "avgValidatorEffectiveness",
      f.apr as "aprPercentage", f.balance::text as "sumEndEpochBalance", f.effective::text as "sumEndEpochEffectiveBalance"
    from sets s cross join dates
    cross join lateral (
      select sum(a.sum_correctness) / nullif(sum(a.attested_count), 0) as correctness,
        sum(a.sum_inclusion_delays) / nullif(sum(a.attested_count), 0) as delay,
        sum(a.sum_uptime) / nullif(sum(a.validator_count), 0) as uptime,
        sum(a.sum_validator_effectiveness) / nullif(sum(a.validator_count), 0) as effectiveness,
        36500::float8 * sum(a.sum_attestation_rewards + a.sum_sync_committee_rewards + a.sum_proposer_rewards
          + a.sum_priority_fees + a.sum_baseline_mev)::float8
          / nullif(sum(a.sum_end_epoch_effective_balance), 0)::float8 as apr,
        (array_agg(a.sum_end_epoch_balance order by a.day desc))[1] as balance,
        (array_agg(a.sum_end_epoch_effective_balance order by a.day desc))[1] as effective
      from private_set_days a where a.set_id = s.set_id and not a.utc and a.date >= dates.first
    ) f
    order by s."validatorCount" desc, s.set_id`,
  );
}

/** Fields that only operators have are null or empty. */
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
