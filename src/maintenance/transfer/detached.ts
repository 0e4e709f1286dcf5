import type pg from 'pg';
import { identifier, sameColumns, type Table } from './catalog.ts';

const isMonth =
  /^(validator_days|attestation_days|attestation_hours|(?:operator|stake_authority)_history|solana_stake_authority_epochs)_\d+(_\d\d)?$/;

const columnsOf = `/* columnsOfParted */
  select array_agg(a.attname::text) as columns from pg_attribute a join pg_class c on c.oid = a.attrelid
  where c.oid = to_regclass($1) and c.relkind = 'p' and a.attnum > 0 and not a.attisdropped`;

type Month = { name: string; parent: string };

/** Compares detached months with the tables of this database. Outdated ones lack columns of later migrations. */
export async function detachedOf(client: pg.ClientBase, tables: Table[]) {
  const found: Record<'current' | 'outdated', Month[]> = { current: [], outdated: [] };
  for (const { name, parent: attachedTo, columns } of tables) {
    const parent = attachedTo === null ? isMonth.exec(name)?.[1] : undefined;
    if (!parent) continue;
    const { rows } = await client.query<{ columns: string[] | null }>(columnsOf, [identifier(parent)]);
    const wanted = rows[0]?.columns;
    if (!wanted) continue;
    found[sameColumns(columns, wanted) ? 'current' : 'outdated'].push({ name, parent });
  }
  return found;
}

export async function makeDetached(client: pg.ClientBase, months: Month[]): Promise<void> {
  for (const { name, parent } of months)
    await client.query(
      `create table if not exists ${identifier(name)} (like ${identifier(parent)} including all)`,
    );
}
