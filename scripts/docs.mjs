// Writes test/contract/interface-tests.json from the tests of the interface, or from the named ones, and docs/interface.md from its rules.
import { spawnSync } from 'node:child_process';

const named = process.argv.slice(2);
const folders = ['resources', 'http', 'graphql', 'contract', 'accounts'].map((name) => `test/${name}`);
const vitest = (args, env = {}) =>
  spawnSync('npx', ['vitest', 'run', '--mode', 'all', ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  }).status ?? 1;

// The first run still compares with the old table and page: only the second run decides.
vitest(named.length > 0 ? named : folders, { INTERFACE_TESTS: 'write' });
process.exitCode = vitest(['test/contract/interface.test.ts', '-u']);
