import { asSuperuser } from './citus.ts';
import { createDatabase, type TestDatabase } from './gateway.ts';

/**
 * A database that a gateway takes for a replica of another one on the same server: it hides which server and database it
 * is, as from a role that may not call the function.
 */
export async function createReplica(template?: Parameters<typeof createDatabase>[0]): Promise<TestDatabase> {
  const database = await createDatabase(template);
  await asSuperuser(database.url, 'alter function pg_control_system() rename to hidden_control_system');
  return database;
}
