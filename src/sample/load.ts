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
import { solanaOverviewImporter } from '../ingest/importers/solana-overview.ts';
import { stakeAuthorityImporter } from '../ingest/importers/stake-authorities.ts';
import { syncCommitteeRewardImporter } from '../ingest/importers/sync-committee-rewards.ts';
import { validatorImporter } from '../ingest/importers/validators.ts';
import { loadRows } from '../ingest/merge/load-rows.ts';
import { noteOrigins, ofAllNetworks } from '../ingest/merge/origins.ts';
import { type AttestationSize, defaultAttestationSize, loadSampleAttestations } from './attestations.ts';
import { networks, sampleUntil } from './chain.ts';
import { loadOperatorHistory, loadSolanaHistory } from './history.ts';
import * as make from './index.ts';
import { loadSamplePrivateSet } from './load-private-set.ts';
import { loadSampleClients, loadSampleQueue } from './network.ts';

/** `lastDate`: see `sampleUntil`. */
type Options = { lastDate?: string | undefined; attestations?: AttestationSize; isStopped?: () => boolean };

class Stopped extends Error {}

/** Fills an empty database only once: deleted rows stay deleted. If it is stopped, the next start loads everything. */
export async function loadSampleData(
  pool: Pool,
  log: Logger,
  { lastDate, attestations = defaultAttestationSize, isStopped = () => false }: Options = {},
): Promise<void> {
  const goOn = () => {
    if (isStopped()) throw new Stopped();
  };
  await transaction(pool, async (client) => {
    await client.query('lock table sample_data');
    if (!(await isUntouched(client))) return;
    const sample = sampleUntil(lastDate);
    log.info({ lastDate: sample.lastDate }, 'loading sample data, which takes some seconds');
    const operators = networks.flatMap((network) => make.operatorsOf(sample, network));
    const validators = [...make.sampleValidators(sample)];
    await loadOperatorHistory(client, sample, operators);
    await loadSolanaHistory(client, sample);
    const load = async <Row>(importer: Importer<Row>, rows: Iterable<Partial<Row>>) => {
      goOn();
      return (await loadRows(client, importer, rows as Iterable<Row>, { replace: false, origin: 'sample' }))
        .rows;
    };
    const counts: Record<string, number> = {
      operators: await load(operatorImporter, make.sampleOperators(sample)),
      slashings: await load(slashingImporter, make.sampleSlashings(sample)),
      attestations: await loadSampleAttestations(client, sample, operators, attestations),
      solanaOverviews: await load(solanaOverviewImporter, make.sampleSolanaOverviews(sample)),
      stakeAuthorities: await load(stakeAuthorityImporter, make.sampleStakeAuthorities(sample)),
      validators: await load(validatorImporter, validators),
      syncCommitteeRewards: await load(
        syncCommitteeRewardImporter,
        make.sampleSyncCommitteeRewards(sample, validators),
      ),
      blocks: await load(blockImporter, make.sampleBlocks(sample, validators)),
      chainDailyRewards: await load(chainDailyRewardImporter, make.sampleDailyRewards(sample)),
      consolidations: await load(consolidationImporter, make.sampleConsolidations(sample, validators)),
      chainBalances: await load(chainBalanceImporter, make.sampleChainBalances(sample)),
      validatorDays: await loadSamplePrivateSet(client, sample),
      clients: await loadSampleClients(client),
      pendingConsolidations: await loadSampleQueue(client, sample),
    };
    for (const [network, days] of make.sampleNetworkRewards(sample)) {
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
