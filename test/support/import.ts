import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importFile } from '../../src/ingest/import-file.ts';
import type { FileReport } from '../../src/ingest/import-report.ts';
import type { ImportResource } from '../../src/ingest/importers/index.ts';
import type { Gateway } from './gateway.ts';

type Options = Partial<Parameters<typeof importFile>[3]>;

/** Imports this text as the command line does a file, into the gateway's database. With ARCHIVED=1, days of any month. */
export async function importText(
  gateway: Gateway,
  resource: ImportResource,
  text: string,
  options: Options = {},
): Promise<FileReport> {
  const folder = mkdtempSync(join(tmpdir(), 'stakegraph-import-'));
  const file = join(folder, 'rows.json');
  writeFileSync(file, text);
  if (process.env.ARCHIVED && resource === 'validator-days')
    await (await import('./archive-months.ts')).restoreMonths(gateway.database.pool);
  try {
    return await importFile(gateway.database.pool, resource, file, { network: 'mainnet', ...options });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
