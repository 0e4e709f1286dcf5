// Builds the explorer (web/) into web/dist, unless its inputs are those of the last build.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

export const built = 'web/dist';
const stamp = 'web/.built';

export const webInputs = () => [
  ...['index.html', 'package.json', 'relay.config.json', 'vite.config.ts'].map((name) => `web/${name}`),
  ...readdirSync('web/src', { recursive: true })
    .filter((name) => !name.startsWith('__generated__'))
    .map((name) => join('web/src', name))
    .filter((name) => statSync(name).isFile())
    .sort(),
  ...['schema.graphql', 'package-lock.json', 'scripts/build-web.mjs'],
];

function hashOfInputs() {
  const hash = createHash('sha256');
  for (const name of webInputs()) hash.update(`${name}\0`).update(readFileSync(name)).update('\0');
  return hash.digest('hex');
}

/** Files are compressed once, as small as they get, and sent as they are. */
function compress(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const body = readFileSync(path);
    writeFileSync(`${path}.br`, brotliCompressSync(body));
    writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }));
  }
}

/** The texts of all documents, which TRUSTED_ONLY lets through. */
function documents() {
  const folder = 'web/src/__generated__';
  const texts = readdirSync(folder).map(
    (name) => /"text": ("(?:[^"\\]|\\.)*"),?\n/.exec(readFileSync(join(folder, name), 'utf8'))?.[1],
  );
  return texts.filter(Boolean).map((text) => JSON.parse(text));
}

export function buildWeb() {
  const hash = hashOfInputs();
  if (existsSync(built) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  rmSync(stamp, { force: true });
  const vite = join(
    dirname(createRequire(join(process.cwd(), 'web/')).resolve('vite/package.json')),
    'bin/vite.js',
  );
  const run = (command, args) =>
    execFileSync(command, args, { cwd: 'web', stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    run('npm', ['run', '-s', 'relay']);
    run(process.execPath, [vite, 'build', '--logLevel', 'warn']);
  } catch (error) {
    process.stderr.write(error.stdout ?? '');
    throw error;
  }
  writeFileSync(join(built, 'documents.json'), JSON.stringify(documents()));
  compress(join(built, 'assets/explorer'));
  writeFileSync(stamp, hash);
}
