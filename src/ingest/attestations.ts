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
import { bigCount, flag, moment, nonNegative, signedSum } from '../kernel/leaves.ts';
import { timestampText } from '../kernel/time.ts';
import { AttestationRecord } from '../resources/attestations/record.ts';
import { idTypes, normaliseId } from '../resources/operators/record.ts';
import { percentFaults } from './fault-messages.ts';
import {
  type ColumnName,
  columnsOf,
  type Derived,
  type Faults,
  type ImportCounts,
  type Importer,
  rowChecker,
} from './importer.ts';
import { MAX_DAY, periodFaults } from './period-rules.ts';
import { withinDates } from './staging.ts';

const record = AttestationRecord.shape;

const Shape = AttestationRecord.extend({
  network: Network,
  calendar: z.enum(calendars),
  utc: z.boolean().nullable(),
  entityType: z.enum(idTypes.filter((name) => name !== 'privateSet')),
  day: record.day.unwrap().max(MAX_DAY),
  date: record.date,
  startTimestamp: moment().nullable(),
  endTimestamp: moment().nullable(),
  startSlot: record.startSlot.nullable(),
  endSlot: record.endSlot.nullable(),
});

const implied: Partial<Record<keyof ImportedAttestation, (row: ImportedAttestation) => unknown>> = {
  date: (row) => dateOfDay(row.network, row.day),
  startSlot: (row) => row.startEpoch * SLOTS_PER_EPOCH,
  endSlot: (row) => (row.endEpoch + 1) * SLOTS_PER_EPOCH - 1,
  startTimestamp: (row) => timestampText(epochStart(row.network, row.startEpoch)),
  endTimestamp: (row) => timestampText(epochStart(row.network, row.endEpoch + 1) - SECONDS_PER_SLOT),
};
const impliedFields = Object.entries(implied) as [
  keyof ImportedAttestation,
  (row: ImportedAttestation) => unknown,
][];

const MAX_BIGINT_DIGITS = 19;

export type ImportedAttestation = z.infer<typeof Shape>;

function* faultsOf(row: ImportedAttestation): Faults {
  yield* periodFaults(row);
  for (const [name, of] of impliedFields) {
    const given = row[name];
    if (given === null) continue;
    const value = of(row);
    if (given !== value) yield [name, `is ${given}; on ${row.network} this row's is ${value}`];
  }
  yield* percentFaults('avgAttesterEffectiveness', row.avgAttesterEffectiveness);
  for (const name in row) {
    const value = row[name as keyof ImportedAttestation];
    if (typeof value !== 'string' || value.length < MAX_BIGINT_DIGITS || name === 'id') continue;
    if (/^\d+$/.test(value) && BigInt(value) >= 2n ** 63n)
      yield [name, `is ${value}; at most 2^63 - 1 can be stored`];
  }
}

/** Only a refresh computes these figures, and only for days. They are null in other rows. */
const ComputedFigures = z.object({
  activeCount: bigCount().nullable(),
  attestedCount: bigCount().nullable(),
  proposerCount: bigCount().nullable(),
  proposedCount: bigCount().nullable(),
  missedProposalCount: bigCount().nullable(),
  sumAttestationRewards: signedSum().nullable(),
  sumSyncCommitteeRewards: signedSum().nullable(),
  sumProposerRewards: signedSum().nullable(),
  sumPriorityFees: signedSum().nullable(),
  sumBaselineMev: signedSum().nullable(),
  sumCorrectness: nonNegative().nullable(),
  sumInclusionDelays: nonNegative().nullable(),
  sumUptime: nonNegative().nullable(),
  sumAttesterEffectiveness: nonNegative().nullable(),
  sumProposerEffectiveness: nonNegative().nullable(),
  sumValidatorEffectiveness: nonNegative().nullable(),
});
export type ComputedColumn = ColumnName<z.infer<typeof ComputedFigures>>;

const Stored = Shape.omit({
  id: true,
  entityType: true,
  calendar: true,
  startDay: true,
  endDay: true,
  startDate: true,
  endDate: true,
  startSlot: true,
  endSlot: true,
  startTimestamp: true,
  endTimestamp: true,
}).extend({
  ...ComputedFigures.shape,
  entityId: record.id,
  idType: Shape.shape.entityType,
  utc: flag(),
  computed: flag(),
});
const columns = columnsOf(Stored);
export type AttestationColumn = ColumnName<z.infer<typeof Stored>>;
const entity: readonly AttestationColumn[] = ['network', 'id_type', 'entity_id'];
const daily = new Set<string>(['computed', ...columnsOf(ComputedFigures).map(({ name }) => name)]);
const storedColumns = (hours: boolean) =>
  columns
    .map(({ name }) => name)
    .filter((name) => !entity.includes(name) && !(hours ? daily.has(name) : name === 'hour'));

const derived: Derived<ImportedAttestation> = {
  entityId: (row) => normaliseId(row.id),
  idType: (row) => row.entityType,
  utc: (row) => row.calendar === 'utc',
  date: (row) => dateOfDay(row.network, row.day),
  computed: () => false,
};

export async function ensureEntities(client: pg.ClientBase, given: string, values: unknown[] = []) {
  await client.query(
    `/* attestationEntities */
    insert into attestation_entities (network, id_type, entity_id)
    select distinct network, id_type, entity_id
    from (${given}) as given left join attestation_entities known using (network, id_type, entity_id)
    where known.entity_key is null -- an insert that meets a conflict uses up a key all the same
    on conflict (network, entity_id, id_type) do nothing`,
    values,
  );
}

export async function ensureParts(client: pg.ClientBase, dates: readonly string[], hours: boolean) {
  const distinct = [...new Set(dates)];
  await client.query('/* attestationParts */ select attestation_parts($1::date[], $2)', [distinct, hours]);
}

async function mergePeriods(client: pg.ClientBase, hours: boolean): Promise<ImportCounts> {
  const table = hours ? 'attestation_hours' : 'attestation_days';
  const wanted = hours ? 'hour is not null' : 'hour is null';
  const { rows: dates } = await client.query<{ date: string }>(
    `/* stagedDates */ select distinct date::text as date from staged where ${wanted}`,
  );
  if (dates.length === 0) return { inserted: 0, updated: 0, removed: 0 };
  const stagedDates = dates.map((row) => row.date);
  await ensureParts(client, stagedDates, hours);
  const columns = storedColumns(hours);
  const key: string[] = ['entity_key', 'utc', hours ? 'hour' : 'day', 'date'];
  const figures = columns.filter((name) => !key.includes(name));
  const given = `staged s join attestation_entities e using (${entity.join(', ')})`;
  const within = withinDates('t.date', stagedDates);
  const same = `${key.map((name) => `t.${name} = ${name === 'entity_key' ? 'e' : 's'}.${name}`).join(' and ')} and ${within.text}`;
  const updated = await client.query(
    `/* updateAttestations */
    update ${table} t set ${figures.map((name) => `${name} = s.${name}`).join(', ')} from ${given}
    where s.${wanted} and ${same}
      and (${figures.map((name) => `t.${name}`).join(', ')}) is distinct from (${figures.map((name) => `s.${name}`).join(', ')})`,
    within.values,
  );
  const inserted = await client.query(
    `/* insertAttestations */
    insert into ${table} (entity_key, ${columns.join(', ')})
    select e.entity_key, ${columns.map((name) => `s.${name}`).join(', ')} from ${given}
    where s.${wanted} and not exists (select from ${table} t where ${same})`,
    within.values,
  );
  return { inserted: inserted.rowCount ?? 0, updated: updated.rowCount ?? 0, removed: 0 };
}

async function mergeAttestations(client: pg.ClientBase): Promise<ImportCounts> {
  await ensureEntities(client, 'select network, id_type, entity_id from staged');
  const [hours, days] = [await mergePeriods(client, true), await mergePeriods(client, false)];
  return { inserted: hours.inserted + days.inserted, updated: hours.updated + days.updated, removed: 0 };
}

export const attestationImporter: Importer<ImportedAttestation, AttestationColumn> = {
  resource: 'attestations',
  shape: Shape,
  check: rowChecker(Shape, {
    defaults: ({ network, idType, utc }, row) => {
      const calendar: Calendar = (row.utc ?? utc) === true ? 'utc' : 'chain';
      return { network, calendar, entityType: idType };
    },
    faults: faultsOf,
  }),
  columns,
  derived,
  // `hour` is null for days, and nulls are never equal.
  key: [...entity, 'utc', 'day', 'coalesce(hour, -1)'],
  merge: mergeAttestations,
};
