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
import { type AttestationColumn, ensureEntities, ensureParts } from '../ingest/importers/attestations.ts';
import type { Sample } from './chain.ts';
import { copyObjects } from './copy.ts';
import {
  type Entity,
  type Figures,
  figuresOfHalf,
  halfOf,
  hoursOfHalf,
  meansOf,
  rewardsOf,
  sumOf,
} from './model.ts';
import { entityOf, type Operator, wholeNetwork } from './operators.ts';
import { noise } from './random.ts';

/** Stored are `entities` pools, as many node operators, and a third as many deposit and withdrawal addresses each. */
export type AttestationSize = { days: number; hourDays: number; entities: number };
export const defaultAttestationSize: AttestationSize = { days: 400, hourDays: 8, entities: 40 };

export type Period = ReturnType<typeof epochsOfDay> & { calendar: Calendar; day: number; date: string };
type Hour = Period & { hour: number };

/** In the order of their dates. */
export function attestationPeriods(
  { head }: Sample,
  size: AttestationSize,
): { hours: Hour[]; days: Period[] } {
  const network = 'mainnet';
  const hours: Hour[] = [];
  const days: Period[] = [];
  for (const calendar of calendars) {
    const end = dayOfEpoch(network, calendar, head.mainnet) - 1;
    for (let day = end - size.days + 1; day <= end; day += 1) {
      const date = dateOfDay(network, day);
      if (calendar === 'utc' && date < FIRST_UTC_DATE) continue;
      days.push({ calendar, day, date, ...epochsOfDay(network, calendar, day) });
      if (day <= end - size.hourDays) continue;
      for (let hour = day * 24; hour < (day + 1) * 24; hour += 1)
        hours.push({ calendar, day, hour, date, ...epochsOfHour(network, calendar, hour) });
    }
  }
  return { hours, days: days.sort((a, b) => a.first - b.first) };
}

type Column = Exclude<AttestationColumn, 'network' | 'id_type' | 'entity_id' | 'hour' | 'computed'>;
type Row = { [Name in Column]: number | string | boolean | null } & { entity_key: number };
type HourRow = Omit<Row, keyof ReturnType<typeof figuresOf>> & { hour: number };

const GWEI = 1_000_000_000;
/** Beyond the effective balance, until the next withdrawal. */
export const surplus = (key: number, epoch: number): number =>
  6_000_000 + Math.round(7_000_000 * noise(key, epoch, 30));

export function votesOf(of: Figures) {
  const attested = of.duties - of.missed;
  return {
    total_unique_attestations: attested,
    sum_missed_attestations: of.missed,
    sum_missed_sync_signatures: of.seats > 0 ? of.missedSignatures : null,
    sum_correct_head: attested - of.wrongHead,
    sum_correct_target: attested - of.wrongTarget,
    sum_correct_source: attested - of.lateSource,
    sum_wrong_head_votes: of.wrongHead,
    sum_wrong_target_votes: of.wrongTarget,
    sum_late_target_votes: of.lateTarget,
    sum_late_source_votes: of.lateSource,
    sum_inclusion_delay: of.delay,
    sum_sync_signature_count: of.seats > 0 ? of.signatures : null,
  };
}

function dutiesOf(entity: Entity, { calendar, day, date, first, last }: Period, of: Figures) {
  return {
    utc: calendar === 'utc',
    day,
    date,
    validator_count: of.validators,
    ...votesOf(of),
    avg_attester_effectiveness: meansOf(of).attester,
    sum_end_epoch_balance: (
      BigInt(of.eth) * BigInt(GWEI) +
      BigInt(of.validators * surplus(entity.key, last))
    ).toString(),
    sum_end_epoch_effective_balance: (BigInt(of.eth) * BigInt(GWEI)).toString(),
    start_epoch: first,
    end_epoch: last,
  };
}

function figuresOf(entity: Entity, of: Figures) {
  const means = meansOf(of);
  const { validators } = of;
  return {
    active_count: validators,
    attested_count: validators,
    proposer_count: means.proposers,
    proposed_count: of.proposed,
    missed_proposal_count: of.missedProposals,
    empty_payload_count: null,
    sum_attestation_rewards: of.attestationRewards,
    sum_sync_committee_rewards: of.syncRewards,
    sum_proposer_rewards: of.proposerRewards,
    sum_priority_fees: of.priorityFees,
    sum_baseline_mev: of.mev,
    // Other entities have none, as after a refresh.
    apr_rewards: entity.isWhole ? rewardsOf(of) : null,
    apr_stake: entity.isWhole ? (BigInt(of.stakeEpochs) * BigInt(GWEI)).toString() : null,
    sum_correctness: validators * means.correctness,
    sum_inclusion_delays: validators * (means.inclusion ?? 0),
    sum_uptime: validators * means.uptime,
    sum_attester_effectiveness: validators * means.attester,
    sum_proposer_effectiveness: means.proposers > 0 ? means.proposerSum : null,
    sum_validator_effectiveness: means.validatorSum,
  };
}

type Stored = { entityKey: number; entity: Entity; halves: Map<number, Figures> };

export function halvesIn(sample: Sample, { entity, halves }: Stored, { first, last }: Period): Figures[] {
  const parts: Figures[] = [];
  for (let half = halfOf(first); half < halfOf(last + 1); half++) {
    let part = halves.get(half);
    if (!part) halves.set(half, (part = figuresOfHalf(sample, entity, half)));
    parts.push(part);
  }
  return parts;
}

function* dayRows(sample: Sample, entities: readonly Stored[], days: readonly Period[]): Generator<Row> {
  for (const day of days) {
    for (const stored of entities) {
      const { entity, entityKey } = stored;
      const sum = sumOf(halvesIn(sample, stored, day));
      yield { entity_key: entityKey, ...dutiesOf(entity, day, sum), ...figuresOf(entity, sum) };
    }
  }
}

function* hourRows(sample: Sample, entities: readonly Stored[], hours: readonly Hour[]): Generator<HourRow> {
  const groups = new Map<string, Hour[]>();
  for (const hour of hours) {
    const name = `${hour.calendar} ${halfOf(hour.first)}`;
    groups.set(name, [...(groups.get(name) ?? []), hour]);
  }
  for (const { entity, entityKey } of entities) {
    for (const group of groups.values()) {
      const half = halfOf((group[0] as Hour).first);
      const of = figuresOfHalf(sample, entity, half);
      const epochs = group.map(({ first, last }) => last - first + 1);
      const parts = hoursOfHalf(sample, entity, half, { of, epochs });
      for (const [at, hour] of group.entries()) {
        const figures = dutiesOf(entity, hour, parts[at] as Figures);
        yield { entity_key: entityKey, hour: hour.hour, ...figures };
      }
    }
  }
}

/** Keys by class and id. */
async function keysOf(client: pg.ClientBase, entities: readonly { idType: string; id: string }[]) {
  const values = [entities.map(({ idType }) => idType), entities.map(({ id }) => id)];
  const given = 'unnest($1::text[], $2::text[]) as e (id_type, entity_id)';
  await ensureEntities(client, `select 'mainnet' as network, id_type, entity_id from ${given}`, values);
  const { rows } = await client.query<{ entity_key: number; id_type: string; entity_id: string }>(
    `/* sampleEntities */ select entity_key, id_type, entity_id
    from ${given} join attestation_entities using (id_type, entity_id) where network = 'mainnet'`,
    values,
  );
  return new Map(rows.map((row) => [`${row.id_type} ${row.entity_id}`, row.entity_key]));
}

export async function loadSampleAttestations(
  client: pg.ClientBase,
  sample: Sample,
  operators: readonly Operator[],
  size: AttestationSize,
): Promise<number> {
  const classes = (['pool', 'nodeOperator', 'depositAddress', 'withdrawalAddress'] as const).flatMap(
    (idType) =>
      operators
        .filter((one) => one.network === 'mainnet' && one.idType === idType && one.sizes.validators > 0)
        .slice(0, Math.ceil(idType.endsWith('Address') ? size.entities / 3 : size.entities)),
  );
  const entities = [
    { idType: 'network', id: 'mainnet', entity: wholeNetwork(sample, 'mainnet') },
    ...classes.map((one) => ({ idType: one.idType, id: one.id, entity: entityOf(sample, one) })),
  ];
  const keys = await keysOf(client, entities);
  const stored = entities
    .map(({ idType, id, entity }): Stored => {
      return { entityKey: keys.get(`${idType} ${id}`) as number, entity, halves: new Map() };
    })
    .sort((a, b) => a.entityKey - b.entityKey);
  const { hours, days } = attestationPeriods(sample, size);
  await ensureParts(
    client,
    hours.map(({ date }) => date),
    true,
  );
  await ensureParts(
    client,
    days.map(({ date }) => date),
    false,
  );
  return (
    (await copyObjects(client, 'attestation_hours', hourRows(sample, stored, hours))) +
    (await copyObjects(client, 'attestation_days', dayRows(sample, stored, days)))
  );
}
