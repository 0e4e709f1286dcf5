import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from './redis.ts';

/** Why PgBouncer cannot be tested here; undefined when it can. */
export const noPgBouncer =
  spawnSync('pgbouncer', ['--version']).status === 0
    ? undefined
    : 'there is no pgbouncer (apt-get install pgbouncer)';

/** The URL of a database through a PgBouncer of one's own, which ends with the test. */
export async function pgBouncerForTest(to: string, poolMode: 'session' | 'transaction'): Promise<string> {
  const port = await freePort();
  const url = new URL(to);
  const name = url.pathname.slice(1);
  const folder = mkdtempSync(join(tmpdir(), 'stakegraph-pgbouncer-'));
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
${name} = host=${url.hostname} port=${url.port} user=${url.username} password=${url.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
default_pool_size = 30
`,
    { mode: 0o644 },
  );
  spawnSync('chmod', ['755', folder]);
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child: ChildProcess = spawn('pgbouncer', [...user, file], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(async () => {
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  let said = '';
  child.stderr?.setEncoding('utf8');
  while (!said.includes('process up')) said += (await once(child.stderr as NodeJS.EventEmitter, 'data'))[0];
  child.stderr?.resume();
  return `postgres://${url.username}@127.0.0.1:${port}/${name}`;
}
