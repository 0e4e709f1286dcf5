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
import {
  type AttestationColumn,
  type ComputedColumn,
  ensureEntities,
  ensureParts,
} from '../ingest/importers/attestations.ts';
import { activeEth, headEpoch } from './chain.ts';
import type { SampleOperator } from './operators.ts';

/** `entities` is the number per `idType`. The whole sample has about 770,000 rows. */
export type AttestationSize = { days: number; hourDays: number; entities: number };
export const wholeSize: AttestationSize = { days: 730, hourDays: 30, entities: 87 };

type Period = ReturnType<typeof epochsOfDay> & {
  calendar: Calendar;
  day: number;
  hour: number | null;
  date: string;
};

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
    'network' | 'id_type' | 'entity_id' | 'utc' | 'day' | 'date' | 'hour' | 'computed' | ComputedColumn
  >,
  string
>;
const generated: Figures = {
  validator_count: 'x.validators',
  total_unique_attestations: 'w.attested',
  sum_missed_attestations: 'n.duties - w.attested',
  sum_missed_sync_signatures: '(w.sync * n.noise / 50)::bigint',
  sum_correct_head: 'w.attested - w.wrong',
  sum_correct_target: 'w.attested - w.wrong / 4',
  sum_correct_source: 'w.attested',
  sum_wrong_head_votes: 'w.wrong',
  sum_wrong_target_votes: 'w.wrong / 4',
  sum_late_target_votes: 'w.wrong / 8',
  sum_late_source_votes: 'w.wrong / 16',
  avg_attester_effectiveness: 'least(100, x.effectiveness * (0.985 + 0.03 * n.noise))',
  sum_inclusion_delay: '(w.attested * (1 + n.noise / 20))::bigint',
  sum_sync_signature_count: 'w.sync - (w.sync * n.noise / 50)::bigint',
  sum_end_epoch_balance: 'x.validators * (32000000000 + (n.noise * 19000000)::bigint)',
  sum_end_epoch_effective_balance: 'x.validators * 32000000000',
  start_epoch: 'x.first',
  end_epoch: 'x.last',
};
const atEnd = (name: string) => `(array_agg(${name} order by hour desc))[1]`;
const fromHours: Figures = {
  ...(Object.fromEntries(Object.keys(generated).map((name) => [name, `sum(${name})`])) as Figures),
  validator_count: atEnd('validator_count'),
  avg_attester_effectiveness: 'sum(avg_attester_effectiveness * validator_count) / sum(validator_count)',
  sum_end_epoch_balance: atEnd('sum_end_epoch_balance'),
  sum_end_epoch_effective_balance: atEnd('sum_end_epoch_effective_balance'),
  start_epoch: 'min(start_epoch)',
  end_epoch: 'max(end_epoch)',
};
type FigureOfDay = Exclude<ComputedColumn, 'apr_rewards' | 'apr_stake' | 'empty_payload_count'>;
const figuresOfDay = (of: Figures): Record<FigureOfDay, string> => {
  const epochs = `(${of.end_epoch} - ${of.start_epoch} + 1)`;
  const [validators, attested] = [`(${of.validator_count})`, `(${of.total_unique_attestations})`];
  const due = `(${validators} * ${epochs} / 31250)::bigint`; // a million validators propose 32 blocks an epoch
  const missed = `(case when ${attested} % 7 = 0 then 1 + ${due} / 120 else 0 end)::bigint`;
  const proposed = `greatest(0, ${due} - ${due} / 130)`;
  const perValidator = (share: string) => `${validators} * ${share}::float8`;
  const effectiveness = perValidator(`(${of.avg_attester_effectiveness})`);
  return {
    active_count: validators,
    attested_count: validators,
    proposer_count: `least(${validators}, ${proposed} + ${missed})`,
    proposed_count: proposed,
    missed_proposal_count: missed,
    sum_attestation_rewards: `${attested} * 10400 - (${of.sum_missed_attestations}) * 9800`,
    sum_sync_committee_rewards: `coalesce(${of.sum_sync_signature_count}, 0) * 18600`,
    sum_proposer_rewards: `(${proposed}) * 38000000`,
    sum_priority_fees: `(${proposed}) * (9000000 + ${attested} % 1700000)`,
    sum_baseline_mev: `(${proposed}) * (21000000 + ${attested} % 9100000)`,
    sum_correctness: perValidator(
      `((${of.sum_correct_head}) + (${of.sum_correct_target}) + (${of.sum_correct_source})) / (3 * ${attested})`,
    ),
    sum_inclusion_delays: perValidator(`(${of.sum_inclusion_delay}) / ${attested}`),
    sum_uptime: perValidator(`${attested} / (${validators} * ${epochs})`),
    sum_attester_effectiveness: effectiveness,
    sum_proposer_effectiveness: `case when ${proposed} + ${missed} > 0 then 100::float8 * least(${validators}, ${proposed} + ${missed}) * (${proposed}) / (${proposed} + ${missed}) end`,
    sum_validator_effectiveness: effectiveness,
  };
};

const namesOf = (figures: object) => Object.keys(figures).join(', ');
const sqlOf = (figures: object) => Object.values(figures).join(', ');
const ofDay = (figures: Figures) => ({ ...figures, ...figuresOfDay(figures) });

/**
 * Rows are generated in the database, because sending them takes longer. `offset 0` keeps PostgreSQL from repeating a
 * step for every figure.
 */
const fill = (hours: boolean) => `/* sampleAttestations */
  insert into ${hours ? 'attestation_hours' : 'attestation_days'}
    (entity_key, utc, day, date, ${hours ? 'hour,' : ''} ${namesOf(hours ? generated : ofDay(generated))})
  select x.entity_key, x.calendar = 'utc', x.day, x.date, ${hours ? 'x.hour,' : ''}
    ${sqlOf(hours ? generated : ofDay(generated))}
  -- in the order of the primary key, which fills its pages one after the other
  from (
    select * from json_to_recordset($1)
      as p (calendar text, day int, hour int, date date, first int, last int)
    cross join (
      select entity_key, "validatorCount"::bigint as validators, "avgValidatorEffectiveness" as effectiveness,
        -- the same for the same sample, whichever keys and order of text the database has
        row_number() over (order by "idType" collate "C", id collate "C") as seed
      from json_to_recordset($2)
        as r ("idType" text, id text, "validatorCount" int, "avgValidatorEffectiveness" float8)
      join attestation_entities a on a.network = 'mainnet' and a.id_type = "idType" and a.entity_id = r.id
    ) e
    order by e.entity_key, p.calendar = 'utc', p.day, p.hour
  ) x
  cross join lateral (
    select x.validators * (x.last - x.first + 1) as duties,
      ((x.seed * 7919 + x.first * 104729::bigint) % 10007) / 10007.0::float8 as noise
    offset 0
  ) n
  cross join lateral (
    select n.duties - (n.duties * n.noise / 100)::bigint as attested, (n.duties * n.noise / 60)::bigint as wrong,
      case when x.validators > 2000 or (x.seed + x.day) % 17 = 0
        then (x.validators / 2000 + 1) * 32 * (x.last - x.first + 1) end as sync
    offset 0
  ) w`;

const gather = `/* sampleAttestationDays */
  insert into attestation_days (entity_key, utc, day, date, ${namesOf(ofDay(fromHours))})
  select entity_key, utc, day, date,
    ${sqlOf(ofDay(fromHours))}
  from attestation_hours group by entity_key, utc, day, date`;

/** Effective balances of the sample do not change within a day. */
const fillStake = `/* sampleStake */
  update attestation_days a set apr_stake = sum_end_epoch_effective_balance::numeric * (end_epoch - start_epoch + 1),
    apr_rewards = sum_attestation_rewards + sum_sync_committee_rewards + sum_proposer_rewards + sum_priority_fees
      + sum_baseline_mev
  from attestation_entities e where e.entity_key = a.entity_key and e.id_type = 'network'`;

export async function loadSampleAttestations(
  client: pg.ClientBase,
  operators: readonly SampleOperator[],
  size: AttestationSize,
): Promise<number> {
  const network = {
    ...{ idType: 'network', id: 'mainnet', avgValidatorEffectiveness: 97.4 },
    validatorCount: activeEth.mainnet / 32,
  };
  const classes = ['pool', 'nodeOperator', 'depositAddress', 'withdrawalAddress'].flatMap((idType) =>
    operators
      .filter((row) => row.network === 'mainnet' && row.timeWindow === '30d' && row.idType === idType)
      .filter((row) => row.validatorCount > 0)
      .slice(0, size.entities),
  );
  const entities = [network, ...classes];
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
  const count = async (text: string, values: unknown[] = []) =>
    (await client.query(text, values)).rowCount ?? 0;
  const [inHours, inDays] = [hours, days].map((periods) =>
    [periods, entities].map((rows) => JSON.stringify(rows)),
  );
  const rows =
    (await count(fill(true), inHours)) + (await count(fill(false), inDays)) + (await count(gather));
  await client.query(fillStake);
  return rows;
}
