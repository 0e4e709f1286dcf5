import type pg from 'pg';
import { archivedMonths } from '../../archive/catalogue.ts';
import { type CataloguedFile, filesOfMonth, pathOf } from '../../archive/part-file.ts';
import { faultOf } from './verify.ts';

/** The files of the database of the client; none before the migration that adds the catalogue. */
async function filesOf(client: pg.ClientBase): Promise<CataloguedFile[]> {
  const { rows } = await client.query(
    `/* hasArchive */ select to_regclass('archived_months') is not null as yes`,
  );
  if (!rows[0].yes) return [];
  return (await archivedMonths(client))
    .map(filesOfMonth)
    .flatMap(({ days, sums }) => [days, ...(sums ? [sums] : [])]);
}

/** Paths of the files that belong to the database, which neither a backup nor a copy contains. */
export const archivedFiles = async (client: pg.ClientBase): Promise<string[]> =>
  (await filesOf(client)).map(pathOf);

/** Files that differ from the catalogue on this machine, each with what is wrong. */
export async function checkArchivedFiles(
  client: pg.ClientBase,
): Promise<{ files: number; faults: string[] }> {
  const files = await filesOf(client);
  const faults: string[] = [];
  for (const file of files) {
    const fault = await faultOf(file, false);
    if (fault) faults.push(`${pathOf(file)} ${fault}`);
  }
  return { files: files.length, faults };
}
