import { z } from 'zod';
import { calendars, dateOfDay, dayOfEpoch, epochStart } from '../chain/calendar.ts';
import { electraEpoch, MAX_EFFECTIVE_BALANCE_ELECTRA } from '../chain/churn.ts';
import { Network } from '../chain/networks.ts';
import { decode } from '../kernel/decode.ts';
import { moment } from '../kernel/leaves.ts';
import { Consolidation } from '../resources/consolidations/record.ts';
import { mergeWithTotals } from './consolidation-totals.ts';
import { futureFault, momentFault } from './given-time.ts';
import { type Importer, isObject } from './importer.ts';
import { fieldColumns, type PlainTable } from './plain-table.ts';

const record = Consolidation.shape;
// Omits entities, which follow from validators.
const Shape = Consolidation.omit({ sourceEntities: true, targetEntities: true }).extend({
  network: Network,
  // Derived, so optional; checked when present.
  day: record.day.nullable(),
  date: record.date.nullable(),
  timestamp: moment().nullable(),
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
  const future = futureFault(epoch, epochStart(network, epoch), 'an epoch');
  if (future) fault('epoch', future);
  // The source may use either calendar.
  const days = calendars.map((calendar) => dayOfEpoch(network, calendar, epoch));
  const dates = days.map((known) => dateOfDay(network, known));
  const either = (values: readonly unknown[]) => [...new Set(values)].join(' or ');
  if (day !== null && !days.includes(day))
    fault('day', `is ${day}; epoch ${epoch} is in day ${either(days)}`);
  if (date !== null && !dates.includes(date)) {
    fault('date', `is ${date}; epoch ${epoch} is in the day of ${either(dates)}`);
  }
  if (timestamp === null) return;
  const wrong = momentFault(timestamp, epochStart(network, epoch), `epoch ${epoch}`);
  if (wrong) fault('timestamp', wrong);
});
export type ImportedConsolidation = z.infer<typeof ImportedConsolidation>;

const { columns, stored } = fieldColumns<Omit<ImportedConsolidation, 'day' | 'date' | 'timestamp'>>({
  network: ['network', 'text'],
  sourceValidatorIndex: ['source_index', 'int'],
  sourceValidatorPubkey: ['source_pubkey', 'text'],
  targetValidatorIndex: ['target_index', 'int'],
  targetValidatorPubkey: ['target_pubkey', 'text'],
  epoch: ['epoch', 'int'],
  consolidatedBalance: ['consolidated_balance', 'bigint'],
});
const table: PlainTable = {
  name: 'consolidations',
  key: ['network', 'source_index'],
  columns,
  scope: ['network'],
};

// No `replacesWhen`: consolidations are permanent, and responses may be partial.
export const consolidationImporter: Importer<ImportedConsolidation> = {
  resource: 'consolidations',
  shape: Shape,
  check: (raw, { network }) =>
    ImportedConsolidation.safeParse(isObject(raw) ? decode(Shape, { network, ...raw }) : raw),
  columns,
  stored,
  key: table.key,
  merge: (client, options) => mergeWithTotals(client, table, options),
};
