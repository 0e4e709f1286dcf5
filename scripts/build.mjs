// Compiles src into dist, with the files beside it that the program reads. Made aside and moved into place at the end:
// a failed build leaves the last good one, and a gateway that starts meanwhile finds a whole one.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { buildWeb, built } from './build-web.mjs';

const aside = `dist-${process.pid}`;
const last = `${aside}-last`;
const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
const tsc = [join(typescript, 'bin/tsc'), '-p', 'tsconfig.build.json', '--outDir', aside];
try {
  execFileSync(process.execPath, tsc, { stdio: 'inherit' });
  buildWeb();
  cpSync(built, join(aside, 'web'), { recursive: true });
  cpSync('src/db/migrations', join(aside, 'db/migrations'), { recursive: true });
  cpSync('src/http/rest/response-examples.json', join(aside, 'http/rest/response-examples.json'));
  chmodSync(join(aside, 'main.js'), 0o755);
  // Two renames and not a removal before: npx builds too, and what is started meanwhile must find a program.
  if (existsSync('dist')) renameSync('dist', last);
  renameSync(aside, 'dist');
  rmSync(last, { recursive: true, force: true });
} catch (error) {
  rmSync(aside, { recursive: true, force: true });
  if (error.status === undefined) throw error;
  process.exit(error.status); // tsc has said what is wrong
}
