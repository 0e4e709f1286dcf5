import type pg from 'pg';
import {
  type Calendar,
  calendars,
  dateOfDay,
  dayOfEpoch,
  epochsOfDay,
  epochsOfHour,
  FIRST_UTC_DATE,
} from '../chain/calendar.ts';
import { type AttestationColumn, ensureEntities, ensureParts } from '../ingest/attestations.ts';
import { headEpoch } from './chain.ts';
import type { SampleOperator } from './operators.ts';

/** `entities` counts those of each class. The whole sample has some 770,000 rows; tests need fewer. */
export type AttestationSize = { days: number; hourDays: number; entities: number };
export const wholeSize: AttestationSize = { days: 730, hourDays: 30, entities: 87 };

type Period = ReturnType<typeof epochsOfDay> & {
  calendar: Calendar;
  day: number;
  hour: number | null;
  date: string;
};

/** Hours of the last `hourDays` days, and the days before, in both calendars, up to the head. */
export function attestationPeriods(size: AttestationSize): { hours: Period[]; days: Period[] } {
  const network = 'mainnet';
  const hours: Period[] = [];
  const days: Period[] = [];
  for (const calendar of calendars) {
    const end = dayOfEpoch(network, calendar, headEpoch.mainnet) - 1;
    for (let day = end - size.days + 1; day <= end; day += 1) {
      const date = dateOfDay(network, day);
      if (calendar === 'utc' && date < FIRST_UTC_DATE) continue;
      if (day <= end - size.hourDays) {
        days.push({ calendar, day, hour: null, date, ...epochsOfDay(network, calendar, day) });
        continue;
      }
      for (let hour = day * 24; hour < (day + 1) * 24; hour += 1)
        hours.push({ calendar, day, hour, date, ...epochsOfHour(network, calendar, hour) });
    }
  }
  return { hours, days };
}

type Figures = Record<
  Exclude<
    AttestationColumn,
    'network' | 'id_type' | 'entity_id' | 'utc' | 'day' | 'date' | 'hour' | 'computed'
  >,
  string
>;
const generated: Figures = {
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
const fromHours: Figures = {
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
 * Generates rows in the database, because sending so many would take longer. `offset 0` keeps PostgreSQL from computing
 * a step again for every figure. Noise depends only on entity and epoch, so every start gives the same rows.
 */
const fill = (hours: boolean) => `/* sampleAttestations */
  insert into ${hours ? 'attestation_hours' : 'attestation_days'}
    (entity_key, utc, day, date, ${hours ? 'hour,' : ''} ${namesOf(generated)})
  select x.entity_key, x.calendar = 'utc', x.day, x.date, ${hours ? 'x.hour,' : ''}
    ${sqlOf(generated)}
  -- in the order of the primary key, which fills its pages one after the other
  from (
    select * from json_to_recordset($1)
      as p (calendar text, day int, hour int, date date, first int, last int)
    cross join (
      select entity_key, "validatorCount" as validators, "avgUptime" as uptime, "avgCorrectness" as correctness,
        "avgInclusionDelay" as delay, "avgValidatorEffectiveness" as effectiveness
      from json_to_recordset($2) as r ("idType" text, id text, "validatorCount" int, "avgUptime" float8,
        "avgCorrectness" float8, "avgInclusionDelay" float8, "avgValidatorEffectiveness" float8)
      join attestation_entities a on a.network = 'mainnet' and a.id_type = "idType" and a.entity_id = r.id
    ) e
    order by e.entity_key, p.calendar = 'utc', p.day, p.hour
  ) x
  cross join lateral (select ((x.entity_key * 7919::bigint + x.first * 104729::bigint) % 10007) / 10007.0::float8 as noise offset 0) n
  cross join lateral (
    select c.validators, c.validators::bigint * (x.last - x.first + 1) as duties
    from (select greatest(1, (x.validators * (0.75 + 0.25 * x.last / $3::float8))::int) as validators) c
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
      select case when v.validators > 2000 or (x.entity_key + x.day) % 17 = 0
        then (v.validators / 2000 + 1)::bigint * 32 * (x.last - x.first + 1) else 0 end as sync
      offset 0
    ) duty
  ) s`;

/** Sums up the hours of the days that have hours. */
const gather = `/* sampleAttestationDays */
  insert into attestation_days (entity_key, utc, day, date, ${namesOf(fromHours)})
  select entity_key, utc, day, date,
    ${sqlOf(fromHours)}
  from attestation_hours group by entity_key, utc, day, date`;

export async function loadSampleAttestations(
  client: pg.ClientBase,
  operators: readonly SampleOperator[],
  size: AttestationSize,
): Promise<number> {
  const entities = ['pool', 'nodeOperator', 'depositAddress', 'withdrawalAddress'].flatMap((idType) =>
    operators
      .filter((row) => row.network === 'mainnet' && row.timeWindow === '30d' && row.idType === idType)
      .filter((row) => row.validatorCount > 0)
      .slice(0, size.entities),
  );
  const { hours, days } = attestationPeriods(size);
  await ensureEntities(
    client,
    `select 'mainnet' as network, id_type, entity_id from unnest($1::text[], $2::text[]) as e (id_type, entity_id)`,
    [entities.map(({ idType }) => idType), entities.map(({ id }) => id)],
  );
  const hourDates = hours.map(({ date }) => date);
  await ensureParts(client, hourDates, true);
  await ensureParts(client, [...hourDates, ...days.map(({ date }) => date)], false);
  await client.query(`set local work_mem = '128MB'`);
  const head = Math.max(...hours.map(({ last }) => last));
  const count = async (text: string, values: unknown[] = []) =>
    (await client.query(text, values)).rowCount ?? 0;
  const [inHours, inDays] = [hours, days].map((periods) => [
    JSON.stringify(periods),
    JSON.stringify(entities),
    head,
  ]);
  return (await count(fill(true), inHours)) + (await count(fill(false), inDays)) + (await count(gather));
}
