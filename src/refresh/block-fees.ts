/** SQL over `b`, a row of `blocks`. */
export const isProposed = `b.consensus_proposer_duty = 'proposed'`;
export const filterProposed = `filter (where ${isProposed})`;
/** An index fills in the three after it has stored the block. */
export const hasFees = '(b.execution_rewards + b.total_priority_fees_validator + b.baseline_mev) is not null';
