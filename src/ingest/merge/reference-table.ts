import type pg from 'pg';
import { distributedTables, isDistributed } from '../../db/distributed/layout.ts';
import { type ImportCounts, type MergeOptions, stagedScopes } from '../importer/importer.ts';
import { removeBlockOperators, storeBlockOperators } from './block-operators.ts';
import { changedColumns, columnList, type PlainTable, sameColumns } from './staging.ts';

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
  const { rows } = await client.query<{ added: number }>(
    `/* countNew */
    select count(*)::int as added from staged s
    where not exists (select from ${name} t where ${sameColumns('t', 's', key)})`,
  );
  const { added: inserted } = rows[0] as { added: number };
  const { rowCount } = await client.query(
    `/* upsertStaged */
    insert into ${name} as t (${columnList(names)}) select ${columnList(names, 's')} from staged s
    order by ${columnList(key, 's')}
    on conflict (${columnList(key)}) do update
      set ${figures.map((column) => `${column.name} = excluded.${column.name}`).join(', ')}
      where ${changedColumns('t', 'excluded', figures)}`,
  );
  const changed = rowCount ?? 0;
  if (name === 'validators' && changed > 0) await storeBlockOperators(client, 'validators');
  if (name === 'validators' && changed + removed > 0) await countValidators(client, options);
  return { inserted, updated: changed - inserted, removed };
}

async function countValidators(client: pg.ClientBase, options: Options): Promise<void> {
  const { text, values } = stagedScopes(['network'], options);
  await client.query(`/* dropCounts */ delete from validator_counts where network in (${text})`, values);
  await client.query(
    `/* countValidators */
    insert into validator_counts
    select network, activation_epoch is not null, exit_epoch is not null, slashed, count(*) from validators
    where network in (${text}) group by 1, 2, 3, 4`,
    values,
  );
}

async function removeAbsent(
  client: pg.ClientBase,
  { name }: ReferenceTable,
  options: Options,
): Promise<number> {
  const { text, values } = stagedScopes(['network'], options);
  const { rows: lists } = await client.query<{ network: string }>(`/* replacedNetworks */ ${text}`, values);
  let removed = 0;
  for (const { network } of lists) {
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
