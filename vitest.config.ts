import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { slowFiles } from './test/support/files.ts';
import Sequencer from './test/support/sequencer.ts';

// graphql's own files come as CommonJS and as modules; the packages below take one and the tests the other.
const resolve = {
  alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }],
};
const common = {
  // For what hangs: nothing is measured by them, and machines of CI stall.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  setupFiles: ['test/support/archived.ts'],
  // To transform all modules takes a quarter of the time of a run of one file.
  experimental: { fsModuleCache: true },
  // Two cores are busy only if there are more: each waits for PostgreSQL, for processes or for a time to pass.
  maxWorkers: 4,
};
/** Files that replace a module: their workers are not shared. */
const isolated = ['test/graphql/fast-path.test.ts', 'test/fast-rows/fast-rows.test.ts'];

export default defineConfig(({ mode }) => ({
  resolve,
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    sequence: { sequencer: Sequencer },
    // The last one needs all tests, of which a quick run leaves some out.
    reporters: [
      'default',
      './test/support/closing-line.ts',
      ...(mode === 'all' ? ['./test/support/interface-reporter.ts'] : []),
    ],
    provide: { thorough: mode === 'all' },
    projects: [
      { resolve, test: { ...common, name: 'isolated', include: isolated } },
      {
        resolve,
        // Files share the modules of their worker: to load them for each file took a sixth of the time.
        test: {
          ...common,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...isolated, ...(mode === 'all' ? [] : slowFiles)],
          isolate: false,
          setupFiles: [...common.setupFiles, 'test/support/retry.ts'],
        },
      },
    ],
  },
}));
