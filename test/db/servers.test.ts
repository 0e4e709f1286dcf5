import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { targetOf } from '../../src/db/servers.ts';
import { withConnection } from '../../src/maintenance/transfer/connect.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { lossyWay } from '../support/proxy.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());

/** The URL of the database with other hosts and parameters. */
function urlOf(hosts: string, query = ''): string {
  const { username, password, pathname } = new URL(database.url);
  return `postgres://${username}:${password}@${hosts}${pathname}${query}`;
}
const hostOf = (url: string) => new URL(url).host;

function poolForTest(url: string): Pool {
  const pool = createPool({ url, readOnly: true });
  onTestFinished(() => pool.end());
  return pool;
}
const askOne = async (pool: Pool) => (await pool.query({ text: 'select 1 as one', values: [] })).rows;

const CLOSED = '127.0.0.1:1';

describe('several hosts', () => {
  it('are tried in their order until one lets in', async () => {
    const url = urlOf(`${CLOSED},${hostOf(database.url)}`);
    await targetOf(url).choose();
    expect(await askOne(poolForTest(url))).toEqual([{ one: 1 }]);
  });

  it('are tried again when the one in use is lost', async () => {
    const [first, second] = [await lossyWay(database.url), await lossyWay(database.url)];
    const url = urlOf(`${hostOf(first.url)},${hostOf(second.url)}`, '?sslmode=disable');
    await targetOf(url).choose();
    const pool = poolForTest(url);
    await askOne(pool);
    expect(second.made()).toBe(0);
    first.close();
    await eventually(async () => expect(await askOne(pool)).toEqual([{ one: 1 }]));
    expect(second.made()).toBeGreaterThan(0);
  });

  it('are told each with its reason, and without the password, where none will do', async () => {
    const url = urlOf(`${CLOSED},127.0.0.1:2`);
    const { password } = new URL(database.url);
    const message = await targetOf(url)
      .choose()
      .then(
        () => '',
        (error) => error.message,
      );
    expect(message).toMatch(/^no server is usable: 127\.0\.0\.1:1: .*; 127\.0\.0\.1:2: /);
    expect(message).not.toContain(password);
  });
});

describe('target_session_attrs', () => {
  it.each(['any', 'read-write', 'primary', 'prefer-standby'])(
    '%s takes a server that may be written',
    async (attrs) => {
      const url = urlOf(hostOf(database.url), `?target_session_attrs=${attrs}`);
      await targetOf(url).choose();
      expect(await askOne(poolForTest(url))).toEqual([{ one: 1 }]);
    },
  );

  it.each(['read-only', 'standby'])('%s refuses one', async (attrs) => {
    const url = urlOf(hostOf(database.url), `?target_session_attrs=${attrs}`);
    await expect(targetOf(url).choose()).rejects.toThrow(`is not ${attrs}`);
  });
});

/** Hands connections on to the database; `accept` says how, and by what socket. */
async function way(accept: (near: Socket) => Promise<Socket | undefined>, path?: string): Promise<Server> {
  const { port, hostname } = new URL(database.url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    sockets.add(near);
    near.on('error', () => undefined);
    void accept(near).then((open) => {
      if (!open) return near.destroy();
      const far = connect(Number(port), hostname);
      far.on('error', () => near.destroy());
      open.on('error', () => far.destroy());
      open.pipe(far).pipe(open);
    });
  });
  if (path) server.listen(path);
  else server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return server;
}
const portOf = (server: Server) => (server.address() as AddressInfo).port;

describe('a Unix socket', () => {
  it.each([
    ['in place of the host', (folder: string) => urlOf(`${encodeURIComponent(folder)}:5999`)],
    ['as the parameter host', (folder: string) => urlOf('', `?host=${folder}&port=5999`)],
  ])('is taken %s', async (_place, url) => {
    const folder = mkdtempSync(join(tmpdir(), 'stakegraph-socket-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await way(async (near) => near, join(folder, '.s.PGSQL.5999'));
    expect(await askOne(poolForTest(url(folder)))).toEqual([{ one: 1 }]);
  });
});

const hasOpenssl = (() => {
  try {
    return execFileSync('openssl', ['version'], { stdio: 'pipe' }).length > 0;
  } catch {
    return false;
  }
})();

describe.skipIf(!hasOpenssl)('TLS', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'stakegraph-tls-'));
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test authority');
    openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      'other.key',
      '-out',
      'other.pem',
      '-subj',
      '/CN=Other authority',
    );
    openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=db.example');
    execFileSync('sh', ['-c', 'echo subjectAltName=DNS:localhost > names'], { cwd: folder });
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
    openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...signed);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A proxy that accepts only TLS, and closes other connections. */
  async function tlsOnly(): Promise<{ port: number; encrypted(): number }> {
    const secure = {
      key: readFileSync(join(folder, 'server.key')),
      cert: readFileSync(join(folder, 'server.pem')),
    };
    let count = 0;
    const server = await way(async (near) => {
      const [first] = (await once(near, 'data')) as [Buffer];
      if (first.length !== 8 || first.readInt32BE(4) !== 80_877_103) return undefined; // SSLRequest
      near.write('S');
      count += 1;
      return new TLSSocket(near, { isServer: true, ...secure });
    });
    return { port: portOf(server), encrypted: () => count };
  }

  const ask = async (url: string) => {
    await targetOf(url).choose();
    return askOne(poolForTest(url));
  };

  it.each(['', '?sslmode=allow', '?sslmode=prefer', '?sslmode=require'])(
    'is used without a check of the certificate with the parameters "%s"',
    async (query) => {
      const server = await tlsOnly();
      expect(await ask(urlOf(`127.0.0.1:${server.port}`, query))).toEqual([{ one: 1 }]);
      expect(server.encrypted()).toBeGreaterThan(0);
    },
  );

  it('sslmode=verify-ca looks at the authority alone, and so does require with sslrootcert', async () => {
    const { port } = await tlsOnly();
    for (const mode of ['verify-ca', 'require']) {
      const url = (file: string) =>
        urlOf(`127.0.0.1:${port}`, `?sslmode=${mode}&sslrootcert=${join(folder, file)}`);
      expect(await ask(url('ca.pem'))).toEqual([{ one: 1 }]);
      await expect(ask(url('other.pem'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    }
  });

  it('says to name the authority where the certificate is not trusted', async () => {
    const { port } = await tlsOnly();
    for (const query of ['', `&sslrootcert=${join(folder, 'other.pem')}`])
      await expect(
        withConnection(
          urlOf(`localhost:${port}`, `?sslmode=verify-full${query}`),
          true,
          async () => undefined,
        ),
      ).rejects.toThrow(
        /^The certificate of the database is not signed by a trusted authority \(.+\): name the file of its authority with sslrootcert=FILE in the URL\.$/,
      );
  });

  it('sslmode=verify-full looks at the name too', async () => {
    const { port } = await tlsOnly();
    const query = `?sslmode=verify-full&sslrootcert=${join(folder, 'ca.pem')}`;
    expect(await ask(urlOf(`localhost:${port}`, query))).toEqual([{ one: 1 }]);
    await expect(ask(urlOf(`127.0.0.1:${port}`, query))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('is not needed by sslmode=prefer, the default, where the server has none, but by require', async () => {
    const plain = hostOf(database.url);
    for (const query of ['', '?sslmode=prefer']) expect(await ask(urlOf(plain, query))).toEqual([{ one: 1 }]);
    await expect(ask(urlOf(plain, '?sslmode=require'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
