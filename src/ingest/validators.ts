import type pg from 'pg';
import type { z } from 'zod';
import { Network } from '../chain/networks.ts';
import { decode } from '../kernel/decode.ts';
import { Validator } from '../resources/validators/record.ts';
import { type ImportCounts, type Importer, isObject, type WriteOptions } from './importer.ts';

const Shape = Validator.extend({ network: Network });

const ImportedValidator = Shape.superRefine((row, context) => {
  const { activationEpoch, exitEpoch } = row;
  if (exitEpoch !== null && (activationEpoch === null || exitEpoch < activationEpoch)) {
    const message = `is ${exitEpoch}, before activationEpoch ${activationEpoch ?? 'is known'}`;
    context.addIssue({ code: 'custom', path: ['exitEpoch'], message });
  }
});
type ImportedValidator = z.infer<typeof ImportedValidator>;

/** What the chain calls "not yet": FAR_FUTURE_EPOCH. */
const farFuture = (value: unknown) => String(value) === '18446744073709551615';

const columns = [
  ['network', 'text', 'network'],
  ['validator_index', 'int', 'validatorIndex'],
  ['validator_pubkey', 'text', 'validatorPubkey'],
  ['deposit_address', 'text', 'depositAddress'],
  ['withdrawal_address', 'text', 'withdrawalAddress'],
  ['node_operator', 'text', 'nodeOperator'],
  ['pool', 'text', 'pool'],
  ['activation_epoch', 'int', 'activationEpoch'],
  ['exit_epoch', 'int', 'exitEpoch'],
  ['slashed', 'boolean', 'slashed'],
] as const satisfies [string, string, keyof ImportedValidator][];
const names = columns.map(([name]) => name);

const upsert = `/* importValidators */
  with written as (
    insert into validators (${names.join(', ')})
    select * from unnest(${columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')})
    on conflict (network, validator_index) do update
      set ${names
        .slice(2)
        .map((name) => `${name} = excluded.${name}`)
        .join(', ')}
    returning (xmax = 0) as fresh
  )
  select count(*) filter (where fresh)::int as inserted, count(*) filter (where not fresh)::int as updated
  from written`;

async function removeAbsent(client: pg.ClientBase, rows: readonly ImportedValidator[]): Promise<number> {
  const removed = await client.query(
    `/* removeAbsentValidators */
    delete from validators v
    where v.network = any($1::text[]) and not exists (
      select from unnest($2::text[], $3::int[]) as k (network, validator_index)
      where (k.network, k.validator_index) = (v.network, v.validator_index)
    )`,
    [
      [...new Set(rows.map((row) => row.network))],
      rows.map((row) => row.network),
      rows.map((row) => row.validatorIndex),
    ],
  );
  return removed.rowCount ?? 0;
}

const BATCH = 5_000;

/** Writes validators in the client's transaction. */
export async function writeValidators(
  client: pg.ClientBase,
  rows: readonly ImportedValidator[],
  options: WriteOptions,
): Promise<ImportCounts> {
  await client.query(`select pg_advisory_xact_lock(hashtext('stakegraph validators'))`);
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

export const validatorImporter: Importer<ImportedValidator> = {
  resource: 'validators',
  check: (raw, { network }) => {
    if (!isObject(raw)) return ImportedValidator.safeParse(raw);
    const given = Object.entries(raw).map(([name, value]) => [name, farFuture(value) ? null : value]);
    return ImportedValidator.safeParse(decode(Shape, { network, ...Object.fromEntries(given) }));
  },
  key: (row) => `${row.network}:${row.validatorIndex}`,
  write: writeValidators,
  // No path answers a whole list of validators; a file may hold any part of them.
  replacesBy: () => false,
};
