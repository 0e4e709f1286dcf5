// Writes docs/interface.md: runs the tests of the interface, or those named, and takes up what they ask for.
import { spawnSync } from 'node:child_process';

const named = process.argv.slice(2);
const folders = ['resources', 'http', 'graphql', 'contract', 'accounts'].map((name) => `test/${name}`);
const vitest = (args, env = {}) =>
  spawnSync('npx', ['vitest', 'run', '--mode', 'all', ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  }).status ?? 1;

// The page is compared with what it was while it is being made anew: only the second run decides.
vitest(named.length > 0 ? named : folders, { INTERFACE_TESTS: 'write' });
process.exitCode = vitest(['test/contract/interface.test.ts', '-u']);
