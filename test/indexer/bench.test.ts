import { expect } from 'vitest';
import { project, run } from '../support/process.ts';
import { slow } from '../support/thorough.ts';

slow('bench:index measures an epoch of Fulu with 37 requests, and one of Gloas with 70', async () => {
  const { code, stdout, stderr } = await run(
    process.execPath,
    ['scripts/bench/index.mjs', '--validators', '2000', '--part', 'chain,node'],
    { cwd: project },
  );
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('an epoch of fulu: 37 requests');
  expect(stdout).toContain('an epoch of gloas: 70 requests');
});
