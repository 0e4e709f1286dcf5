import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type pg from 'pg';
import type { Queryable } from '../db/pool.ts';
import type { ImportOptions } from './import-options.ts';
import { fileAt } from './source/open.ts';

/** A hash of the options and of what is read. Undefined for pipes and stdin, which can be read only once. */
export async function startedDigest(path: string, options: ImportOptions): Promise<Hash | undefined> {
  const { network, idType, utc, window, replace, format } = options;
  if (path === '-' || !(await fileAt(path)).isFile()) return undefined;
  return createHash('sha256').update(JSON.stringify([network, idType, utc, window, replace, format]));
}

export async function wasImported(
  db: Queryable,
  resource: string,
  path: string,
  started: Hash,
): Promise<boolean> {
  const hash = started.copy();
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 }))
    hash.update(chunk as Buffer);
  const digest = hash.digest();
  const { rows } = await db.query({
    text: '/* wasImported */ select 1 from imported_files where resource = $1 and digest = $2',
    values: [resource, digest],
  });
  return rows.length > 0;
}

/** Must run in the transaction of the load. */
export async function noteImported(
  client: pg.ClientBase,
  file: { resource: string; digest: Buffer; name: string; rows: number },
): Promise<void> {
  await client.query(
    `/* noteImported */
    insert into imported_files (resource, digest, name, row_count) values ($1, $2, $3, $4)
    on conflict (resource, digest) do update set name = excluded.name, loaded_at = now()`,
    [file.resource, file.digest, file.name, file.rows],
  );
}
