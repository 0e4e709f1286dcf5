import type { z } from 'zod';
import { epochStart } from '../chain/calendar.ts';
import { Network } from '../chain/networks.ts';
import { decode } from '../kernel/decode.ts';
import { Slashing } from '../resources/slashings/record.ts';
import { futureFault } from './given-time.ts';
import {
  type ColumnName,
  columnsOf,
  type Faults,
  type Importer,
  isObject,
  rowChecker,
  snakeCased,
} from './importer.ts';
import { mergePlain, type PlainTable } from './plain-table.ts';

const Shape = Slashing.extend({ network: Network });

export type ImportedSlashing = z.infer<typeof Shape>;

const check = rowChecker(Shape, function* (row): Faults {
  const expected = BigInt(row.balanceBeforeSlashing) - BigInt(row.balanceBeforeWithdrawal);
  if (BigInt(row.slashingPenalties) !== expected) {
    const message = `is ${row.slashingPenalties}; balanceBeforeSlashing − balanceBeforeWithdrawal is ${expected}`;
    yield ['slashingPenalties', message];
  }
  const start = epochStart(row.network, row.slashingEpoch);
  const future = futureFault(row.slashingEpoch, start, 'an epoch');
  if (future) yield ['slashingEpoch', future];
  if (row.withdrawableEpoch < row.slashingEpoch)
    yield ['withdrawableEpoch', `is ${row.withdrawableEpoch}, before slashingEpoch ${row.slashingEpoch}`];
});

const key = ['network', 'validator_index'];
const columns = columnsOf(Shape);
const table: PlainTable = {
  name: 'slashings',
  key,
  columns,
  scope: ['network'],
};

// No `replacesWhen`: slashings are permanent, and responses may start at any day.
export const slashingImporter: Importer<ImportedSlashing, ColumnName<ImportedSlashing>> = {
  resource: 'slashings',
  shape: Shape,
  check: (raw, { network }) => {
    const value = decode(Shape, raw);
    return check(isObject(value) ? { network, ...value } : value);
  },
  columns,
  stored: snakeCased,
  key,
  unique: { table: 'slashings', key, columns: ['network', 'validator_pubkey'], field: 'validatorPubkey' },
  merge: (client, options) => mergePlain(client, table, options),
};
