import type pg from 'pg';
import { type ArchivedMonth, archivedMonths } from '../../archive/catalogue.ts';
import { pathOf } from '../../archive/part-file.ts';
import { faultOf } from './verify.ts';

/** Of the database of the client; none before the catalogue's migration. */
async function monthsOf(client: pg.ClientBase): Promise<ArchivedMonth[]> {
  const { rows } = await client.query(
    `/* hasArchive */ select to_regclass('archived_months') is not null as yes`,
  );
  return rows[0].yes ? archivedMonths(client) : [];
}

/** Paths of the files that belong to the database, which neither a backup nor a copy contains. */
export const archivedFiles = async (client: pg.ClientBase): Promise<string[]> =>
  (await monthsOf(client)).map(pathOf);

/** Files that this machine does not find as the catalogue has them, with what is wrong. */
export async function missingFiles(client: pg.ClientBase): Promise<{ files: number; faults: string[] }> {
  const months = await monthsOf(client);
  const faults: string[] = [];
  for (const month of months) {
    const fault = await faultOf(month, false);
    if (fault) faults.push(`${pathOf(month)} ${fault}`);
  }
  return { files: months.length, faults };
}
