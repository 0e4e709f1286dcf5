import fc from 'fast-check';
import { networks } from '../../src/chain/networks.ts';
import { TimeWindow } from '../../src/chain/windows.ts';
import { computedTypes } from '../../src/ingest/importers/operator-profiles.ts';
import { type PartReport, type RefreshOptions, refresh, subjects } from '../../src/refresh/index.ts';
import type { Gateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';

export const pubkeyOf = (index: number) => `0x${index.toString(16).padStart(96, '0')}`;
export const addressOf = (index: number) => `0x${(index + 1).toString(16).padStart(40, '0')}`;

/** An active validator of node operator N in pool P. */
export const validator = (validatorIndex: number, change: object = {}) => ({
  validatorIndex,
  validatorPubkey: pubkeyOf(validatorIndex),
  depositAddress: addressOf(0),
  withdrawalAddress: null as string | null,
  nodeOperator: 'N' as string | null,
  pool: 'P' as string | null,
  activationEpoch: 0,
  exitEpoch: null,
  slashed: false,
  ...change,
});

export type Block = { consensusSlot: number; validatorIndex: number; relays: string[] };

export const block = ({ consensusSlot, validatorIndex, relays }: Block) => ({
  consensusSlot,
  validatorIndex,
  consensusProposerDuty: 'proposed',
  consensusBlockRoot: `0x${consensusSlot.toString(16).padStart(64, '0')}`,
  relays,
  blockBuilderPubkeys: relays.map(() => pubkeyOf(7)),
});

/** A validator's day of the chain calendar that fits, of whole numbers. */
export const validatorDay = (validatorIndex: number, day: number, change: object = {}) => ({
  validatorIndex,
  day,
  startEpoch: day * 225,
  endEpoch: day * 225 + 224,
  totalUniqueAttestations: 225,
  sumMissedAttestations: 0,
  sumMissedSyncSignatures: null,
  sumSyncSignatureCount: null,
  sumCorrectHead: 225,
  sumCorrectTarget: 225,
  sumCorrectSource: 225,
  sumWrongHeadVotes: 0,
  sumWrongTargetVotes: 0,
  sumLateTargetVotes: 0,
  sumLateSourceVotes: 0,
  sumInclusionDelay: 225,
  proposedCount: 0,
  missedProposalCount: 0,
  endEpochBalance: 32_000_000_000,
  endEpochEffectiveBalance: 32_000_000_000,
  sumAttestationRewards: 2_500_000,
  sumSyncCommitteeRewards: 0,
  sumProposerRewards: 0,
  sumPriorityFees: 0,
  sumBaselineMev: 0,
  effectiveBalanceEpochs: null as number | null,
  emptyPayloadCount: null as number | null,
  ...change,
});
/** A day that is not over: its first 45 of 225 epochs, without a fault. */
export const fifthOfDay = (validatorIndex: number, day: number, change: object = {}) =>
  validatorDay(validatorIndex, day, {
    ...{ endEpoch: day * 225 + 44, totalUniqueAttestations: 45, sumMissedAttestations: 0 },
    ...{ sumCorrectHead: 45, sumCorrectTarget: 45, sumCorrectSource: 45, sumInclusionDelay: 45 },
    ...change,
  });

export type Day = ReturnType<typeof validatorDay>;

/** The day of a validator that has exited and still sits in the sync committee. */
export const syncDay = (validatorIndex: number, day: number, change: object = {}) =>
  validatorDay(validatorIndex, day, {
    totalUniqueAttestations: 0,
    sumCorrectHead: 0,
    sumCorrectTarget: 0,
    sumCorrectSource: 0,
    sumInclusionDelay: 0,
    sumSyncSignatureCount: 7_000,
    sumMissedSyncSignatures: 100,
    sumAttestationRewards: 0,
    sumSyncCommitteeRewards: 150_000_000,
    ...change,
  });

const upTo = (max: number) => fc.integer({ min: 0, max });
/** What a validator did on a day, at random. */
export const randomDay = (validatorIndex: number, day: number): fc.Arbitrary<Day> =>
  fc
    .record({
      attested: fc.oneof({ weight: 9, arbitrary: upTo(225) }, { weight: 1, arbitrary: fc.constant(0) }),
      head: upTo(225),
      target: upTo(225),
      delay: upTo(500),
      proposed: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: upTo(3) }),
      due: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: upTo(3) }),
      balance: upTo(9_999_999),
      effective: fc.integer({ min: 16, max: 2_048 }),
      before: fc.integer({ min: 16, max: 2_048 }),
      rewards: fc.integer({ min: -9_000_000, max: 90_000_000 }),
    })
    .map(({ attested, head, target, delay, proposed, due, balance, effective, before, rewards }) =>
      validatorDay(validatorIndex, day, {
        totalUniqueAttestations: attested,
        sumMissedAttestations: 225 - attested,
        sumCorrectHead: Math.min(head, attested),
        sumCorrectTarget: Math.min(target, attested),
        sumCorrectSource: attested,
        sumInclusionDelay: attested + Math.min(delay, attested * 63),
        proposedCount: proposed,
        missedProposalCount: due,
        endEpochBalance: effective * 1_000_000_000 + balance,
        endEpochEffectiveBalance: effective * 1_000_000_000,
        sumAttestationRewards: rewards,
        sumProposerRewards: proposed * 40_000_001,
        sumPriorityFees: proposed * 9_000_003,
        sumBaselineMev: proposed * 20_000_007,
        effectiveBalanceEpochs: (100 * before + 125 * effective) * 1_000_000_000,
        // as if the fork came between two days
        emptyPayloadCount: day % 2 === 0 ? null : Math.min(proposed, due),
      }),
    );

/** Imports rows and throws at the first fault. */
export async function load(
  gateway: Gateway,
  resource: Parameters<typeof importText>[1],
  rows: unknown[],
  options = {},
) {
  if (rows.length === 0) return;
  const { faults } = await importText(gateway, resource, JSON.stringify(rows), options);
  if (faults.length > 0) throw new Error(JSON.stringify(faults.slice(0, 3)));
}

/** Refreshes and returns the report of each part; throws the error of a part that fails. */
export async function refreshed(
  gateway: Gateway,
  change: Partial<RefreshOptions> = {},
): Promise<PartReport[]> {
  const reports: PartReport[] = [];
  const options = {
    networks,
    windows: TimeWindow.options,
    only: subjects,
    wait: true,
    allDays: false,
    jobs: 1,
  };
  const types = computedTypes.filter((type) => type !== 'validator');
  await refresh(gateway.database.pool, { ...options, types, ...change }, (report) => reports.push(report));
  const failed = reports.find(({ state }) => state === 'failed');
  if (failed) throw new Error(failed.error);
  return reports;
}

/** Everything that a refresh writes but the keys that count up, and the revisions of the datasets. */
export async function published(gateway: Pick<Gateway, 'database'>) {
  const rows = async (text: string) => (await gateway.database.pool.query({ text, values: [] })).rows;
  return {
    operators:
      await rows(`select to_jsonb(s) - 'summary_id' as row, l.pool_type, l.parent_type, l.parent_id, l.total, r.rank
      from operator_lists l join operator_ranks r using (list_id) join operator_summaries s using (summary_id)
      where l.superseded_at is null
      order by s.network, s.id_type, s.time_window, l.pool_type, l.parent_type, l.parent_id, r.rank`),
    authorities: await rows(`select to_jsonb(s) - 'summary_id' as row, l.list_type, l.total, r.rank
      from stake_authority_lists l join stake_authority_ranks r using (list_id) join stake_authority_summaries s using (summary_id)
      where l.superseded_at is null order by s.time_window, l.list_type, r.rank`),
    current: await rows(`select count(*)::int as rows from operator_summaries where not superseded`),
    overviews: await rows(`select to_jsonb(o) as row from solana_overviews o order by time_window`),
    attestations:
      await rows(`select e.*, to_jsonb(d) as row from attestation_days d join attestation_entities e using (entity_key)
      order by e.network, e.id_type, e.entity_id, d.utc, d.date`),
    rewards: await rows(`select to_jsonb(d) as row from chain_daily_rewards d order by network, day`),
    slashings: await rows(`select to_jsonb(s) as row from slashings s order by network, validator_index`),
  };
}

/** The revisions of the datasets. */
export const revisions = async (gateway: Pick<Gateway, 'database'>) =>
  (
    await gateway.database.pool.query({
      text: 'select name, revision from datasets order by name',
      values: [],
    })
  ).rows;
