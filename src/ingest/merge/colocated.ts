import type pg from 'pg';
import { distributedTables, isDistributed } from '../../db/distributed/layout.ts';
import { columnList } from './staging.ts';

/** Citus merges only from tables that are distributed alike. Call it under the lock of the dataset. */
export async function withColocated<T>(
  client: pg.ClientBase,
  { name, key, columns }: { name: string; key: readonly string[]; columns: readonly { name: string }[] },
  merge: (from: string) => Promise<T>,
): Promise<T> {
  if (!isDistributed()) return merge('staged');
  const table = `staged_${name}`;
  const names = columnList(columns.map((column) => column.name));
  await client.query(`/* makeColocated */ create unlogged table ${table} (like ${name})`);
  await client.query(
    '/* distributeColocated */ select create_distributed_table($1, $2, colocate_with => $3)',
    [...[table, distributedTables[name], name]],
  );
  await client.query(`/* fillColocated */ insert into ${table} (${names}) select ${names} from staged`);
  await client.query(`/* indexColocated */ create index on ${table} (${columnList(key)})`);
  await client.query(`/* analyzeColocated */ analyze ${table}`);
  const merged = await merge(table);
  await client.query(`/* dropColocated */ drop table ${table}`);
  return merged;
}
