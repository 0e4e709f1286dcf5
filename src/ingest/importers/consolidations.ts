import { z } from 'zod';
import { calendars, dateOfDay, dayOfEpoch, epochStart } from '../../chain/calendar.ts';
import { electraEpoch, MAX_EFFECTIVE_BALANCE_ELECTRA } from '../../chain/churn.ts';
import { Network } from '../../chain/networks.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { Consolidation } from '../../resources/consolidations/record.ts';
import { futureFaults, momentFaults } from '../importer/given-time.ts';
import type { Faults, Importer } from '../importer/importer.ts';
import { plainImporter } from '../merge/plain-table.ts';
import { mergeWithTotals } from './consolidation-totals.ts';

const record = Consolidation.shape;
const Shape = Consolidation.omit({ sourceEntities: true, targetEntities: true }).extend({
  network: Network,
  day: record.day.nullable(),
  date: record.date.nullable(),
  timestamp: Leaf.moment().nullable(),
});
export type ImportedConsolidation = z.infer<typeof Shape>;

function* faultsOf(row: ImportedConsolidation): Faults {
  const { network, epoch, day, date } = row;
  if (row.sourceValidatorIndex === row.targetValidatorIndex)
    yield ['targetValidatorIndex', `is ${row.targetValidatorIndex}, the source itself`];
  if (BigInt(row.consolidatedBalance) > MAX_EFFECTIVE_BALANCE_ELECTRA) {
    const message = `is ${row.consolidatedBalance}; at most ${MAX_EFFECTIVE_BALANCE_ELECTRA} Gwei can move`;
    yield ['consolidatedBalance', message];
  }
  if (epoch < electraEpoch[network])
    yield ['epoch', `is ${epoch}; consolidations of ${network} begin with epoch ${electraEpoch[network]}`];
  yield* futureFaults('epoch', epoch, epochStart(network, epoch), 'an epoch');
  // The file may use either calendar.
  const days = calendars.map((calendar) => dayOfEpoch(network, calendar, epoch));
  const dates = days.map((known) => dateOfDay(network, known));
  const either = (values: readonly unknown[]) => [...new Set(values)].join(' or ');
  if (day !== null && !days.includes(day))
    yield ['day', `is ${day}; epoch ${epoch} is in day ${either(days)}`];
  if (date !== null && !dates.includes(date))
    yield ['date', `is ${date}; epoch ${epoch} is in the day of ${either(dates)}`];
  yield* momentFaults('timestamp', row.timestamp, epochStart(network, epoch), `epoch ${epoch}`);
}

export const consolidationImporter: Importer<ImportedConsolidation> = plainImporter({
  resource: 'consolidations',
  shape: Shape,
  key: ['network', 'source_index'],
  columns: z.object({
    network: Network,
    sourceIndex: record.sourceValidatorIndex,
    sourcePubkey: record.sourceValidatorPubkey,
    targetIndex: record.targetValidatorIndex,
    targetPubkey: record.targetValidatorPubkey,
    epoch: record.epoch,
    consolidatedBalance: record.consolidatedBalance,
  }),
  derived: {
    sourceIndex: (row) => row.sourceValidatorIndex,
    sourcePubkey: (row) => row.sourceValidatorPubkey,
    targetIndex: (row) => row.targetValidatorIndex,
    targetPubkey: (row) => row.targetValidatorPubkey,
  },
  faults: faultsOf,
  merge: mergeWithTotals('sources', ['target_index', 'epoch', 'consolidated_balance']),
});
