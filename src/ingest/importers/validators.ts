import type pg from 'pg';
import { z } from 'zod';
import { FAR_FUTURE_EPOCH } from '../../chain/calendar.ts';
import { Network } from '../../chain/networks.ts';
import { isObject } from '../../kernel/json.ts';
import { Validator } from '../../resources/validators/record.ts';
import { type ColumnName, type Importer, type MergeOptions, stagedScopes } from '../importer/importer.ts';
import { markPeriodsDue } from '../merge/due-periods.ts';
import { plainImporter } from '../merge/plain-table.ts';
import { mergeWithTotals } from './consolidation-totals.ts';
import { isNodeEntry, type NodeEntry, placeInEntry, readNodeEntry } from './node-validators.ts';

const isFarFuture = (name: string, value: unknown) =>
  name.endsWith('Epoch') && String(value) === FAR_FUTURE_EPOCH;

const Shape = Validator.extend({ network: Network });
type Row = z.infer<typeof Shape>;
/** `fromNode` is true for a validator that a beacon node reported. */
type ImportedValidator = Row & { fromNode?: true };

const owners = ['deposit_address', 'withdrawal_address', 'node_operator', 'pool'];
const merge = mergeWithTotals('owned', owners);

const plain = plainImporter({
  resource: 'validators',
  shape: Shape,
  key: ['network', 'validator_index'],
  unique: { columns: ['network', 'validator_pubkey'], field: 'validatorPubkey' },
  *faults({ activationEpoch, exitEpoch }) {
    if (exitEpoch !== null && (activationEpoch === null || exitEpoch < activationEpoch))
      yield [
        'exitEpoch',
        `is ${exitEpoch}, before the activation epoch, which is ${activationEpoch ?? 'unknown'}`,
      ];
  },
  async merge(client, table, options) {
    await keepLabels(client);
    const renamed = await renamedValidators(client, options);
    const counts = await merge(client, table, options);
    for (const { network, first } of renamed) await markPeriodsDue(client, network, first);
    return counts;
  },
});

/** A node does not know these, so the stored ones stay. Citus refuses an update of `staged` that joins `validators`. */
async function keepLabels(client: pg.ClientBase): Promise<void> {
  const { rowCount } = await client.query(
    `/* storedLabels */
    create temp table stored_labels on commit drop as
    select s.place, v.deposit_address, v.node_operator, v.pool
    from staged s join validators v using (network, validator_index)
    where s.from_node and num_nonnulls(v.deposit_address, v.node_operator, v.pool) > 0`,
  );
  if (rowCount !== 0)
    await client.query(
      `/* keepLabels */
      update staged s set deposit_address = l.deposit_address, node_operator = l.node_operator, pool = l.pool
      from stored_labels l where l.place = s.place`,
    );
  await client.query('/* dropLabels */ drop table stored_labels');
}

/** Returns the indexed networks where the import changes names or addresses of validators that have been active. */
async function renamedValidators(
  client: pg.ClientBase,
  options: MergeOptions,
): Promise<{ network: Network; first: number }[]> {
  const { text, values } = stagedScopes(['network'], options);
  const { rows } = await client.query<{ network: Network; first: number }>(
    `/* renamedValidators */
    select v.network, min(v.activation_epoch) as first
    from validators v
    join (${text}) as of_networks on of_networks.network = v.network
    left join staged s on s.network = v.network and s.validator_index = v.validator_index
    where exists (select from index_state i where i.network = v.network and v.activation_epoch <= i.epoch)
      and case when s.validator_index is null then $${values.length + 1}
        else (v.deposit_address, v.withdrawal_address, v.node_operator, v.pool)
          is distinct from (s.deposit_address, s.withdrawal_address, s.node_operator, s.pool) end
    group by v.network order by v.network`,
    [...values, options.replace],
  );
  return rows;
}

const refused = (issues: z.core.$ZodIssue[]) => ({
  success: false as const,
  error: new z.ZodError(issues) as z.ZodError<ImportedValidator>,
});

function checkEntry(
  entry: NodeEntry,
  options: Parameters<typeof plain.check>[1],
): z.ZodSafeParseResult<ImportedValidator> {
  const { row, issues } = readNodeEntry(entry);
  if (issues.length > 0) return refused(issues);
  const { data, error } = plain.check(row, options);
  if (data) return { success: true, data: { ...data, fromNode: true } };
  return refused(error.issues.map((issue) => ({ ...issue, path: placeInEntry(issue.path) })));
}

export const validatorImporter: Importer<ImportedValidator, ColumnName<ImportedValidator>> = {
  ...plain,
  columns: [...plain.columns, { name: 'from_node', type: 'boolean' }],
  isForeign: isNodeEntry,
  check(raw, options) {
    if (!isObject(raw)) return plain.check(raw, options);
    if (isNodeEntry(raw)) return checkEntry(raw, options);
    const given = Object.entries(raw).map(([name, value]) => [name, isFarFuture(name, value) ? null : value]);
    return plain.check(Object.fromEntries(given), options);
  },
};
