import type { Logger } from 'pino';
import { raisedRevision } from '../db/changes/revisions.ts';
import { type Pool, transaction } from '../db/pool.ts';
import { blockImporter } from '../ingest/blocks.ts';
import { chainBalanceImporter } from '../ingest/chain-balances.ts';
import { chainDailyRewardImporter } from '../ingest/chain-daily-rewards.ts';
import { consolidationImporter, type ImportedConsolidation } from '../ingest/consolidations.ts';
import { isUntouched, noteFirstLoad } from '../ingest/first-load.ts';
import { loadRows } from '../ingest/import-file.ts';
import type { Importer } from '../ingest/importer.ts';
import { networkRewardImporters } from '../ingest/network-rewards.ts';
import { type ImportedOperator, operatorImporter } from '../ingest/operators.ts';
import { slashingImporter } from '../ingest/slashings.ts';
import { solanaOverviewImporter } from '../ingest/solana-overview.ts';
import { stakeAuthorityImporter } from '../ingest/stake-authorities.ts';
import { type ImportedReward, syncCommitteeRewardImporter } from '../ingest/sync-committee-rewards.ts';
import { validatorImporter } from '../ingest/validators.ts';
import { type AttestationSize, wholeSize } from './attestations.ts';
import {
  sampleBlocks,
  sampleChainBalances,
  sampleConsolidations,
  sampleDailyRewards,
  sampleNetworkRewards,
  sampleOperators,
  sampleSlashings,
  sampleSolanaOverviews,
  sampleStakeAuthorities,
  sampleSyncCommitteeRewards,
  sampleValidators,
} from './index.ts';
import { loadSampleAttestations } from './load-attestations.ts';
import { loadSamplePrivateSet } from './load-private-set.ts';

/** Fills an empty database with the sample data, once: a later start does not bring back what was removed. */
export async function loadSampleData(
  pool: Pool,
  log: Logger,
  attestations: AttestationSize = wholeSize,
): Promise<void> {
  await transaction(pool, async (client) => {
    await client.query('lock table sample_data');
    if (!(await isUntouched(client))) return;
    log.info('loading sample data, which takes some seconds');
    const made = [...sampleOperators()];
    const operators = made.map(
      (row): ImportedOperator =>
        ({
          ...row,
          poolId: row.poolId ?? null,
          nodeOperatorId: row.nodeOperatorId ?? null,
          poolType: null,
        }) as ImportedOperator,
    );
    const validators = [...sampleValidators()];
    const load = async <Row>(importer: Importer<Row>, rows: Iterable<Row>) =>
      (await loadRows(client, importer, rows)).rows;
    let networkRewards = 0;
    for (const [network, days] of sampleNetworkRewards())
      networkRewards += await load(networkRewardImporters[`${network}-rewards`], days);
    const counts = {
      operators: await load(operatorImporter, operators),
      slashings: await load(slashingImporter, sampleSlashings()),
      attestations: await loadSampleAttestations(client, made, attestations),
      solanaOverviews: await load(solanaOverviewImporter, sampleSolanaOverviews()),
      stakeAuthorities: await load(stakeAuthorityImporter, sampleStakeAuthorities()),
      validators: await load(validatorImporter, validators),
      syncCommitteeRewards: await load(
        syncCommitteeRewardImporter,
        sampleSyncCommitteeRewards(validators) as Iterable<ImportedReward>,
      ),
      blocks: await load(blockImporter, sampleBlocks(validators)),
      chainDailyRewards: await load(chainDailyRewardImporter, sampleDailyRewards()),
      networkRewards,
      consolidations: await load(
        consolidationImporter,
        sampleConsolidations(validators) as Iterable<ImportedConsolidation>,
      ),
      chainBalances: await load(chainBalanceImporter, sampleChainBalances()),
      validatorDays: await loadSamplePrivateSet(client),
    };
    for (const dataset of ['attestations', 'validator-days']) await raisedRevision(client, dataset)();
    await noteFirstLoad(client);
    log.info(counts, 'sample data loaded');
  });
}
