import { once } from 'node:events';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

type Value = number | string | boolean | null;

const CHUNK = 1 << 18;

/** Values must be free of tabs, line breaks and backslashes. */
export async function copyRows(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
  rows: Iterable<readonly Value[]>,
): Promise<number> {
  const copy = client.query(copyFrom(`/* sampleRows */ copy ${table} (${columns.join(', ')}) from stdin`));
  let broken: Error | undefined;
  copy.on('error', (error: Error) => (broken ??= error));
  let count = 0;
  let text = '';
  for (const row of rows) {
    count += 1;
    for (let at = 0; at < row.length; at++) text += `${at === 0 ? '' : '\t'}${row[at] ?? '\\N'}`;
    text += '\n';
    if (text.length < CHUNK) continue;
    if (broken) throw broken;
    if (!copy.write(text)) await once(copy, 'drain');
    text = '';
  }
  copy.end(text);
  await once(copy, 'finish');
  return count;
}

/** Rows with equal keys, in equal order, which are the names of columns. */
export async function copyObjects(
  client: pg.ClientBase,
  table: string,
  rows: Generator<Record<string, Value>>,
  shared: Record<string, Value> = {},
): Promise<number> {
  const { value: first } = rows.next();
  if (!first) return 0;
  const same = Object.values(shared);
  function* values() {
    yield [...same, ...Object.values(first as Record<string, Value>)];
    for (const row of rows) yield [...same, ...Object.values(row)];
  }
  return copyRows(client, table, [...Object.keys(shared), ...Object.keys(first)], values());
}
