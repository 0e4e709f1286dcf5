import { beforeEach } from 'vitest';

// Runs before each test file (vitest.config.ts). Modules are loaded only if they are used: a file may replace some of them.
if (process.env.ARCHIVED) {
  const { openDatabases } = await import('./gateway.ts');
  const { archiveMonths } = await import('./archive-months.ts');
  beforeEach(async () => {
    for (const { pool } of openDatabases) await archiveMonths(pool);
  });
}
