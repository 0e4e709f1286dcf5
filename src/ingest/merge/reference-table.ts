import type pg from 'pg';
import { distributedTables, isDistributed } from '../../db/distributed/layout.ts';
import { type ImportCounts, type MergeOptions, stagedScopes } from '../importer/importer.ts';
import { removeBlockOperators, storeStagedOperators } from './block-operators.ts';
import { anyColumnDiffers, columnList, type PlainTable, sameColumns } from './staging.ts';
import { countValidators } from './validator-counts.ts';

type ReferenceTable = Pick<PlainTable, 'name' | 'key' | 'columns'>;
type Options = Pick<MergeOptions, 'replace' | 'whole'>;

export const isReference = (name: string): boolean =>
  isDistributed() && distributedTables[name] === 'reference';

/** Avoids updates and deletions by join, which Citus refuses in reference tables. */
export async function mergeReference(
  client: pg.ClientBase,
  table: ReferenceTable,
  options: Options,
): Promise<ImportCounts> {
  const { name, key, columns } = table;
  const removed = options.replace ? await removeAbsent(client, table, options) : 0;
  const names = columns.map((column) => column.name);
  const figures = columns.filter((column) => !key.includes(column.name));
  // Citus returns the number of selected rows, also of those that stay as they are.
  const { rows } = await client.query<{ inserted: number; updated: number }>(
    `/* countChanges */
    select (count(*) filter (where t.${key[0]} is null))::int as inserted,
      (count(*) filter (where t.${key[0]} is not null and (${anyColumnDiffers('t', 's', figures)})))::int as updated
    from staged s left join ${name} t on ${sameColumns('t', 's', key)}`,
  );
  const { inserted, updated } = rows[0] as { inserted: number; updated: number };
  const changed = inserted + updated;
  if (changed > 0)
    await client.query(
      `/* upsertStaged */
      insert into ${name} as t (${columnList(names)}) select ${columnList(names, 's')} from staged s
      order by ${columnList(key, 's')}
      on conflict (${columnList(key)}) do update
        set ${figures.map((column) => `${column.name} = excluded.${column.name}`).join(', ')}
        where ${anyColumnDiffers('t', 'excluded', figures)}`,
    );
  if (name === 'validators' && changed > 0) await storeStagedOperators(client, 'validators');
  if (name === 'validators' && changed + removed > 0)
    await countValidators(client, await replacedNetworks(client, options));
  return { inserted, updated, removed };
}

async function replacedNetworks(client: pg.ClientBase, options: Options): Promise<string[]> {
  const { text, values } = stagedScopes(['network'], options);
  const { rows } = await client.query<{ network: string }>(`/* replacedNetworks */ ${text}`, values);
  return rows.map(({ network }) => network);
}

async function removeAbsent(
  client: pg.ClientBase,
  { name }: ReferenceTable,
  options: Options,
): Promise<number> {
  let removed = 0;
  for (const network of await replacedNetworks(client, options)) {
    const { rows: absent } = await client.query<{ validator: number }>(
      `/* absentRows */ select t.validator_index as validator from ${name} t where t.network = $1
      and not exists (select from staged s where s.network = t.network and s.validator_index = t.validator_index)`,
      [network],
    );
    if (absent.length === 0) continue;
    const validators = absent.map((row) => row.validator);
    if (name === 'validators') await removeBlockOperators(client, network, validators);
    const { rowCount } = await client.query(
      `/* removeRows */ delete from ${name} where network = $1 and validator_index = any($2::int[])`,
      [network, validators],
    );
    removed += rowCount ?? 0;
  }
  return removed;
}
