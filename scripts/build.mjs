// Compiles src into dist, with the files beside it that the program reads. Made aside and moved into place at the end:
// a failed build leaves the last good one, and a gateway that starts meanwhile finds a whole one.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { buildWeb, built } from './build-web.mjs';

const aside = `dist-${process.pid}`;
const last = `${aside}-last`;
const { resolve } = createRequire(import.meta.url);

/** The folder of a dependency of web/, which `--workspaces=false` leaves out. */
function folderOf(name) {
  try {
    return dirname(resolve(`${name}/package.json`));
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    process.stderr.write(
      'The build needs the packages of web/, which are not installed: run "npm ci --omit=dev".\n',
    );
    return process.exit(1);
  }
}

const typescript = folderOf('typescript');
// Types are checked by `npm run check:static`: a check here takes six times as long as the build.
const tsc = [join(typescript, 'bin/tsc'), '-p', 'tsconfig.build.json', '--noCheck', '--outDir', aside];
try {
  execFileSync(process.execPath, tsc, { stdio: 'inherit' });
  buildWeb();
  cpSync(built, join(aside, 'web'), { recursive: true });
  for (const folder of ['db/migrations', 'db/routines', 'http/pages/examples'])
    cpSync(join('src', folder), join(aside, folder), { recursive: true });
  cpSync('src/http/rest/response-examples.json', join(aside, 'http/rest/response-examples.json'));
  chmodSync(join(aside, 'main.js'), 0o755);
  // A command that starts meanwhile must find a program: the last build is renamed, and removed afterwards.
  if (existsSync('dist')) renameSync('dist', last);
  renameSync(aside, 'dist');
  rmSync(last, { recursive: true, force: true });
} catch (error) {
  rmSync(aside, { recursive: true, force: true });
  if (error.status === undefined) throw error;
  process.exit(error.status); // tsc has said what is wrong
}
