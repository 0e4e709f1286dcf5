import type { Logger } from 'pino';
import { type Pool, transaction } from '../db/pool.ts';
import { type AttestationSize, wholeSize } from '../sample/attestations.ts';
import {
  sampleOperators,
  sampleSlashings,
  sampleSolanaOverviews,
  sampleStakeAuthorities,
  sampleSyncCommitteeRewards,
  sampleValidators,
} from '../sample/index.ts';
import { type ImportedOperator, writeOperators } from './operators.ts';
import { loadSampleAttestations } from './sample-attestations.ts';
import { loadSamplePrivateSet } from './sample-private-set.ts';
import { type ImportedSlashing, writeSlashings } from './slashings.ts';
import { writeSolanaOverviews } from './solana-overview.ts';
import { writeStakeAuthorities } from './stake-authorities.ts';
import { writeSyncCommitteeRewards } from './sync-committee-rewards.ts';
import { writeValidators } from './validators.ts';

/** Fills an empty database with the sample data, once: a later start does not bring back what was removed. */
export async function loadSampleData(
  pool: Pool,
  log: Logger,
  attestations: AttestationSize = wholeSize,
): Promise<void> {
  await transaction(pool, async (client) => {
    await client.query('lock table sample_data');
    const { rows } = await client.query(
      `/* sampleWanted */ select not exists (select from sample_data)
        and not exists (select from operator_summaries) and not exists (select from slashings)
        and not exists (select from solana_overviews) and not exists (select from stake_authority_summaries)
        and not exists (select from validators) and not exists (select from sync_committee_rewards) as wanted`,
    );
    if (!rows[0]?.wanted) return;
    log.info('loading sample data, which takes some seconds');
    const made = [...sampleOperators()];
    const operators = made.map(
      (row): ImportedOperator =>
        ({
          ...row,
          poolId: row.poolId ?? null,
          nodeOperatorId: row.nodeOperatorId ?? null,
        }) as ImportedOperator,
    );
    const slashings: ImportedSlashing[] = [...sampleSlashings()];
    await writeOperators(client, operators, { replace: false });
    await writeSlashings(client, slashings, { replace: false });
    const periods = await loadSampleAttestations(client, made, attestations);
    await writeSolanaOverviews(client, [...sampleSolanaOverviews()], { replace: false });
    const stakeAuthorities = [...sampleStakeAuthorities()];
    await writeStakeAuthorities(client, stakeAuthorities, { replace: false });
    const validators = [...sampleValidators()];
    await writeValidators(client, validators, { replace: false });
    const validatorDays = await loadSamplePrivateSet(client);
    const rewards = [...sampleSyncCommitteeRewards(validators)];
    await writeSyncCommitteeRewards(client, rewards, { replace: false });
    await client.query('insert into sample_data default values');
    const counts = {
      operators: operators.length,
      slashings: slashings.length,
      attestations: periods,
      stakeAuthorities: stakeAuthorities.length,
      validators: validators.length,
      validatorDays,
      syncCommitteeRewards: rewards.length,
    };
    log.info(counts, 'sample data loaded');
  });
}
