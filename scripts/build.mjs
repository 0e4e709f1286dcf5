// Compiles src into dist, with the files beside it that the program reads.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
rmSync('dist', { recursive: true, force: true });
execFileSync(process.execPath, [join(typescript, 'bin/tsc'), '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
cpSync('src/db/migrations', 'dist/db/migrations', { recursive: true });
chmodSync('dist/main.js', 0o755);
