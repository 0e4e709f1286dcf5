import { attestationDays, attestationHours } from './attestations.ts';
import * as chainRows from './chain-rows.ts';
import type { Run } from './run.ts';
import { validatorDays } from './validator-days.ts';

/** The rows that a run of the indexer must leave, by table, but for the sync committee's. */
export const expected = (run: Run) => ({
  validators: chainRows.validators(run),
  validator_days: validatorDays(run),
  attestation_hours: attestationHours(run),
  attestation_days: attestationDays(run),
  blocks: chainRows.blocks(run),
  builders: chainRows.builders(run),
  slashings: chainRows.slashings(run),
  consolidations: chainRows.consolidations(run),
  chain_balances: chainRows.chainBalances(run),
  chain_daily_rewards: chainRows.chainDailyRewards(run),
});
export type Table = keyof ReturnType<typeof expected>;

export { syncCommitteeRewards } from './chain-rows.ts';
