import type pg from 'pg';
import { z } from 'zod';
import {
  type Calendar,
  calendars,
  dateOfDay,
  epochStart,
  SECONDS_PER_SLOT,
  SLOTS_PER_EPOCH,
} from '../chain/calendar.ts';
import { Network } from '../chain/networks.ts';
import { decode } from '../kernel/decode.ts';
import { AttestationRecord } from '../resources/attestations/record.ts';
import { idTypes, normaliseId } from '../resources/operators/record.ts';
import { type ImportCounts, type Importer, isObject } from './importer.ts';
import { MAX_DAY, periodFaults } from './period-rules.ts';

const record = AttestationRecord.shape;

const Shape = AttestationRecord.extend({
  network: Network,
  calendar: z.enum(calendars),
  utc: z.boolean().nullable(),
  entityType: z.enum(idTypes.filter((name) => name !== 'privateSet')),
  day: record.day.unwrap().max(MAX_DAY),
  // These follow from day and epochs; a source may leave them out, and is checked where it does not.
  date: record.date,
  startTimestamp: record.startTimestamp.nullable(),
  endTimestamp: record.endTimestamp.nullable(),
  startSlot: record.startSlot.nullable(),
  endSlot: record.endSlot.nullable(),
});
type ShapeRow = z.infer<typeof Shape>;

const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '');

/** What follows from a row's network, day and epochs. */
const derivedOf = (row: ShapeRow) => ({
  date: dateOfDay(row.network, row.day),
  startSlot: row.startEpoch * SLOTS_PER_EPOCH,
  endSlot: (row.endEpoch + 1) * SLOTS_PER_EPOCH - 1,
  startTimestamp: iso(epochStart(row.network, row.startEpoch)),
  endTimestamp: iso(epochStart(row.network, row.endEpoch + 1) - SECONDS_PER_SLOT),
});

/** An hour or a day of attestations as it comes in; longer periods are gathered when asked, never stored. */
const ImportedAttestation = Shape.pipe(z.custom<ShapeRow>()).superRefine((row, context) => {
  const { network } = row;
  const fault = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  for (const [field, message] of periodFaults(row)) fault(field, message);
  for (const [name, value] of Object.entries(derivedOf(row))) {
    const given = row[name as keyof ShapeRow];
    if (given !== null && given !== value) fault(name, `is ${given}; on ${network} this row's is ${value}`);
  }
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === 'string' && /^\d{19,}$/.test(value) && BigInt(value) >= 2n ** 63n && name !== 'id') {
      fault(name, `is ${value}; at most 2^63 - 1 can be stored`);
    }
  }
});
export type ImportedAttestation = z.infer<typeof ImportedAttestation>;

const columns = [
  ['utc', 'boolean'],
  ['day', 'int'],
  ['date', 'date'],
  ['validator_count', 'int'],
  ['total_unique_attestations', 'bigint'],
  ['sum_missed_attestations', 'bigint'],
  ['sum_missed_sync_signatures', 'bigint'],
  ['sum_correct_head', 'bigint'],
  ['sum_correct_target', 'bigint'],
  ['sum_correct_source', 'bigint'],
  ['sum_wrong_head_votes', 'bigint'],
  ['sum_wrong_target_votes', 'bigint'],
  ['sum_late_target_votes', 'bigint'],
  ['sum_late_source_votes', 'bigint'],
  ['avg_attester_effectiveness', 'double precision'],
  ['sum_inclusion_delay', 'bigint'],
  ['sum_sync_signature_count', 'bigint'],
  ['sum_end_epoch_balance', 'bigint'],
  ['sum_end_epoch_effective_balance', 'bigint'],
  ['start_epoch', 'int'],
  ['end_epoch', 'int'],
] as const;

const snake = (name: string) => name.replace(/[A-Z]/g, '_$&').toLowerCase();

/** A row under the names of the columns. */
function stored(row: ImportedAttestation): Record<string, unknown> {
  const { id, entityType, calendar, ...figures } = row;
  const named = Object.entries(figures).map(([name, value]) => [snake(name), value]); // others are not read
  return {
    ...Object.fromEntries(named),
    entity_id: normaliseId(id),
    id_type: entityType,
    utc: calendar === 'utc',
    date: dateOfDay(row.network, row.day),
  };
}

function upsert(table: 'attestation_days' | 'attestation_hours'): string {
  const period = table === 'attestation_hours' ? 'hour' : 'day';
  const all = table === 'attestation_hours' ? [...columns, ['hour', 'int'] as const] : columns;
  const names = all.map(([name]) => name).join(', ');
  const figures = columns.slice(3).map(([name]) => `${name} = excluded.${name}`);
  const key = `entity_key, utc, ${period}, date`;
  const given = [...all, ['network', 'text'], ['id_type', 'text'], ['entity_id', 'text']];
  // Counted beforehand: RETURNING cannot tell a new row from an updated one in a table of parts.
  return `/* importAttestations */
    with given as (
      select e.entity_key, ${names}
      from jsonb_to_recordset($1::jsonb) as r (${given.map((column) => column.join(' ')).join(', ')})
      join attestation_entities e using (network, id_type, entity_id)
    ), known as (
      select count(*)::int as updated from given join ${table} using (${key})
    ), written as (
      insert into ${table} (entity_key, ${names}) select entity_key, ${names} from given
      on conflict (${key}) do update set ${figures.join(', ')}
    )
    select updated, (select count(*)::int from given) - updated as inserted from known`;
}

/** Makes the entities that are not known yet. */
export async function ensureEntities(
  client: pg.ClientBase,
  entities: readonly { network: string; idType: string; id: string }[],
) {
  await client.query(
    `/* attestationEntities */
    insert into attestation_entities (network, id_type, entity_id)
    select distinct network, id_type, entity_id
    from unnest($1::text[], $2::text[], $3::text[]) as given (network, id_type, entity_id)
    left join attestation_entities known using (network, id_type, entity_id)
    where known.entity_key is null -- an insert that meets a conflict uses up a key all the same
    on conflict (network, entity_id, id_type) do nothing`,
    [
      entities.map((entity) => entity.network),
      entities.map((entity) => entity.idType),
      entities.map((entity) => entity.id),
    ],
  );
}

/** Makes the parts of a table that dates need. */
export async function ensureParts(client: pg.ClientBase, dates: readonly string[], hours: boolean) {
  const distinct = [...new Set(dates)];
  await client.query('/* attestationParts */ select attestation_parts($1::date[], $2)', [distinct, hours]);
}

const BATCH = 1_000;

/** Writes hours and days of attestations in the client's transaction. */
async function writeAttestations(
  client: pg.ClientBase,
  rows: readonly ImportedAttestation[],
  options: { onProgress?: ((done: number) => void) | undefined },
): Promise<ImportCounts> {
  await client.query(`select pg_advisory_xact_lock(hashtext('stakegraph attestations'))`);
  const counts = { inserted: 0, updated: 0, removed: 0 };
  await ensureEntities(
    client,
    rows.map((row) => ({ network: row.network, idType: row.entityType, id: normaliseId(row.id) })),
  );
  let done = 0;
  for (const hours of [true, false]) {
    const part = rows.filter((row) => (row.hour !== null) === hours).map(stored);
    await ensureParts(
      client,
      part.map((row) => row.date as string),
      hours,
    );
    const statement = upsert(hours ? 'attestation_hours' : 'attestation_days');
    for (let start = 0; start < part.length; start += BATCH) {
      const batch = part.slice(start, start + BATCH);
      const { rows: written } = await client.query(statement, [JSON.stringify(batch)]);
      counts.inserted += written[0]?.inserted ?? 0;
      counts.updated += written[0]?.updated ?? 0;
      done += batch.length;
      options.onProgress?.(done);
    }
  }
  return counts;
}

export const attestationImporter: Importer<ImportedAttestation> = {
  resource: 'attestations',
  check: (raw, options) => {
    if (!isObject(raw)) return ImportedAttestation.safeParse(raw);
    const calendar: Calendar = (raw.utc ?? options.utc) === true ? 'utc' : 'chain';
    const given = { network: options.network, calendar, entityType: options.idType, ...raw };
    return ImportedAttestation.safeParse(decode(Shape, given));
  },
  key: (row) =>
    JSON.stringify([row.network, row.calendar, row.entityType, normaliseId(row.id), row.day, row.hour]),
  write: writeAttestations,
  // A series grows and is corrected; a shorter one removes nothing.
  replacesBy: () => false,
};
