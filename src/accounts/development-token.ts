import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { audit } from '../db/audit.ts';
import { type Pool, transaction } from '../db/pool.ts';
import { isWellFormed } from './token-format.ts';
import { createToken, isActive } from './tokens.ts';

/**
 * Returns the token in `DATA_DIR/token`, which only the file's owner can read. A lock makes gateways that start
 * together share one token.
 */
export const developmentToken = (dataDir: string, pool: Pool): Promise<string> =>
  transaction(pool, async (client) => {
    await client.query(
      `/* lockDevelopmentToken */ select pg_advisory_xact_lock(hashtext('stakegraph development token'))`,
    );
    const path = join(dataDir, 'token');
    const stored = (await readFile(path, 'utf8').catch(() => '')).trim();
    if (isWellFormed(stored) && (await isActive(client, stored))) {
      await chmod(path, 0o600).catch(() => undefined); // fails if another user owns the file
      return stored;
    }
    const { token, row } = await createToken(client, 'development');
    const details = { account: row.account, name: row.name };
    await audit(client, { action: 'token.create', subject: row.tokenId, details });
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const temporary = `${path}.${process.pid}`;
    await writeFile(temporary, `${token}\n`, { mode: 0o600 });
    await rename(temporary, path);
    return token;
  });
