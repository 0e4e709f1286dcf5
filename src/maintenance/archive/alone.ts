import { createHash } from 'node:crypto';
import type pg from 'pg';
import { RefusedPart } from '../retain/parts.ts';
import { databaseOf } from '../transfer/connect.ts';

/** The first part of a hash that names the database in a folder, which others may use too. */
export const hashOfDatabase = async (client: pg.ClientBase): Promise<string> =>
  createHash('sha256')
    .update(await databaseOf(client))
    .digest('hex')
    .slice(0, 8);

/** One process of a database writes files, so that another's partial ones are left by a killed one. */
export async function alone<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  const { rows } = await client.query(
    `/* lockArchive */ select pg_try_advisory_lock(hashtext('stakegraph archive')) as taken`,
  );
  if (!rows[0].taken) throw new RefusedPart('another process is archiving: try again when it has ended');
  try {
    return await work();
  } finally {
    await client
      .query(`/* unlockArchive */ select pg_advisory_unlock(hashtext('stakegraph archive'))`)
      .catch(() => undefined);
  }
}
