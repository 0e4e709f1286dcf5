// The questions of the benchmark as SQL, for every contender that is written here. Every column is read, as such services
// are commonly written, in named statements.
import pg from 'pg';

export const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE_URL, max: 10 });

const operatorColumns = `s.network, s.operator_id as "operatorId", s.id_type as "idType", s.time_window as "timeWindow",
  s.validator_count as "validatorCount", s.avg_correctness as "avgCorrectness", s.avg_inclusion_delay as "avgInclusionDelay",
  s.avg_uptime as "avgUptime", s.avg_validator_effectiveness as "avgValidatorEffectiveness",
  s.client_percentages as "clientPercentages", s.network_penetration as "networkPenetration",
  s.relayer_percentages as "relayerPercentages", s.node_operator_count as "nodeOperatorCount",
  s.operator_tags as "operatorTags", s.display_name as "displayName", s.apr_percentage as "aprPercentage",
  s.sum_end_epoch_balance as "sumEndEpochBalance", s.sum_end_epoch_effective_balance as "sumEndEpochEffectiveBalance"`;

const authorityColumns = `s.time_window as "timeWindow", s.stake_authority as "stakeAuthority",
  s.validator_delegates as "validatorDelegates", s.delegations, s.staking_rewards_apy as "stakingRewardsApy",
  s.mev_rewards_apr as "mevRewardsApr", s.delegator_apy as "delegatorApy",
  s.sum_missed_staking_rewards as "sumMissedStakingRewards", s.pool_name as "poolName", s.delegated_stake as "delegatedStake",
  s.network_penetration as "networkPenetration", s.aggregate_validator_effectiveness as "aggregateValidatorEffectiveness",
  s.blended_vote_commission_rate as "blendedVoteCommissionRate", s.blended_mev_commission_rate as "blendedMevCommissionRate",
  s.sum_staking_rewards as "sumStakingRewards", s.sum_mev_rewards as "sumMevRewards", s.sum_rewards as "sumRewards",
  s.sum_staking_commission_paid as "sumStakingCommissionPaid", s.sum_mev_commission_paid as "sumMevCommissionPaid",
  s.sum_commission_paid as "sumCommissionPaid"`;

const statement = (name, text) => async (values) => (await pool.query({ name, text, values })).rows;

const operatorsOf = (name, columns) =>
  statement(
    name,
    `select ${columns} from operator_ranks r join operator_summaries s using (summary_id)
   where r.list_id = (
       select list_id from operator_lists where network = 'mainnet' and parent_id = '' and parent_type = ''
         and id_type = $1 and time_window = $2 and pool_type = 'all' and superseded_at is null)
     and r.rank > $3::int and r.rank <= $3 + $4::int order by r.rank`,
  );
const operatorsFrom = operatorsOf('operators', operatorColumns);
const fewFrom = operatorsOf(
  'operatorsFew',
  `s.operator_id as "operatorId", s.validator_count as "validatorCount",
  s.network_penetration as "networkPenetration", s.apr_percentage as "aprPercentage"`,
);
const operatorBy = statement(
  'operator',
  `select ${operatorColumns} from operator_summaries s
   where network = 'mainnet' and operator_id = $1 and id_type = $2 and time_window = $3 and not superseded`,
);
const authoritiesFrom = statement(
  'authorities',
  `select ${authorityColumns} from stake_authority_ranks r join stake_authority_summaries s using (summary_id)
   where r.list_id = (
       select list_id from stake_authority_lists where time_window = $1 and list_type = 'all' and superseded_at is null)
     and r.rank > $2::int and r.rank <= $2 + $3::int order by r.rank`,
);
const daysOf = statement(
  'attestations',
  `select e.entity_id as "entityId", a.day, a.date::text, a.validator_count as "validatorCount",
     a.sum_correct_head as "sumCorrectHead", a.sum_missed_attestations as "sumMissedAttestations",
     a.avg_attester_effectiveness as "avgAttesterEffectiveness", a.sum_end_epoch_balance as "sumEndEpochBalance"
   from attestation_entities e cross join lateral (
     select * from attestation_days a where a.entity_key = e.entity_key and not a.utc order by a.date limit $3
   ) a
   where e.network = 'mainnet' and e.id_type = $2 and e.entity_id = any($1::text[]) order by a.date`,
);
const recordsOf = statement(
  'records',
  `select e.entity_id as id, a.validator_count as "validatorCount", a.total_unique_attestations as "totalUniqueAttestations",
     a.sum_missed_attestations as "sumMissedAttestations", a.sum_missed_sync_signatures as "sumMissedSyncSignatures",
     a.sum_correct_head as "sumCorrectHead", a.sum_correct_target as "sumCorrectTarget",
     a.sum_correct_source as "sumCorrectSource", a.sum_wrong_head_votes as "sumWrongHeadVotes",
     a.sum_wrong_target_votes as "sumWrongTargetVotes", a.sum_late_target_votes as "sumLateTargetVotes",
     a.sum_late_source_votes as "sumLateSourceVotes", a.avg_attester_effectiveness as "avgAttesterEffectiveness",
     a.sum_inclusion_delay as "sumInclusionDelay", a.sum_sync_signature_count as "sumSyncSignatureCount",
     a.sum_end_epoch_balance as "sumEndEpochBalance", a.sum_end_epoch_effective_balance as "sumEndEpochEffectiveBalance",
     null as hour, a.day, null as "startDay", null as "endDay", a.start_epoch as "startEpoch", a.end_epoch as "endEpoch",
     null as "startDate", null as "endDate", a.date::text,
     to_char(to_timestamp(1606824023 + 384::bigint * a.start_epoch), 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "startTimestamp",
     to_char(to_timestamp(1606824023 + 384::bigint * a.end_epoch + 372), 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "endTimestamp",
     a.start_epoch * 32 as "startSlot", a.end_epoch * 32 + 31 as "endSlot", c.total
   from attestation_entities e
   cross join lateral (
     select count(*)::int as total from attestation_days c where c.entity_key = e.entity_key and not c.utc
   ) c
   cross join lateral (
     select * from attestation_days a where a.entity_key = e.entity_key and not a.utc order by a.date limit $3
   ) a
   where e.network = 'mainnet' and e.id_type = $2 and e.entity_id = $1 order by a.date`,
);

export const operators = ({ idType, window, after = -1, first }) =>
  operatorsFrom([idType, window, after, first]);
/** The same, as one would write it who knows which four fields are asked for. */
export const operatorsFew = ({ idType, window, after, first }) => fewFrom([idType, window, after, first]);
export const operator = async ({ operatorId, idType, window }) =>
  (await operatorBy([operatorId, idType, window]))[0] ?? null;
export const stakeAuthorities = ({ window, after = -1, first }) => authoritiesFrom([window, after, first]);

/** The first days of one entity, with every column of the REST record and how many there are in all. */
export const records = (id, idType, first) => recordsOf([id, idType, first]);

/** The first days of each of several entities of a class, in the order of the ids. */
export async function attestations(ids, idType, first) {
  const byId = new Map(ids.map((id) => [id, []]));
  for (const row of await daysOf([ids, idType, first])) byId.get(row.entityId).push(row);
  return [...byId.values()];
}
