import type pg from 'pg';
import type { ColumnName } from '../ingest/importer/importer.ts';
import {
  ensureValidatorDayParts,
  finishValidatorDays,
  type ImportedValidatorDay,
} from '../ingest/importers/validator-days.ts';
import { attestationPeriods, halvesIn, type Period, surplus, votesOf } from './attestations.ts';
import type { Sample } from './chain.ts';
import { copyObjects } from './copy.ts';
import { type Entity, type Figures, sumOf } from './model.ts';
import { hashOf } from './random.ts';

/** The set belongs to the development token's account. */
const SET_ID = '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';
const VALIDATORS = 300;
const DAYS = 60;

/** The set runs well, and some of its validators were merged into larger ones. */
const entityOf = ({ seed }: Sample, index: number): Entity => ({
  ...{ network: 'mainnet', key: hashOf(seed, 'validator', index), client: 'Lighthouse' },
  ...{ lapse: 0.002, slow: 0.009, moves: 0, isSteady: true },
  ...(index % 12 === 7 ? { eth: 160, ethEach: 160 } : { eth: 32, ethEach: 32 }),
});

type Columns = Exclude<ColumnName<ImportedValidatorDay>, 'network' | 'empty_payload_count'>;
type Row = Record<Columns, number | string | boolean | null>;

function rowOf(
  entity: Entity,
  index: number,
  { calendar, day, date, first, last }: Period,
  of: Figures,
): Row {
  return {
    validator_index: index,
    utc: calendar === 'utc',
    day,
    date,
    start_epoch: first,
    end_epoch: last,
    ...votesOf(of),
    proposed_count: of.proposed,
    missed_proposal_count: of.missedProposals,
    end_epoch_balance: of.eth * 1e9 + surplus(entity.key, last),
    end_epoch_effective_balance: of.eth * 1e9,
    sum_attestation_rewards: of.attestationRewards,
    sum_sync_committee_rewards: of.syncRewards,
    sum_proposer_rewards: of.proposerRewards,
    sum_priority_fees: of.priorityFees,
    sum_baseline_mev: of.mev,
    effective_balance_epochs: of.stakeEpochs * 1e9,
  };
}

function* rowsOf(sample: Sample, indices: readonly number[], days: readonly Period[]): Generator<Row> {
  for (const index of indices) {
    const stored = { entityKey: 0, entity: entityOf(sample, index), halves: new Map() };
    for (const day of days) yield rowOf(stored.entity, index, day, sumOf(halvesIn(sample, stored, day)));
  }
}

export async function loadSamplePrivateSet(client: pg.ClientBase, sample: Sample): Promise<number> {
  const { days } = attestationPeriods(sample, { days: DAYS, hourDays: 0, entities: 0 });
  const first = Math.min(...days.map((period) => period.first));
  await client.query(
    `/* samplePrivateSet */
    with made as (
      insert into private_sets (set_id, account_id, network, name, created_by, created_at, updated_at)
      select $1, account_id, 'mainnet', 'Sample validators', 'sample', now(), now()
      from accounts where name = 'default'
      returning set_id
    )
    insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
    select made.set_id, v.validator_index, v.validator_pubkey, now(), '-infinity'
    from made cross join lateral (
      select validator_index, validator_pubkey from validators
      where network = 'mainnet' and activation_epoch < $2 and exit_epoch is null
      order by validator_index limit $3
    ) v`,
    [SET_ID, first, VALIDATORS],
  );
  await ensureValidatorDayParts(
    client,
    days.map(({ date }) => date),
  );
  const { rows: members } = await client.query<{ validator_index: number }>(
    '/* sampleMembers */ select validator_index from private_set_members where set_id = $1 order by 1',
    [SET_ID],
  );
  const indices = members.map((member) => member.validator_index);
  const filled = await copyObjects(client, 'validator_days', rowsOf(sample, indices, days), {
    network: 'mainnet',
  });
  await finishValidatorDays(
    client,
    days.map(({ calendar, day }) => ({ network: 'mainnet' as const, utc: calendar === 'utc', day })),
  );
  return filled;
}
