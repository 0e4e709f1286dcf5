import { beforeEach } from 'vitest';
import { openDatabases } from './gateway.ts';

// Runs before each test file (vitest.config.ts).
if (process.env.ARCHIVED) {
  const { archiveMonths } = await import('./archive-months.ts');
  beforeEach(async () => {
    for (const { pool } of openDatabases) await archiveMonths(pool);
  });
}
