/** Files that wait for processes, timeouts or a browser. */
const slowAndWaiting = [
  ...[
    ...[
      'accounts',
      'backup',
      'backup-folder',
      'bench-path',
      'copy-to',
      'database-url',
      'detached-months',
      'full-disk',
      'index',
      'index-gloas',
      'live',
      'log',
      'lost-database',
      'mirror',
      'own-data',
      'package',
      'read-url',
      'readiness',
      'recorded-runs',
      'replicas',
      'serve',
      'shutdown',
    ],
    ...['stopped', 'usage', 'versions', 'wall-clock'],
  ].map((name) => `cli/${name}`),
  ...['blocks', 'deposits', 'recorded', 'relays'].map((name) => `indexer/execution/${name}`),
  ...['accounts/rates', 'db/embedded', 'db/migrate', 'distributed/index', 'distributed/paths', 'examples'],
  ...['http/connections', 'indexer/follow', 'indexer/node/faults', 'indexer/store/epochs', 'ingest/mirror'],
  ...['gateway/readiness', 'ingest/mirror-hostile'],
].map((name) => `test/${name}.test.ts`);

/** Files that compute for seconds. */
const slowAndComputing = [
  ...['gloas-liars', 'oracle/explained', 'recorded-days', 'recorded-gloas'].map((name) => `indexer/${name}`),
  ...['indexer/store/dropped-time', 'indexer/store/mirror', 'ingest/quick-lines'],
  ...[
    'resources/archived-days',
    'resources/consolidation-entities',
    'resources/private-set-progress',
    'resources/private-sets-differential',
    'resources/validator-ranking-archived',
  ],
].map((name) => `test/${name}.test.ts`);

/** `npm test` leaves them to `npm run test:all`. */
export const slowFiles = [...slowAndWaiting, ...slowAndComputing, 'test/pages/**/*.test.ts'];

/** What the names of files begin with that wait most of their time, or whose deadlines a stalled machine misses. */
const waiting = [
  ...slowAndWaiting,
  ...['test/cli/', 'test/pages/'],
  ...[
    ...['accounts/redis', 'db/pool', 'db/replica-walks', 'graphql/limits', 'graphql/live-ends'],
    ...['graphql/live-http', 'graphql/live-replicas', 'resources/blocks'],
  ].map((name) => `test/${name}.test.ts`),
];

/** Whether a file, named from the root of the project, is one of these. */
export const waits = (file: string): boolean => waiting.some((name) => file.startsWith(name));
