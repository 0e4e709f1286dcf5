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
  // To transform all modules takes a quarter of the time of a run of one file.
  experimental: { fsModuleCache: true },
};
/** Tests that compute: one for each core of the machines that run them. */
const computing = { maxWorkers: 2, sequence: { groupOrder: 0 } };
/** Tests that wait for processes leave the cores free, so that more of them run at once. */
const waiting = { maxWorkers: 5, sequence: { groupOrder: 1 } };
/** Files that replace a module: their workers are not shared. */
const isolated = ['test/graphql/fast-path.test.ts', 'test/fast-rows/fast-rows.test.ts'];

/** Files that wait for processes, timeouts or a browser; `npm test` leaves them to `npm run test:all`. */
const slowFiles = [
  ...[
    ...[
      'accounts',
      'backup',
      'backup-folder',
      'bench-path',
      'copy-to',
      'database-url',
      'detached-months',
      'index',
      'index-gloas',
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
    ...['distributed/index', 'distributed/paths'],
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
/** Files that wait most of their time, or whose deadlines are those of production, which a stalled machine misses. */
const processFiles = [
  ...slowFiles,
  'test/cli/**/*.test.ts',
  ...[
    ...['accounts/redis', 'db/pool', 'db/replica-walks', 'graphql/limits', 'graphql/live-ends'],
    ...['gateway/readiness', 'graphql/live-http', 'graphql/live-replicas', 'resources/blocks'],
  ].map((name) => `test/${name}.test.ts`),
];

export default defineConfig(({ mode }) => ({
  resolve,
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // The last one needs all tests, of which a quick run leaves some out.
    reporters: [
      'default',
      './test/support/closing-line.ts',
      ...(mode === 'all' ? ['./test/support/interface-reporter.ts'] : []),
    ],
    provide: { thorough: mode === 'all' },
    projects: [
      {
        resolve,
        // Files share the modules of their worker: to load them for each file took a sixth of the time.
        test: {
          ...common,
          ...computing,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...isolated, ...processFiles],
          isolate: false,
        },
      },
      { resolve, test: { ...common, ...computing, name: 'isolated', include: isolated } },
      {
        resolve,
        test: {
          ...common,
          ...waiting,
          name: 'processes',
          include: processFiles,
          exclude: mode === 'all' ? [] : slowFiles,
          isolate: false,
          // A test that fails is tried once more; the last lines of the run name it.
          retry: 1,
        },
      },
    ],
  },
}));
