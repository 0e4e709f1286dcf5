import { rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArchivedMonth, archivedMonths, noteSums } from '../../archive/catalogue.ts';
import { type Duck, WHOLE_MONTHS, withDuck } from '../../archive/duckdb.ts';
import { partialName, removePartials, syncFolder, withTemporaryFolder } from '../../archive/folders.ts';
import { filesOfMonth, pathOf } from '../../archive/part-file.ts';
import { hasSums, sumsFileOf, writeSums } from '../../archive/sums.ts';
import { audit } from '../../db/audit.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import { archivedSumsOfValidators } from '../../resources/validator-ranking/sums.ts';
import { alone, hashOfDatabase } from './alone.ts';
import { faultOf } from './verify.ts';

class NotSummed extends Error {}

/** Whether the month has the sums of this version, in a file that is right. */
async function isSummed(month: ArchivedMonth): Promise<boolean> {
  const { sums } = filesOfMonth(month);
  return sums !== undefined && hasSums(month, archivedSumsOfValidators) && !(await faultOf(sums, true));
}

/** Writes the sums that rankings read, for archived months that lack them. Idempotent. */
export const sumMonths = (pool: Pool, tell: (path: string) => void): Promise<void> =>
  pool.withClient((client) =>
    alone(client, async () => {
      const database = await hashOfDatabase(client);
      for (const month of await archivedMonths(client)) {
        if (await isSummed(month)) continue;
        const fault = await faultOf(filesOfMonth(month).days, true);
        if (fault) throw new NotSummed(`The file ${pathOf(month)} of ${month.network} ${fault}.`);
        removePartials(month.folder, database);
        tell(
          await withTemporaryFolder((spill) =>
            withDuck({ ...WHOLE_MONTHS, spill }, (duck) => sumMonth(pool, duck, month, database)),
          ),
        );
      }
    }),
  );

async function sumMonth(pool: Pool, duck: Duck, month: ArchivedMonth, database: string): Promise<string> {
  const { network, folder } = month;
  const file = sumsFileOf(network, month.month);
  const partial = join(folder, partialName(file, database));
  try {
    const about = { network, month: month.month, database };
    const sums = await writeSums(duck, pathOf(month), partial, archivedSumsOfValidators, about);
    await transaction(pool, async (client) => {
      if (!(await noteSums(client, month, { file, ...sums })))
        throw new NotSummed(
          `The month ${month.month.slice(0, 7)} of ${network} is no longer in ${pathOf(month)}: try again.`,
        );
      await audit(client, {
        action: 'archive.sum',
        subject: month.month.slice(0, 7),
        details: { network, file },
      });
      await rename(partial, join(folder, file));
      await syncFolder(folder);
    });
  } finally {
    rmSync(partial, { force: true });
  }
  return join(folder, file);
}
