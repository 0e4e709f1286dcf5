import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { preparedForTest } from '../support/prepared.ts';
import { endRunning, run, serve } from '../support/process.ts';
import { freePort, noRedis } from '../support/redis.ts';
import { slow } from '../support/thorough.ts';

afterEach(endRunning);

const STALLED_MS = 60_000;
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.skipIf(noRedis || !hasOpenssl)('Redis over TLS', () => {
  slow('is used with the authority of NODE_EXTRA_CA_CERTS, and not without it', async () => {
    const folder = await preparedForTest();
    const at = (name: string) => join(folder, name);
    const openssl = await run(
      'openssl',
      'req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost'.split(
        ' ',
      ),
      { cwd: folder },
    );
    if (openssl.code !== 0) throw new Error(openssl.stderr);
    const port = String(await freePort());
    const tls = ['--tls-port', port, '--tls-cert-file', at('cert.pem'), '--tls-key-file', at('key.pem')];
    const plain = ['--port', '0', '--bind', '127.0.0.1', '--tls-auth-clients', 'no', '--save', ''];
    const redis = spawn('redis-server', [...tls, ...plain], { cwd: folder });
    onTestFinished(() => void redis.kill('SIGKILL'));
    let said = '';
    redis.stdout.setEncoding('utf8');
    while (!said.includes('Ready to accept connections')) said += (await once(redis.stdout, 'data'))[0];
    redis.stdout.resume();

    const env = { DATA_DIR: folder, SAMPLE_DATA: 'off', REDIS_URL: `rediss://localhost:${port}` };
    const up = async (served: { get(path: string): Promise<Response> }) =>
      /^stakegraph_redis_up (\d)/m.exec(await (await served.get('/metrics')).text())?.[1];
    const trusted = await serve({ env: { ...env, NODE_EXTRA_CA_CERTS: at('cert.pem') } });
    await eventually(async () => expect(await up(trusted)).toBe('1'), STALLED_MS);
    await trusted.stop();
    const doubting = await serve({ env });
    await eventually(() => expect(doubting.stderr()).toContain('self-signed certificate'), STALLED_MS);
    await eventually(async () => expect(await up(doubting)).toBe('0'), STALLED_MS);
    await doubting.stop();
  });
});
