import { EPOCHS_PER_DAY } from '../chain/calendar.ts';
import { EFFECTIVE_BALANCE_INCREMENT } from '../chain/churn.ts';
import { raw, sql } from '../db/rows.ts';

/**
 * SQL over `a`, a validator day or a sum of several, with the same digits in PostgreSQL and in DuckDB, which sums archived
 * days. Formulas: spec §2.2, decisions on operators.
 */
const votes = sql`(a.sum_correct_head + a.sum_correct_target + a.sum_correct_source)`;
/** Attestation duties: zero on days when a validator has exited and is only in the sync committee. */
export const duties = sql`(a.total_unique_attestations + a.sum_missed_attestations)`;
export const proposals = sql`(a.proposed_count + a.missed_proposal_count)`;
export const attested = sql`a.total_unique_attestations`;

/** 0..1; null without duties. */
export const uptime = sql`(${attested}::float8 / nullif(${duties}, 0))`;
/** 0..1; null when all attestations were missed. */
export const correctness = sql`(${votes}::float8 / nullif(3 * ${attested}, 0))`;
/** In slots, 1 at best; null when all attestations were missed. */
export const inclusionDelay = sql`(a.sum_inclusion_delay::float8 / nullif(${attested}, 0))`;
/** 0..100; 0 when all attestations were missed, null without duties. */
export const attester = sql`coalesce(100::float8 * ${uptime} * ${correctness} / nullif(${inclusionDelay}, 0), 0 * ${uptime})`;
/** 0..100; null when no block was due. */
export const proposer = sql`(100::float8 * a.proposed_count / nullif(${proposals}, 0))`;
export const effectiveness = sql`coalesce(0.625::float8 * ${attester} + 0.375::float8 * ${proposer}, ${attester})`;

/** Consensus and execution rewards minus penalties, in Gwei. */
export const rewards = sql`(a.sum_attestation_rewards + a.sum_sync_committee_rewards + a.sum_proposer_rewards
  + a.sum_priority_fees + a.sum_baseline_mev)`;

export const epochs = sql`(a.end_epoch - a.start_epoch + 1)`;
/**
 * Mean balance of both ends of the day, in whole Gwei: a shift, because DuckDB's quotient of whole numbers is a double. If the
 * start is null, because it is the same or not known, the end.
 */
export const meanBalance = sql`((coalesce(a.start_effective_balance, a.end_epoch_effective_balance) + a.end_epoch_effective_balance) >> 1)`;
/** Rewards and penalties move an effective balance by one increment a day at most. */
const moved = sql`abs(a.end_epoch_effective_balance - a.start_effective_balance) > ${raw(String(EFFECTIVE_BALANCE_INCREMENT))}`;

/**
 * Effective balance summed over the epochs, in Gwei. Without the stored sum, the mean of both ends of the day times its
 * epochs; null if it moved so much that the mean may be far off.
 */
export const aprStake = sql`coalesce(a.effective_balance_epochs, case
  when (${moved}) is not true then ${meanBalance} * ${epochs} end)`;
/** The rewards that are earned on `aprStake`: null where that is null. */
export const aprRewards = sql`(case when a.effective_balance_epochs is not null or (${moved}) is not true then ${rewards} end)`;

/** Times rewards ÷ stake: percent a year. */
export const APR_FACTOR = 365 * 100 * EPOCHS_PER_DAY;
