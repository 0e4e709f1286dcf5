import { type Sql, sql } from '../db/rows.ts';

/**
 * How well a validator did over a period, of the sums `a` of its days. One place for the rules (spec §2.2; formulas by the
 * decisions on operators), which days of private sets and summaries of operators share. Doubles from the first step on;
 * null where a figure has nothing to be of.
 */
const votes = sql`(a.sum_correct_head + a.sum_correct_target + a.sum_correct_source)`;
/** Attestation duties; 0 on a day with only sync duty, which a validator may have after its exit. */
export const duties = sql`(a.total_unique_attestations + a.sum_missed_attestations)`;
/** Blocks that it was to propose. */
export const proposals = sql`(a.proposed_count + a.missed_proposal_count)`;
export const attested = sql`a.total_unique_attestations`;

/** Share of the attestation duties performed, 0..1; null without duties. */
export const uptime = sql`(${attested}::float8 / nullif(${duties}, 0))`;
/** (head + target + source) ÷ (3 × attestations), 0..1; null where all were missed. */
export const correctness = sql`(${votes}::float8 / nullif(3 * ${attested}, 0))`;
/** Slots until an attestation was included, 1 at best; null where all were missed. */
export const inclusionDelay = sql`(a.sum_inclusion_delay::float8 / nullif(${attested}, 0))`;
/** 100 × uptime × correctness ÷ inclusion delay; 0 where all attestations were missed, null without duties. */
export const attester = sql`coalesce(100::float8 * ${uptime} * ${correctness} / nullif(${inclusionDelay}, 0), 0 * ${uptime})`;
/** 100 × proposed ÷ due; null without a block to propose. */
export const proposer = sql`(100::float8 * a.proposed_count / nullif(${proposals}, 0))`;
/** ⅝ attester + ⅜ proposer where there was a block to propose, else that of the attester. */
export const effectiveness = sql`coalesce(0.625::float8 * ${attester} + 0.375::float8 * ${proposer}, ${attester})`;

/** Rewards of both layers less penalties, in Gwei. */
export const rewards: Sql = sql`(a.sum_attestation_rewards + a.sum_sync_committee_rewards + a.sum_proposer_rewards
  + a.sum_priority_fees + a.sum_baseline_mev)`;
