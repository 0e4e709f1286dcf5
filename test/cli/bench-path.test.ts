import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/bench/path.mjs', import.meta.url));

const run = (settings: Record<string, string> = {}) =>
  new Promise<{ code: unknown; output: string }>((done) => {
    execFile(process.execPath, [script], { env: { ...process.env, ...settings } }, (error, stdout, stderr) =>
      done({ code: error ? error.code : 0, output: stdout + stderr }),
    );
  });

describe('bench:path', () => {
  it('fails when a gateway cannot start, and says why', async () => {
    const { code, output } = await run({ CACHE_MB: 'x' });
    expect(output).toContain('CACHE_MB is "x"');
    expect(code).toBe(1);
  });

  it('finds a warm query to run no more functions, in no more files, than its limit', async () => {
    const { code, output } = await run();
    expect(output).toMatch(
      /compiled .*: \d+ functions in \d+ files\n.*cached .*: \d+ functions in \d+ files\n/,
    );
    expect(code, output).toBe(0);
  });
});
