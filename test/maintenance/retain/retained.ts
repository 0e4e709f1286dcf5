import { beforeEach } from 'vitest';
import { dayOfDate } from '../../../src/chain/calendar.ts';
import type { Network } from '../../../src/chain/networks.ts';
import type { Ages } from '../../../src/config/ages.ts';
import { transaction } from '../../../src/db/pool.ts';
import { sumDueMonth } from '../../../src/ingest/importers/validator-months.ts';
import { type RetainReport, retain } from '../../../src/maintenance/retain/index.ts';
import { partsOf } from '../../../src/maintenance/retain/parts.ts';
import { useGateway } from '../../support/gateway.ts';
import { importText } from '../../support/import.ts';

const NOW = new Date('2025-05-10T00:00:00Z');
const PARTED = [
  ...['validator_days', 'attestation_days', 'attestation_hours', 'operator_history'],
  'stake_authority_history',
];

/** A gateway whose facts each test drops. */
export function useRetained() {
  const gateway = useGateway({ template: 'empty' });
  const run = (text: string) => gateway.database.pool.query({ text, values: [] }).then(({ rows }) => rows);
  beforeEach(async () => {
    await run('drop view if exists january');
    await run(`truncate validator_days, validator_day_dates, validator_months, validator_month_sums, validators,
      chain_daily_rewards, attestation_hours, attestation_days, attestation_entities, operator_history,
      operator_history_days, archived_months, archived_day_dates, stake_authority_history, stake_authority_history_days, blocks, sync_committee_slots, sync_committees, chain_heads, kept_from cascade`);
    for (const table of PARTED)
      for (const { part } of await partsOf(gateway.database.pool, table)) await run(`drop table ${part}`);
  });
  return {
    gateway,
    run,
    load: (resource: Parameters<typeof importText>[1], rows: object[], options = {}) =>
      importText(gateway, resource, JSON.stringify(rows), options),
    /** As a refresh of the window all does. */
    async sumMonths(of: Network = 'mainnet') {
      while (await transaction(gateway.database.pool, (client) => sumDueMonth(client, of)));
    },
    async retained(
      ages: Ages,
      options: object = {},
      pool = gateway.database.pool,
      onWaiting = () => {},
    ): Promise<RetainReport[]> {
      const reports: RetainReport[] = [];
      const given = { ages, dryRun: false, now: NOW, pauseMs: 10, attempts: 3, ...options };
      await retain(pool, given, (report) => {
        reports.push(report);
        if (report.state === 'waiting') onWaiting();
      });
      return reports;
    },
    keptFrom: () =>
      run('select dataset, network, date::text as date from kept_from order by dataset, network'),
  };
}

export const short = (reports: RetainReport[]) =>
  reports.map(({ table, part, network, state }) => [part ?? table, network, state].filter(Boolean).join(' '));

export const validatorDay = (date: string, change: object = {}) => {
  const day = dayOfDate('mainnet', date);
  return {
    ...{ validatorIndex: 7, day, startEpoch: day * 225, endEpoch: day * 225 + 224 },
    ...{ totalUniqueAttestations: 224, sumMissedAttestations: 1, sumMissedSyncSignatures: null },
    ...{ sumSyncSignatureCount: null, sumCorrectHead: 220, sumCorrectTarget: 223, sumCorrectSource: 224 },
    ...{ sumWrongHeadVotes: 4, sumWrongTargetVotes: 1, sumLateTargetVotes: 0, sumLateSourceVotes: 0 },
    ...{ sumInclusionDelay: 230, proposedCount: 0, missedProposalCount: 0, endEpochBalance: 32014860472 },
    ...{ endEpochEffectiveBalance: 32000000000, sumAttestationRewards: -1200, sumSyncCommitteeRewards: 0 },
    ...{ sumProposerRewards: 0, sumPriorityFees: 0, sumBaselineMev: 0, ...change },
  };
};
