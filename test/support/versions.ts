import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main, project } from './process.ts';

/** Makes the built program with further migrations in a folder, and returns its path. */
export function versionWith(folder: string, migrations: Record<string, string>): string {
  mkdirSync(folder);
  cpSync(join(main, '..'), join(folder, 'dist'), { recursive: true });
  cpSync(join(project, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
  for (const [file, sql] of Object.entries(migrations))
    writeFileSync(join(folder, 'dist/db/migrations', `${file}.sql`), sql);
  return join(folder, 'dist/main.js');
}
