import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Gateway, gatewayForTest } from '../support/gateway.ts';
import { BLOCKS, importBlocks, slotsOf } from '../support/live-rows.ts';
import { project } from '../support/process.ts';
import { freePort } from '../support/redis.ts';
import { subscribe } from '../support/subscribe.ts';
import { slow } from '../support/thorough.ts';

const STALLED_MS = 60_000;
/** Nothing listens here. */
const DEAD_PORT = 9;
const page = readFileSync(join(project, 'docs/deployment.md'), 'utf8');

function documented(language: string, heading = 'Behind a proxy with TLS'): string {
  const [, text] =
    new RegExp(`# ${heading}\\n[\\s\\S]*?\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  if (!text) throw new Error(`docs/deployment.md has no block of ${language} under ${heading}`);
  return text;
}
const ofTokens = (kind: string) => documented(kind, 'One gateway for a token');

/** Replaces each text, which must occur. */
const adapted = (text: string, replaced: Record<string, string>) =>
  Object.entries(replaced).reduce((all, [from, to]) => {
    expect(all).toContain(from);
    return all.replace(from, to);
  }, text);

/** `otherPort` is that of a second gateway; with it, requests of a token go to one of the two. */
type Place = { folder: string; port: number; gatewayPort: string; otherPort: string | undefined };

const proxies = {
  nginx: {
    program: '/usr/sbin/nginx',
    refused: 404,
    config({ folder, port, gatewayPort, otherPort }: Place) {
      for (const name of ['body', 'proxy']) mkdirSync(join(folder, name));
      const server = adapted(documented('nginx'), {
        'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
        'server_name stakegraph.example.org': 'server_name localhost',
        '/etc/ssl/stakegraph.pem': join(folder, 'cert.pem'),
        '/etc/ssl/stakegraph.key': join(folder, 'key.pem'),
        'http://127.0.0.1:4000;': otherPort
          ? 'http://stakegraph; add_header x-served-by $upstream_addr;'
          : `http://127.0.0.1:${gatewayPort};`,
      });
      const upstream =
        otherPort &&
        adapted(ofTokens('nginx'), {
          '10.0.0.1:4000': `127.0.0.1:${otherPort}`,
          '10.0.0.2:4000': `127.0.0.1:${gatewayPort}`,
        });
      return `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
http {
  access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/proxy; uwsgi_temp_path ${folder}/proxy; scgi_temp_path ${folder}/proxy;
  ${upstream ?? ''}
  ${server}
}`;
    },
    args: (file: string) => ['-p', join(file, '..'), '-c', file],
  },
  haproxy: {
    program: '/usr/sbin/haproxy',
    refused: 403,
    config({ folder, port, gatewayPort, otherPort }: Place) {
      const whole = adapted(documented('haproxy'), {
        'bind :443': `bind 127.0.0.1:${port}`,
        '/etc/ssl/stakegraph-with-key.pem': join(folder, 'both.pem'),
        '10.0.0.1:4000': `127.0.0.1:${otherPort ?? DEAD_PORT}`,
        // On a machine that stalls, checks of a second fail.
        '10.0.0.2:4000 check': `127.0.0.1:${gatewayPort} check fall 1000`,
      });
      return otherPort ? `${whole}${ofTokens('haproxy')}  http-response set-header x-served-by %s\n` : whole;
    },
    args: (file: string) => ['-db', '-f', file],
  },
};

type Proxy = {
  url: string;
  ca: string;
  ask(path: string, init?: { headers?: Record<string, string>; body?: object }): Promise<Answer>;
};
type Answer = { status: number | undefined; headers: IncomingHttpHeaders; text: string; json: any };

const portOf = ({ url }: Gateway) => new URL(url).port;

async function proxyBefore(gateway: Gateway, kind: keyof typeof proxies, other?: Gateway): Promise<Proxy> {
  const { program, config, args } = proxies[kind];
  const folder = mkdtempSync(join(tmpdir(), `stakegraph-${kind}-`));
  const options =
    'req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost';
  const made = spawnSync('openssl', options.split(' '), { cwd: folder, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  const ca = readFileSync(join(folder, 'cert.pem'), 'utf8');
  writeFileSync(join(folder, 'both.pem'), ca + readFileSync(join(folder, 'key.pem'), 'utf8'));
  const port = await freePort();
  const file = join(folder, `${kind}.conf`);
  const otherPort = other && portOf(other);
  writeFileSync(file, config({ folder, port, gatewayPort: portOf(gateway), otherPort }));
  const child = spawn(program, args(file), { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGTERM')) await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `https://localhost:${port}`;
  const ask: Proxy['ask'] = async (path, { headers = {}, body } = {}) => {
    const sent = request(url + path, {
      ca,
      servername: 'localhost',
      agent: false,
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${gateway.token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
    }).end(body && JSON.stringify(body));
    const [response] = await once(sent, 'response');
    const text = (await response.toArray()).map(String).join('');
    const isJson = response.headers['content-type']?.includes('json');
    return {
      status: response.statusCode,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  };
  await eventually(async () => expect((await ask('/health')).status, said).toBe(200), STALLED_MS);
  return { url, ca, ask };
}

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.each(Object.keys(proxies) as (keyof typeof proxies)[])('behind the documented %s', (kind) => {
  describe.runIf(existsSync(proxies[kind].program) && hasOpenssl)('with TLS', () => {
    const start = async (template: 'sample' | 'empty' = 'sample') => {
      const gateway = await gatewayForTest({ template, settings: { TRUST_PROXY: ['127.0.0.1'] } });
      return { gateway, proxy: await proxyBefore(gateway, kind) };
    };

    slow('REST and GraphQL answer as without it, and pages and the explorer are served', async () => {
      const { gateway, proxy } = await start();
      const path = '/v0/eth/operators?window=7d&idType=pool&size=3';
      const own = await gateway.get(path);
      expect(await proxy.ask(path)).toMatchObject({ status: 200, text: own.text });
      const query = '{ operators(window: SEVEN_DAYS, first: 3) { nodes { id } } }';
      const { data } = await gateway.graphql(query);
      expect(await proxy.ask('/graphql', { body: { query } })).toMatchObject({ status: 200, json: { data } });
      expect((await proxy.ask(path, { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
      for (const shown of ['/docs', '/graphql'])
        expect((await proxy.ask(shown, { headers: { accept: 'text/html' } })).status).toBe(200);
    });

    slow(
      'links have https and the host that the client asked, whatever it says that was forwarded',
      async () => {
        const { proxy } = await start();
        const path = '/v1/solana/delegators/stakeAuthorities?window=1d&limit=1&offset=1';
        const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'javascript' };
        for (const sent of [{}, headers]) {
          const { status, json } = await proxy.ask(path, {
            headers: { host: 'stakegraph.example.org', ...sent },
          });
          expect(status).toBe(200);
          for (const link of [json.next, json.previous])
            expect(link).toMatch(/^https:\/\/stakegraph\.example\.org\/v1\//);
        }
      },
    );

    slow('/metrics is not public, in whatever way it is written, and the gateway has it', async () => {
      const { gateway, proxy } = await start();
      expect((await gateway.fetch('/metrics')).text).toContain('stakegraph_');
      for (const path of ['/metrics', '/metrics?x=1', '/%6detrics', '/./metrics', '//metrics', '/metrics/']) {
        const { status, text } = await proxy.ask(path);
        expect(text, path).not.toContain('stakegraph_');
        expect([proxies[kind].refused, 400, 404], path).toContain(status);
      }
    });

    slow('requests of a token go to one gateway, if the proxy is told so, and tokens to both', async () => {
      const gateways = [await gatewayForTest(), await gatewayForTest()] as const;
      const proxy = await proxyBefore(gateways[0], kind, gateways[1]);
      const all = new Set<unknown>();
      for (let token = 0; token < 40; token += 1) {
        const headers = { authorization: `Bearer ${token}` };
        const served = new Set<unknown>();
        for (let time = 0; time < 4; time += 1)
          served.add((await proxy.ask('/health', { headers })).headers['x-served-by']);
        expect(served.size).toBe(1);
        for (const name of served) all.add(name);
      }
      expect(all.size).toBe(2);
    });

    slow('each event of a subscription arrives when it happens', async () => {
      const { gateway, proxy } = await start('empty');
      const server = { url: proxy.url, token: gateway.token };
      const events = await subscribe(server, BLOCKS, {}, { ca: proxy.ca });
      expect(events.status).toBe(200);
      expect(slotsOf(await events.next())).toEqual([]);
      for (const slot of [1, 2]) {
        await importBlocks(gateway, [slot]);
        expect(slotsOf(await events.next())).toEqual([slot]);
      }
      expect(events.completed()).toBe(false);
    });
  });
});
