import type pg from 'pg';
import type { ColumnName } from '../ingest/importer/importer.ts';
import {
  ensureValidatorDayParts,
  finishValidatorDays,
  type ImportedValidatorDay,
} from '../ingest/importers/validator-days.ts';
import { attestationPeriods } from './attestations.ts';

/** The set belongs to the development token's account. */
const SET_ID = '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';
const VALIDATORS = 300;
const DAYS = 60;

const columns = {
  network: "'mainnet'",
  validator_index: 'x.validator_index',
  utc: 'x.utc',
  day: 'x.day',
  date: 'x.date',
  start_epoch: 'x.first',
  end_epoch: 'x.last',
  sum_missed_sync_signatures: 'case when seat then (noise % 60) end',
  sum_sync_signature_count: 'case when seat then duties * 32 - (noise % 60) end',
  total_unique_attestations: '(duties - missed)',
  sum_missed_attestations: 'missed',
  sum_correct_head: '(duties - missed) - wrong_head',
  sum_correct_target: '(duties - missed) - wrong_target',
  sum_correct_source: '(duties - missed)',
  sum_wrong_head_votes: 'wrong_head',
  sum_wrong_target_votes: 'wrong_target',
  sum_late_target_votes: 'missed / 2',
  sum_late_source_votes: 'missed / 3',
  sum_inclusion_delay: '(duties - missed) + noise % 4',
  proposed_count: 'proposed',
  missed_proposal_count: '(noise % 613 = 1)::int',
  end_epoch_balance: '32000000000 + noise * 1900',
  end_epoch_effective_balance: '32000000000',
  sum_attestation_rewards: '(duties - missed) * 11200 - missed * 9800 - wrong_head * 2400',
  sum_sync_committee_rewards: 'case when seat then (duties * 32 - 2 * (noise % 60)) * 18600 else 0 end',
  sum_proposer_rewards: 'proposed * (38000000 + noise * 500)',
  sum_priority_fees: 'proposed * (9000000 + noise * 1700)',
  sum_baseline_mev: 'proposed * (21000000 + noise * 9100)',
  effective_balance_epochs: '32000000000 * duties',
  empty_payload_count: 'null',
} satisfies Record<ColumnName<ImportedValidatorDay>, string>;

const fill = `/* sampleValidatorDays */
  insert into validator_days (${Object.keys(columns).join(', ')})
  select ${Object.values(columns).join(', ')}
  from (
    select v.validator_index, p.calendar = 'utc' as utc, p.day, p.date, p.first, p.last, p.last - p.first + 1 as duties,
      ((v.validator_index * 7919::bigint + p.first * 104729::bigint) % 10007)::int as noise
    from private_set_members v
    cross join json_to_recordset($2) as p (calendar text, day int, date date, first int, last int)
    where v.set_id = $1
    order by v.validator_index, p.calendar = 'utc', p.date
  ) x
  cross join lateral (
    select case when noise % 11 = 0 then 1 + noise % 5 else 0 end as missed, noise % 7 as wrong_head,
      case when noise % 5 = 0 then noise % 3 else 0 end as wrong_target, (noise % 131 = 0)::int as proposed,
      validator_index % 97 = 3 as seat
  ) y`;

export async function loadSamplePrivateSet(client: pg.ClientBase): Promise<number> {
  const { days } = attestationPeriods({ days: DAYS, hourDays: 0, entities: 0 });
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
  const filled = await client.query(fill, [SET_ID, JSON.stringify(days)]);
  await finishValidatorDays(
    client,
    days.map(({ calendar, day }) => ({ network: 'mainnet' as const, utc: calendar === 'utc', day })),
  );
  return filled.rowCount ?? 0;
}
