import { EPOCHS_PER_DAY } from '../chain/calendar.ts';
import { raw, type Sql, sql } from '../db/rows.ts';

/** SQL in doubles over `a`, a validator day or a sum of several. Formulas: spec §2.2, decisions on operators. */
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
export const rewards: Sql = sql`(a.sum_attestation_rewards + a.sum_sync_committee_rewards + a.sum_proposer_rewards
  + a.sum_priority_fees + a.sum_baseline_mev)`;

/**
 * What the rewards of a day are earned on: its effective balance, in Gwei. A day that is not over counts for the part of
 * it that is stored, as its rewards do.
 */
export const earning = (effectiveBalance: Sql, day = 'a'): Sql =>
  sql`(${effectiveBalance} * (${raw(day)}.end_epoch - ${raw(day)}.start_epoch + 1) / ${raw(String(EPOCHS_PER_DAY))})`;
