import type { Logger } from 'pino';
import { raisedRevision } from '../db/changes/revisions.ts';
import { type Pool, transaction } from '../db/pool.ts';
import { isUntouched, noteFirstLoad } from '../ingest/first-load.ts';
import type { Importer } from '../ingest/importer/importer.ts';
import { blockImporter } from '../ingest/importers/blocks.ts';
import { chainBalanceImporter } from '../ingest/importers/chain-balances.ts';
import { chainDailyRewardImporter } from '../ingest/importers/chain-daily-rewards.ts';
import { consolidationImporter } from '../ingest/importers/consolidations.ts';
import { networkRewardImporters } from '../ingest/importers/network-rewards.ts';
import { operatorImporter } from '../ingest/importers/operators.ts';
import { slashingImporter } from '../ingest/importers/slashings.ts';
import { stakeAuthorityImporter } from '../ingest/importers/stake-authorities.ts';
import { syncCommitteeRewardImporter } from '../ingest/importers/sync-committee-rewards.ts';
import { validatorImporter } from '../ingest/importers/validators.ts';
import { loadRows } from '../ingest/merge/load-rows.ts';
import { noteOrigins, ofAllNetworks } from '../ingest/merge/origins.ts';
import { type AttestationSize, loadSampleAttestations, wholeSize } from './attestations.ts';
import { withOperatorHistory, withOverviewHistory, withStakeAuthorityHistory } from './history.ts';
import * as sample from './index.ts';
import { loadSamplePrivateSet } from './load-private-set.ts';
import { loadSampleClients, loadSampleQueue } from './network.ts';

type Options = { attestations?: AttestationSize; isStopped?: () => boolean };

class Stopped extends Error {}

/** Fills an empty database only once: deleted rows stay deleted. If it is stopped, the next start loads everything. */
export async function loadSampleData(
  pool: Pool,
  log: Logger,
  { attestations = wholeSize, isStopped = () => false }: Options = {},
): Promise<void> {
  const goOn = () => {
    if (isStopped()) throw new Stopped();
  };
  await transaction(pool, async (client) => {
    await client.query('lock table sample_data');
    if (!(await isUntouched(client))) return;
    log.info('loading sample data, which takes some seconds');
    const operators = [...sample.sampleOperators()];
    const validators = [...sample.sampleValidators()];
    const load = async <Row>(importer: Importer<Row>, rows: Iterable<Partial<Row>>) => {
      goOn();
      return (await loadRows(client, importer, rows as Iterable<Row>, { replace: false, origin: 'sample' }))
        .rows;
    };
    const counts: Record<string, number> = {
      operators: await load(withOperatorHistory(operatorImporter), operators),
      slashings: await load(slashingImporter, sample.sampleSlashings()),
      attestations: await loadSampleAttestations(client, operators, attestations),
      solanaOverviews: await load(withOverviewHistory, sample.sampleSolanaOverviews()),
      stakeAuthorities: await load(
        withStakeAuthorityHistory(stakeAuthorityImporter),
        sample.sampleStakeAuthorities(),
      ),
      validators: await load(validatorImporter, validators),
      syncCommitteeRewards: await load(
        syncCommitteeRewardImporter,
        sample.sampleSyncCommitteeRewards(validators),
      ),
      blocks: await load(blockImporter, sample.sampleBlocks(validators)),
      chainDailyRewards: await load(chainDailyRewardImporter, sample.sampleDailyRewards()),
      consolidations: await load(consolidationImporter, sample.sampleConsolidations(validators)),
      chainBalances: await load(chainBalanceImporter, sample.sampleChainBalances()),
      validatorDays: await loadSamplePrivateSet(client),
      clients: await loadSampleClients(client),
      pendingConsolidations: await loadSampleQueue(client),
    };
    for (const [network, days] of sample.sampleNetworkRewards()) {
      const rows = days.map(({ row }) => row);
      counts[`${network}Rewards`] = await load(networkRewardImporters[`${network}-rewards`], rows);
    }
    for (const dataset of ['attestations', 'validator-days']) {
      await raisedRevision(client, dataset)();
      await noteOrigins(client, ofAllNetworks(dataset), 'sample');
    }
    await noteFirstLoad(client);
    goOn();
    // Without statistics, making a private set took a hundred times as long until autovacuum ran. With the default target,
    // they took a third of the time of the load.
    await client.query('/* analyzeSample */ set local default_statistics_target = 10; analyze');
    log.info(counts, 'sample data loaded');
  }).catch((error) => {
    if (!(error instanceof Stopped)) throw error;
  });
}
