import type { z } from 'zod';
import type { Queryable } from '../../db/pool.ts';
import { raw, type Sql, sql } from '../../db/rows.ts';
import type { Selection } from '../../fast-rows/index.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { capitalized } from '../../kernel/names.ts';
import type { Range } from '../../kernel/page.ts';
import { last, summed } from '../../periods/expressions.ts';
import { type PeriodRow, type PeriodSource, periodPages } from '../../periods/pages.ts';
import type { PeriodQuery, Series } from '../../periods/read-plan.ts';
import { entityDays } from '../../periods/sources.ts';
import { validatorPages } from '../../periods/validator-pages.ts';
import type { OperatorId } from '../operators/loaders.ts';
import { daysOfSets, fromUnits, type SetKey } from '../private-sets/set-days.ts';
import type { ValidatorKey } from '../validators/loaders.ts';
import { EffectivenessRecord, PayloadRecord, RewardRecord } from './record.ts';

const owned = <Shape extends z.ZodRawShape>(record: z.ZodObject<Shape>) =>
  record.extend({ id: Leaf.text(256) }) as unknown as z.ZodObject<Shape>;

/** Means over the validators of all days. `double` converts sums as the source stores them. */
function meansOf(double: (sum: Sql) => Sql) {
  const mean = (sum: string, of: string) => ({
    stored: sql`${double(raw(`a.${sum}`))} / nullif(a.${raw(of)}, 0)`,
    gathered: sql`${double(raw(`sum(a.${sum})`))} / nullif(sum(a.${raw(of)}), 0)::float8`,
  });
  const meanOrZero = (sum: string, of: string) => {
    const { stored, gathered } = mean(sum, of);
    return { stored: sql`coalesce(${stored}, 0)`, gathered: sql`coalesce(${gathered}, 0)` };
  };
  return {
    avgCorrectness: mean('sum_correctness', 'attested_count'),
    avgInclusionDelay: mean('sum_inclusion_delays', 'attested_count'),
    avgUptime: meanOrZero('sum_uptime', 'validator_count'),
    avgAttesterEffectiveness: meanOrZero('sum_attester_effectiveness', 'validator_count'),
    avgProposerEffectiveness: mean('sum_proposer_effectiveness', 'proposer_count'),
    avgValidatorEffectiveness: meanOrZero('sum_validator_effectiveness', 'validator_count'),
  };
}
const added = (...columns: string[]) => summed(`${columns.join(' + a.')}`);

const shared = { id: sql`k.entity_id`, validatorCount: last('validator_count') };
type Figure<Field extends string> = Omit<Series<Field>, 'statement'>;
const consensus = ['sum_attestation_rewards', 'sum_sync_committee_rewards', 'sum_proposer_rewards'];
const execution = ['sum_priority_fees', 'sum_baseline_mev'];

const rewards: Figure<keyof RewardRecord> = {
  record: owned(RewardRecord),
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

function figuresWith(means: ReturnType<typeof meansOf>) {
  const effectiveness: Figure<keyof EffectivenessRecord> = {
    record: owned(EffectivenessRecord),
    fields: { ...shared, ...means },
  };
  const proposals: Figure<keyof PayloadRecord> = {
    record: owned(PayloadRecord),
    fields: {
      ...shared,
      proposerDutyCount: added('proposed_count', 'missed_proposal_count'),
      proposedCount: summed('proposed_count'),
      missedProposalCount: summed('missed_proposal_count'),
      emptyPayloadCount: summed('empty_payload_count'),
      avgProposerEffectiveness: means.avgProposerEffectiveness,
      sumProposerRewards: summed('sum_proposer_rewards'),
      sumPriorityFees: summed('sum_priority_fees'),
      sumBaselineMev: summed('sum_baseline_mev'),
    },
  };
  return { effectiveness, proposals, rewards };
}
const figures = figuresWith(meansOf((sum) => sum));
const figuresOfSets = figuresWith(meansOf(fromUnits));
export type Figures = {
  effectiveness: EffectivenessRecord;
  proposals: PayloadRecord;
  rewards: RewardRecord;
};
export type FigureName = keyof Figures;
type FigureField<Name extends FigureName> = keyof Figures[Name] & string;
export type FiguresArguments<Name extends FigureName> = [
  name: Name,
  query: PeriodQuery<FigureField<Name>>,
  range: Range<number>,
  selection: Selection<FigureField<Name>>,
];

const seriesOf = <Name extends FigureName>(
  whose: string,
  name: Name,
  series = figures,
): Series<FigureField<Name>> => ({
  ...(series[name] as unknown as Figure<FigureField<Name>>),
  statement: `${whose}${capitalized(name)}`,
});

const pagesOf =
  <Key>(
    whose: string,
    sourceOf: (keys: readonly Key[], query: PeriodQuery<string>) => PeriodSource,
    series = figures,
  ) =>
  <Name extends FigureName>(
    db: Queryable,
    keys: readonly Key[],
    ...[name, query, range, selection]: FiguresArguments<Name>
  ): Promise<PeriodRow<Figures[Name]>[]> =>
    periodPages(db, seriesOf(whose, name, series), sourceOf(keys, query), query, range, selection);

export const setFigurePages = pagesOf<SetKey>(
  'set',
  (sets, query) => daysOfSets(sets, query.calendar, query),
  figuresOfSets,
);

const figuresOfOperators = sql`(
  select entity_key, utc, day, date, start_epoch, end_epoch, active_count::int as validator_count,
    sum_end_epoch_balance, sum_end_epoch_effective_balance, attested_count, proposer_count, proposed_count,
    missed_proposal_count, empty_payload_count, sum_attestation_rewards, sum_sync_committee_rewards, sum_proposer_rewards,
    sum_priority_fees, sum_baseline_mev, sum_correctness, sum_inclusion_delays, sum_uptime,
    sum_attester_effectiveness, sum_proposer_effectiveness, sum_validator_effectiveness
  from attestation_days
)`;
/** Excludes imported days, because only a refresh computes these figures. Hours have no such figures. */
export const operatorFigurePages = pagesOf('operator', (keys: readonly OperatorId[], query) => {
  const { keys: table, own, parted } = entityDays(keys, query);
  const isComputed = sql`${own} and a.validator_count is not null`;
  return { keys: table, days: figuresOfOperators, parted, own: isComputed };
});

export const validatorFigurePages = <Name extends FigureName>(
  db: Queryable,
  keys: readonly ValidatorKey[],
  ...[name, ...args]: FiguresArguments<Name>
): Promise<PeriodRow<Figures[Name]>[]> => validatorPages(db, seriesOf('validator', name), keys, ...args);
