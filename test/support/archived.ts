import { beforeEach } from 'vitest';

// Runs before each test file (vitest.config.ts). Modules are loaded only if they are used, and after those of the file, which
// may replace some of them.
if (process.env.ARCHIVED)
  beforeEach(async () => {
    const { openDatabases } = await import('./gateway.ts');
    const { archiveMonths } = await import('./archive-months.ts');
    for (const { pool } of openDatabases) await archiveMonths(pool);
  });
