import { isAbsolute, resolve } from 'node:path';
import { type ArchivedMonth, archivedMonths } from '../../archive/catalogue.ts';
import {
  type CataloguedFile,
  filesOfMonth,
  openMonth,
  pathOf,
  sha256OfFile,
  UnreadableMonth,
} from '../../archive/part-file.ts';
import { audit } from '../../db/audit.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import { type Pool, transaction } from '../../db/pool.ts';

export type CheckedFile = {
  network: string;
  month: string;
  path: string;
  /** Days; undefined of the file with their sums. */
  rows?: number;
  bytes: number;
  error?: string;
};

/** What is wrong with the file; undefined if nothing is. `whole`: reads all of it. */
export async function faultOf(file: CataloguedFile, whole: boolean): Promise<string | undefined> {
  try {
    await (await openMonth(file)).close();
    if (!whole || (await sha256OfFile(pathOf(file))).equals(file.sha256)) return undefined;
    return 'was changed: its SHA-256 is not that of the catalogue';
  } catch (error) {
    if (error instanceof UnreadableMonth) return error.what;
    throw error;
  }
}

/**
 * Compares all files with the catalogue and returns whether all are right. With another folder than the stored one, reads them
 * there, and stores it as their folder if all are right.
 */
export async function verifyArchive(
  pool: Pool,
  folder: string | undefined,
  tell: (file: CheckedFile) => void,
): Promise<boolean> {
  const moved = folder === undefined || isAbsolute(folder) ? folder : resolve(folder);
  let isRight = true;
  const months = await archivedMonths(pool);
  for (const stored of months) {
    const month: ArchivedMonth = moved === undefined ? stored : { ...stored, folder: moved };
    const { days, sums } = filesOfMonth(month);
    for (const file of sums ? [days, sums] : [days]) {
      const error = await faultOf(file, true);
      if (error) isRight = false;
      tell({
        ...{ network: month.network, month: month.month.slice(0, 7), path: pathOf(file) },
        ...(file === days && { rows: month.rows }),
        bytes: file.bytes,
        ...(error && { error }),
      });
    }
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
