import { isDistributed } from '../../db/distributed/layout.ts';

/**
 * If false, a refresh computes every window of operators from all days of validators, whatever it has computed before. The
 * published figures stay the same.
 */
const INCREMENTAL: boolean = true;

/** With Citus, a revision may be visible before the rows that it stands for, which are on other machines. */
export const isIncremental = (): boolean => INCREMENTAL && !isDistributed();
