import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { slow } from '../support/thorough.ts';

const root = join(import.meta.dirname, '../..');

/** A folder with parts of the clone, and without its dependencies. */
function folderWith(...names: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'stakegraph-clone-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of names) cpSync(join(root, name), join(folder, name), { recursive: true });
  return folder;
}

const run = (cwd: string, ...args: string[]) => spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });

it('the build without its dependencies says in one sentence what to do', () => {
  const { status, stdout, stderr } = run(folderWith('scripts'), 'scripts/build.mjs');
  expect([status, stdout, stderr]).toEqual([
    1,
    '',
    'The build needs the packages of web/, which are not installed: run "npm ci --omit=dev".\n',
  ]);
});

it('the command of a clone that is not built says how to build it', () => {
  const { status, stdout, stderr } = run(folderWith('cli'), 'cli/stakegraph.mjs', '--version');
  expect([status, stdout, stderr]).toEqual([
    1,
    '',
    'stakegraph is not built; run "npm ci --omit=dev", or "npm run build".\n',
  ]);
});

slow('several commands of one clone run at once, with npx and without it', async () => {
  const answer = (command: string, ...args: string[]) =>
    new Promise<string>((done) => {
      const child = spawn(command, [...args, '--version'], { cwd: root });
      let text = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
      child.on('close', (code) => done(`${code} ${text.trim()}`));
    });
  const own = await answer(process.execPath, 'dist/main.js');
  expect(own).toMatch(/^0 \d+\.\d+\.\d+$/);
  const answers = await Promise.all(
    Array.from({ length: 3 }, () => [
      answer('npx', 'stakegraph'),
      answer(join(root, 'node_modules/.bin/stakegraph')),
    ]).flat(),
  );
  expect(new Set(answers)).toEqual(new Set([own]));
});
