import type { z } from 'zod';
import { Network } from '../chain/networks.ts';
import { decode } from '../kernel/decode.ts';
import { Validator } from '../resources/validators/record.ts';
import { columnsOf, type Importer, isObject, snakeCased } from './importer.ts';
import { mergePlain, type PlainTable } from './plain-table.ts';

const Shape = Validator.extend({ network: Network });

const ImportedValidator = Shape.superRefine((row, context) => {
  const { activationEpoch, exitEpoch } = row;
  if (exitEpoch !== null && (activationEpoch === null || exitEpoch < activationEpoch)) {
    const message = `is ${exitEpoch}, before activationEpoch ${activationEpoch ?? 'is known'}`;
    context.addIssue({ code: 'custom', path: ['exitEpoch'], message });
  }
});
export type ImportedValidator = z.infer<typeof ImportedValidator>;

/** FAR_FUTURE_EPOCH, the chain's "not yet". */
const farFuture = (value: unknown) => String(value) === '18446744073709551615';

const key = ['network', 'validator_index'];
const table: PlainTable = {
  name: 'validators',
  key,
  columns: columnsOf(Shape),
  scope: ['network'],
};

// No `replacesWhen`: no endpoint returns all validators.
export const validatorImporter: Importer<ImportedValidator> = {
  resource: 'validators',
  shape: Shape,
  check: (raw, { network }) => {
    if (!isObject(raw)) return ImportedValidator.safeParse(raw);
    const given = Object.entries(raw).map(([name, value]) => [name, farFuture(value) ? null : value]);
    return ImportedValidator.safeParse(decode(Shape, { network, ...Object.fromEntries(given) }));
  },
  columns: table.columns,
  stored: snakeCased,
  key,
  unique: { table: 'validators', key, columns: ['network', 'validator_pubkey'], field: 'validatorPubkey' },
  merge: (client, options) => mergePlain(client, table, options),
};
