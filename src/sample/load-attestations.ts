import type pg from 'pg';
import { type AttestationColumn, ensureEntities, ensureParts } from '../ingest/attestations.ts';
import {
  type AttestationSize,
  attestationEntities,
  attestationPeriods,
  type SamplePeriod,
} from './attestations.ts';
import type { SampleOperator } from './index.ts';

/** SQL of each figure of an hour or a day. */
type Figures = Record<
  Exclude<
    AttestationColumn,
    'network' | 'id_type' | 'entity_id' | 'utc' | 'day' | 'date' | 'hour' | 'computed'
  >,
  string
>;
const made: Figures = {
  validator_count: 'v.validators',
  total_unique_attestations: 'v.duties - w.missed',
  sum_missed_attestations: 'w.missed',
  sum_missed_sync_signatures: 'case when s.sync > 0 then s.missed end',
  sum_correct_head: 'w.voted - w.wrong_head',
  sum_correct_target: 'w.voted - w.wrong_target',
  sum_correct_source: 'w.voted',
  sum_wrong_head_votes: 'w.wrong_head',
  sum_wrong_target_votes: 'w.wrong_target',
  sum_late_target_votes: '(w.wrong_target * 0.4)::bigint',
  sum_late_source_votes: 'least(v.duties - w.missed, w.missed * 0.05)::bigint',
  avg_attester_effectiveness: 'greatest(0, least(100, x.effectiveness * (0.985 + 0.03 * n.noise)))',
  sum_inclusion_delay: '(w.voted * (1 + (x.delay - 1) * (0.5 + n.noise)))::bigint',
  sum_sync_signature_count: 'case when s.sync > 0 then s.sync - s.missed end',
  sum_end_epoch_balance: 'v.validators * 32000000000::bigint + v.validators * (n.noise * 19000000)::bigint',
  sum_end_epoch_effective_balance: 'v.validators * 32000000000::bigint',
  start_epoch: 'x.first',
  end_epoch: 'x.last',
};
/** The same of a day from its hours. */
const gathered: Figures = {
  validator_count: '(array_agg(validator_count order by hour desc))[1]',
  total_unique_attestations: 'sum(total_unique_attestations)',
  sum_missed_attestations: 'sum(sum_missed_attestations)',
  sum_missed_sync_signatures: 'sum(sum_missed_sync_signatures)',
  sum_correct_head: 'sum(sum_correct_head)',
  sum_correct_target: 'sum(sum_correct_target)',
  sum_correct_source: 'sum(sum_correct_source)',
  sum_wrong_head_votes: 'sum(sum_wrong_head_votes)',
  sum_wrong_target_votes: 'sum(sum_wrong_target_votes)',
  sum_late_target_votes: 'sum(sum_late_target_votes)',
  sum_late_source_votes: 'sum(sum_late_source_votes)',
  avg_attester_effectiveness: 'sum(avg_attester_effectiveness * validator_count) / sum(validator_count)',
  sum_inclusion_delay: 'sum(sum_inclusion_delay)',
  sum_sync_signature_count: 'sum(sum_sync_signature_count)',
  sum_end_epoch_balance: '(array_agg(sum_end_epoch_balance order by hour desc))[1]',
  sum_end_epoch_effective_balance: '(array_agg(sum_end_epoch_effective_balance order by hour desc))[1]',
  start_epoch: 'min(start_epoch)',
  end_epoch: 'max(end_epoch)',
};
const namesOf = (figures: Figures) => Object.keys(figures).join(', ');
const sqlOf = (figures: Figures) => Object.values(figures).join(', ');

/**
 * Every entity in every period, made in the database (`offset 0` keeps each step from being worked out again for every
 * figure that uses it): sending so many rows would take longer than making them. Each
 * figure follows from the entity's means, bent by a noise that depends on entity and epoch alone, so that the rows are
 * the same at every start.
 */
const fill = (hours: boolean) => `/* sampleAttestations */
  insert into ${hours ? 'attestation_hours' : 'attestation_days'}
    (entity_key, utc, day, date, ${hours ? 'hour,' : ''} ${namesOf(made)})
  select x.entity_key, x.calendar = 'utc', x.day, x.date, ${hours ? 'x.hour,' : ''}
    ${sqlOf(made)}
  -- in the order of the primary key, so that its pages are filled one after the other
  from (
    select * from unnest($1::text[], $2::int[], $3::int[], $4::date[], $5::int[], $6::int[])
      as p (calendar, day, hour, date, first, last)
    cross join unnest($7::text[], $8::text[], $9::int[], $10::int[], $11::float8[], $12::float8[], $13::float8[],
      $14::float8[]) as e (id_type, id, seed, validators, uptime, correctness, delay, effectiveness)
    join attestation_entities a on a.network = 'mainnet' and a.id_type = e.id_type and a.entity_id = e.id
    order by a.entity_key, p.calendar = 'utc', p.day, p.hour
  ) x
  cross join lateral (select ((x.seed * 7919::bigint + x.first * 104729::bigint) % 10007) / 10007.0::float8 as noise offset 0) n
  cross join lateral (
    select c.validators, c.validators::bigint * (x.last - x.first + 1) as duties
    from (select greatest(1, (x.validators * (0.75 + 0.25 * x.last / $15::float8))::int) as validators) c
    offset 0
  ) v
  cross join lateral (select (v.duties * least(1, (1 - x.uptime) * (0.5 + n.noise)))::bigint as missed offset 0) m
  cross join lateral (
    select m.missed, v.duties - m.missed as voted,
      ((v.duties - m.missed) * least(1, (1 - x.correctness) * 2.4 * (0.5 + n.noise)))::bigint as wrong_head,
      ((v.duties - m.missed) * least(1, (1 - x.correctness) * 0.6 * (0.5 + n.noise)))::bigint as wrong_target
    offset 0
  ) w
  cross join lateral (
    select sync, least(sync, sync * (1 - x.uptime) * 2 * n.noise)::bigint as missed from (
      select case when v.validators > 2000 or (x.seed + x.day) % 17 = 0
        then (v.validators / 2000 + 1)::bigint * 32 * (x.last - x.first + 1) else 0 end as sync
      offset 0
    ) duty
  ) s`;

/** The days that have hours are the sums of their hours. */
const gather = `/* sampleAttestationDays */
  insert into attestation_days (entity_key, utc, day, date, ${namesOf(gathered)})
  select entity_key, utc, day, date,
    ${sqlOf(gathered)}
  from attestation_hours group by entity_key, utc, day, date`;

/** Fills the attestation tables of an empty database. */
export async function loadSampleAttestations(
  client: pg.ClientBase,
  operators: readonly SampleOperator[],
  size: AttestationSize,
): Promise<number> {
  const entities = attestationEntities(operators, size);
  const { hours, days } = attestationPeriods(size);
  await ensureEntities(
    client,
    `select 'mainnet' as network, id_type, entity_id from unnest($1::text[], $2::text[]) as e (id_type, entity_id)`,
    [entities.map(({ idType }) => idType), entities.map(({ id }) => id)],
  );
  await ensureParts(
    client,
    hours.map((period) => period.date),
    true,
  );
  await ensureParts(
    client,
    [...hours, ...days].map((period) => period.date),
    false,
  );
  await client.query(`set local work_mem = '128MB'`);
  const head = Math.max(...hours.map((period) => period.last));
  const insert = async (periods: SamplePeriod[], inHours: boolean) => {
    const given = [
      ...(['calendar', 'day', 'hour', 'date', 'first', 'last'] as const).map((key) =>
        periods.map((p) => p[key]),
      ),
      ...(
        ['idType', 'id', 'seed', 'validators', 'uptime', 'correctness', 'delay', 'effectiveness'] as const
      ).map((key) => entities.map((entity) => entity[key])),
      head,
    ];
    return (await client.query(fill(inHours), given)).rowCount ?? 0;
  };
  const inserted = (await insert(hours, true)) + (await insert(days, false));
  return inserted + ((await client.query(gather)).rowCount ?? 0);
}
