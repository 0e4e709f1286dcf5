import type pg from 'pg';
import { z } from 'zod';
import { calendars, dateOfDay, dayOfEpoch, epochStart, isoTime } from '../chain/calendar.ts';
import { electraEpoch, MAX_EFFECTIVE_BALANCE_ELECTRA } from '../chain/churn.ts';
import { Network } from '../chain/networks.ts';
import { decode } from '../kernel/decode.ts';
import { Consolidation } from '../resources/consolidations/record.ts';
import { type ImportCounts, type Importer, isObject } from './importer.ts';

const record = Consolidation.shape;
// Entities follow from the validators that are stored, and are not looked at.
const Shape = Consolidation.omit({ sourceEntities: true, targetEntities: true }).extend({
  network: Network,
  // These follow from the epoch; a source may leave them out, and is checked where it does not.
  day: record.day.nullable(),
  date: record.date.nullable(),
  timestamp: record.timestamp.nullable(),
});
type ShapeRow = z.infer<typeof Shape>;

const ImportedConsolidation = Shape.pipe(z.custom<ShapeRow>()).superRefine((row, context) => {
  const { network, epoch, day, date, timestamp } = row;
  const fault = (path: keyof ShapeRow, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  if (row.sourceValidatorIndex === row.targetValidatorIndex) {
    fault('targetValidatorIndex', `is ${row.targetValidatorIndex}, the source itself`);
  }
  if (BigInt(row.consolidatedBalance) > MAX_EFFECTIVE_BALANCE_ELECTRA) {
    const msg = `is ${row.consolidatedBalance}; at most ${MAX_EFFECTIVE_BALANCE_ELECTRA} Gwei can move`;
    fault('consolidatedBalance', msg);
  }
  if (epoch < electraEpoch[network]) {
    fault('epoch', `is ${epoch}; consolidations of ${network} begin with epoch ${electraEpoch[network]}`);
  }
  // A body is of one calendar or the other.
  const days = calendars.map((calendar) => dayOfEpoch(network, calendar, epoch));
  const dates = days.map((known) => dateOfDay(network, known));
  const either = (values: readonly unknown[]) => [...new Set(values)].join(' or ');
  if (day !== null && !days.includes(day))
    fault('day', `is ${day}; epoch ${epoch} is in day ${either(days)}`);
  if (date !== null && !dates.includes(date)) {
    fault('date', `is ${date}; epoch ${epoch} is in the day of ${either(dates)}`);
  }
  const begins = isoTime(epochStart(network, epoch));
  if (timestamp !== null && timestamp !== begins)
    fault('timestamp', `is ${timestamp}; epoch ${epoch} begins at ${begins}`);
});
export type ImportedConsolidation = Pick<
  z.infer<typeof ImportedConsolidation>,
  (typeof columns)[number]['2']
>;

const columns = [
  ['network', 'text', 'network'],
  ['source_index', 'int', 'sourceValidatorIndex'],
  ['source_pubkey', 'text', 'sourceValidatorPubkey'],
  ['target_index', 'int', 'targetValidatorIndex'],
  ['target_pubkey', 'text', 'targetValidatorPubkey'],
  ['epoch', 'int', 'epoch'],
  ['consolidated_balance', 'bigint', 'consolidatedBalance'],
] as const satisfies [string, string, keyof ShapeRow][];
const names = columns.map(([name]) => name);

const upsert = `/* importConsolidations */
  with written as (
    insert into consolidations (${names.join(', ')})
    select * from unnest(${columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')})
    on conflict (network, source_index) do update
      set ${names
        .slice(2)
        .map((name) => `${name} = excluded.${name}`)
        .join(', ')}
    returning (xmax = 0) as fresh
  )
  select count(*) filter (where fresh)::int as inserted, count(*) filter (where not fresh)::int as updated
  from written`;

async function removeAbsent(client: pg.ClientBase, rows: readonly ImportedConsolidation[]): Promise<number> {
  const removed = await client.query(
    `/* removeAbsentConsolidations */
    delete from consolidations c
    where c.network = any($1::text[]) and not exists (
      select from unnest($2::text[], $3::int[]) as k (network, source_index)
      where (k.network, k.source_index) = (c.network, c.source_index)
    )`,
    [
      [...new Set(rows.map((row) => row.network))],
      rows.map((row) => row.network),
      rows.map((row) => row.sourceValidatorIndex),
    ],
  );
  return removed.rowCount ?? 0;
}

const BATCH = 5_000;

/** Writes consolidations in the client's transaction. */
export async function writeConsolidations(
  client: pg.ClientBase,
  rows: readonly ImportedConsolidation[],
  options: { replace: boolean; onProgress?: ((done: number) => void) | undefined },
): Promise<ImportCounts> {
  await client.query(`select pg_advisory_xact_lock(hashtext('stakegraph consolidations'))`);
  const counts = { inserted: 0, updated: 0, removed: 0 };
  if (options.replace) counts.removed = await removeAbsent(client, rows);
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH);
    const values = columns.map(([, , field]) => batch.map((row) => row[field]));
    const { rows: written } = await client.query(upsert, values);
    counts.inserted += written[0]?.inserted ?? 0;
    counts.updated += written[0]?.updated ?? 0;
    options.onProgress?.(Math.min(rows.length, start + BATCH));
  }
  return counts;
}

export const consolidationImporter: Importer<ImportedConsolidation> = {
  resource: 'consolidations',
  check: (raw, { network }) =>
    ImportedConsolidation.safeParse(isObject(raw) ? decode(Shape, { network, ...raw }) : raw),
  key: (row) => `${row.network}:${row.sourceValidatorIndex}`,
  write: writeConsolidations,
  // A consolidation never goes away, and a body may be of a range or of one entity.
  replacesBy: () => false,
};
