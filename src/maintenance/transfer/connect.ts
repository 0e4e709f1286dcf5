import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { Connection, prepareWith } from '../../db/connection.ts';
import { identitySql } from '../../db/replicas/replica.ts';
import { targetOf } from '../../db/servers.ts';
import { traceStatements } from '../../db/traced.ts';
import { tracer } from '../../kernel/tracing.ts';

/** Both sides need equal settings, because rows are compared as text. */
const asText = `set bytea_output = 'hex'; set intervalstyle = 'postgres'`;

export async function withConnection<T>(
  url: string,
  readOnly: boolean,
  work: (client: Connection) => Promise<T>,
): Promise<T> {
  const target = targetOf(url);
  await target.choose();
  const client = new Connection({ target, application_name: 'stakegraph copy' });
  await client.connect();
  if (tracer) traceStatements(client, tracer);
  try {
    await prepareWith({ readOnly, statementTimeoutMs: 0, prepared: false })(client);
    await client.query(`/* settings */ ${asText}`);
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Identifies the cluster and the database; only the database if the role may not call `pg_control_system`. */
export async function databaseOf(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query(
    `/* mayIdentify */ select has_function_privilege('pg_control_system()', 'execute') as may, current_database() as name`,
  );
  if (!rows[0].may) return rows[0].name;
  return (await client.query(identitySql)).rows[0].id;
}

/** One database may have several addresses, so each session looks for the other's lock. */
export async function isSameDatabase(client: pg.ClientBase, url: string): Promise<boolean> {
  const key = randomInt(2 ** 47);
  await client.query('/* lockDatabase */ select pg_advisory_lock($1)', [key]);
  return await withConnection(url, true, async (other) => {
    const { rows } = await other.query('/* tryLock */ select pg_try_advisory_lock($1) as free', [key]);
    return !rows[0].free;
  });
}
