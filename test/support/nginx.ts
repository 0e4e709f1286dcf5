import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { eventually } from './eventually.ts';
import { freePort } from './redis.ts';

export const nginx = '/usr/sbin/nginx';

/** Why nothing can be tested behind nginx here; undefined when it can. */
export const noNginx = existsSync(nginx) ? undefined : `there is no ${nginx} (apt-get install nginx)`;

const STALLED_MS = 60_000;

/** nginx without TLS for one test, with these locations in its server, and `common` before it; its URL. */
export async function nginxWith(locations: string, common = ''): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'stakegraph-nginx-'));
  for (const name of ['body', 'proxy']) mkdirSync(join(folder, name));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
http {
  access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/proxy; uwsgi_temp_path ${folder}/proxy; scgi_temp_path ${folder}/proxy;
  ${common}
  server {
    listen 127.0.0.1:${port};
    ${locations}
  }
}`,
  );
  const child = spawn(nginx, ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGTERM')) await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually(
    async () =>
      expect(
        await fetch(url).then(
          () => true,
          () => false,
        ),
        said,
      ).toBe(true),
    STALLED_MS,
  );
  return url;
}
