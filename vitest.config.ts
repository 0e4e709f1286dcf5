import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// graphql's own files come as CommonJS and as modules; the packages below take one and the tests the other.
const resolve = {
  alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }],
};
const common = {
  // For what hangs: nothing is measured by them, and machines of CI stall.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  maxWorkers: 2,
};
/** Files that replace a module: their workers are not shared. */
const isolated = ['test/graphql/fast-path.test.ts', 'test/fast-rows/fast-rows.test.ts'];

/** Files that wait for processes, timeouts or a browser; `npm test` leaves them to `npm run test:all`. */
const slowFiles = [
  ...[
    ...[
      'accounts',
      'backup',
      'backup-folder',
      'copy-to',
      'database-url',
      'detached-months',
      'index',
      'lost-database',
      'mirror',
      'package',
      'read-url',
      'readiness',
      'replicas',
      'serve',
      'shutdown',
    ],
    ...['stopped', 'usage', 'versions', 'wall-clock'],
  ].map((name) => `test/cli/${name}.test.ts`),
  ...['blocks', 'deposits', 'recorded', 'relays'].map((name) => `test/indexer/execution/${name}.test.ts`),
  ...[
    'accounts/rates',
    'db/embedded',
    'db/migrate',
    'db/migrations',
    'distributed/paths',
    'examples',
    'http/connections',
    'indexer/follow',
    'indexer/node/faults',
    'indexer/store/epochs',
    'ingest/mirror',
    'ingest/mirror-hostile',
  ].map((name) => `test/${name}.test.ts`),
  'test/pages/**/*.test.ts',
];
/** Files whose deadlines are those of production, which a stalled machine misses. */
const processFiles = [
  ...slowFiles,
  'test/cli/**/*.test.ts',
  ...[
    ...['accounts/redis', 'db/pool', 'db/replica-walks', 'graphql/limits', 'graphql/live-ends'],
    ...['gateway/readiness', 'graphql/live-replicas', 'resources/blocks'],
  ].map((name) => `test/${name}.test.ts`),
];

export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // The last one compares with all tests, of which a quick run leaves some out.
    reporters: [
      'default',
      './test/support/closing-line.ts',
      ...(mode === 'all' ? ['./test/support/interface-reporter.ts'] : []),
    ],
    maxWorkers: 2,
    provide: { thorough: mode === 'all' },
    projects: [
      {
        resolve,
        // Files share the modules of their worker: to load them for each file took a sixth of the time.
        test: {
          ...common,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...isolated, ...(mode === 'all' ? processFiles : slowFiles)],
          isolate: false,
        },
      },
      ...(mode === 'all'
        ? [
            {
              resolve,
              // A test that fails is tried once more; the last lines of the run name it.
              test: { ...common, name: 'processes', include: processFiles, isolate: false, retry: 1 },
            },
          ]
        : []),
      { resolve, test: { ...common, name: 'isolated', include: isolated } },
    ],
  },
}));
