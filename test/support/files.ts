/** Files that wait for processes, timeouts or a browser; `npm test` leaves them to `npm run test:all`. */
const slow = [
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
  ].map((name) => `cli/${name}`),
  ...['blocks', 'deposits', 'recorded', 'relays'].map((name) => `indexer/execution/${name}`),
  ...['accounts/rates', 'db/embedded', 'db/migrate', 'distributed/index', 'distributed/paths', 'examples'],
  ...['http/connections', 'indexer/follow', 'indexer/node/faults', 'indexer/store/epochs', 'ingest/mirror'],
  'ingest/mirror-hostile',
].map((name) => `test/${name}.test.ts`);

export const slowFiles = [...slow, 'test/pages/**/*.test.ts'];

/** What the names of files begin with that wait most of their time, or whose deadlines a stalled machine misses. */
const waiting = [
  ...slow,
  ...['test/cli/', 'test/pages/'],
  ...[
    ...['accounts/redis', 'db/pool', 'db/replica-walks', 'graphql/limits', 'graphql/live-ends'],
    ...['gateway/readiness', 'graphql/live-http', 'graphql/live-replicas', 'resources/blocks'],
  ].map((name) => `test/${name}.test.ts`),
];

/** Whether a file, named from the root of the project, is one of these. */
export const waits = (file: string): boolean => waiting.some((name) => file.startsWith(name));
