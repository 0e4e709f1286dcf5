import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Pool, transaction } from '../db/pool.ts';
import { isWellFormed } from './token-format.ts';
import { createToken, isActive } from './tokens.ts';

/**
 * Returns the development token of the embedded database, stored in `DATA_DIR/token` and readable only by its owner.
 * Creates it when there is no valid one, under a lock, so that gateways that start together share it.
 */
export const developmentToken = (dataDir: string, pool: Pool): Promise<string> =>
  transaction(pool, async (client) => {
    await client.query(
      `/* lockDevelopmentToken */ select pg_advisory_xact_lock(hashtext('stakegraph development token'))`,
    );
    const path = join(dataDir, 'token');
    const kept = (await readFile(path, 'utf8').catch(() => '')).trim();
    if (isWellFormed(kept) && (await isActive(client, kept))) {
      await chmod(path, 0o600).catch(() => undefined); // fails for a file of another user, which stays unchanged
      return kept;
    }
    const { token } = await createToken(client, 'development');
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const temporary = `${path}.${process.pid}`;
    await writeFile(temporary, `${token}\n`, { mode: 0o600 });
    await rename(temporary, path);
    return token;
  });
