import { isAbsolute, resolve } from 'node:path';
import { type ArchivedMonth, archivedMonths } from '../../archive/catalogue.ts';
import { openMonth, pathOf, sha256OfFile, UnreadableMonth } from '../../archive/part-file.ts';
import { audit } from '../../db/audit.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import { type Pool, transaction } from '../../db/pool.ts';

export type CheckedMonth = {
  network: string;
  month: string;
  path: string;
  rows: number;
  bytes: number;
  error?: string;
};

/** What is wrong with the file; undefined if nothing is. `whole`: reads all of it. */
export async function faultOf(month: ArchivedMonth, whole: boolean): Promise<string | undefined> {
  try {
    await (await openMonth(month)).close();
    if (!whole || (await sha256OfFile(pathOf(month))).equals(month.sha256)) return undefined;
    return 'was changed: its SHA-256 is not that of the catalogue';
  } catch (error) {
    if (error instanceof UnreadableMonth) return error.what;
    throw error;
  }
}

/**
 * Compares all files with the catalogue, in their folder or in another one, which the catalogue then names if all files are
 * there. Returns whether all are right.
 */
export async function verifyArchive(
  pool: Pool,
  folder: string | undefined,
  tell: (month: CheckedMonth) => void,
): Promise<boolean> {
  const moved = folder === undefined || isAbsolute(folder) ? folder : resolve(folder);
  let isRight = true;
  const months = await archivedMonths(pool);
  for (const stored of months) {
    const month = moved === undefined ? stored : { ...stored, folder: moved };
    const error = await faultOf(month, true);
    if (error) isRight = false;
    const { network, rows, bytes } = month;
    tell({
      network,
      month: month.month.slice(0, 7),
      path: pathOf(month),
      rows,
      bytes,
      ...(error && { error }),
    });
  }
  if (moved !== undefined && isRight && months.some((month) => month.folder !== moved))
    await transaction(pool, async (client) => {
      await client.query(
        '/* moveArchive */ update archived_months set folder = $1 where file = any($2::text[])',
        [moved, months.map(({ file }) => file)],
      );
      await raisedRevision(client, 'validator-days')();
      await audit(client, { action: 'archive.move', subject: moved, details: { months: months.length } });
    });
  return isRight;
}
