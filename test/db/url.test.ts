import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import { readSettings } from '../../src/config/index.ts';

// A database URL means what it means to libpq.

describe('the servers of a database URL', () => {
  it.each([
    ['postgres://db', [['db', 5432]]],
    ['postgresql://me:pw@db:6000/app', [['db', 6000]]],
    ['postgres:///app', [['localhost', 5432]]],
    [
      'postgres://a,b/app',
      [
        ['a', 5432],
        ['b', 5432],
      ],
    ],
    [
      'postgres://me@a:1,b:2,[::1]:3/app',
      [
        ['a', 1],
        ['b', 2],
        ['::1', 3],
      ],
    ],
    [
      'postgres://a,b/app?port=7',
      [
        ['a', 7],
        ['b', 7],
      ],
    ],
    [
      'postgres:///app?host=a,b&port=1,2',
      [
        ['a', 1],
        ['b', 2],
      ],
    ],
    ['postgres:///app?host=/var/run/postgresql', [['/var/run/postgresql', 5432]]],
    ['postgres://me@%2Fvar%2Frun%2Fpostgresql:5433/app', [['/var/run/postgresql', 5433]]],
  ])('%s', (url, servers) => {
    expect(parseDatabaseUrl(url).servers).toEqual(servers.map(([host, port]) => ({ host, port })));
  });

  it('are those that were written, any number of hosts and ports', () => {
    const host = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    const server = fc.record({ host, port: fc.integer({ min: 1, max: 65_535 }) });
    const login = fc.record({ user: fc.string({ minLength: 1 }), password: fc.string({ minLength: 1 }) });
    const database = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(
        fc.array(server, { minLength: 1, maxLength: 4 }),
        login,
        database,
        (servers, { user, password }, name) => {
          const [id, secret, path] = [user, password, name].map(encodeURIComponent);
          const hosts = servers.map((one) => `${one.host}:${one.port}`).join();
          const parsed = parseDatabaseUrl(`postgres://${id}:${secret}@${hosts}/${path}`);
          expect(parsed.servers).toEqual(servers);
          expect(parsed.config).toMatchObject({ user, password, database: name });
        },
      ),
    );
  });

  it('keep a plus sign, as libpq does', () =>
    expect(parseDatabaseUrl('postgres://db/app?user=a&password=a+b').config.password).toBe('a+b'));
});

describe('sslmode', () => {
  const ssl = (query: string) => parseDatabaseUrl(`postgres://db/app${query}`);
  it('disable never uses TLS', () => {
    expect(ssl('?sslmode=disable').tls).toEqual([false]);
  });
  it('prefer, the default, goes on without TLS, and allow turns to it', () => {
    for (const query of ['', '?sslmode=prefer']) expect(ssl(query).tls).toEqual([true, false]);
    expect(ssl('?sslmode=allow').tls).toEqual([false, true]);
  });
  it.each(['allow', 'prefer', 'require'])('%s looks at no certificate', (mode) => {
    expect(ssl(`?sslmode=${mode}`).config.ssl).toEqual({ rejectUnauthorized: false });
  });
  it('verify-full looks at the authority and the name, also of those that the system trusts', () => {
    for (const query of ['?sslmode=verify-full', '?sslmode=verify-full&sslrootcert=system']) {
      expect(ssl(query)).toMatchObject({ tls: [true], config: { ssl: {} } });
      expect(ssl(query).config.ssl).not.toHaveProperty('rejectUnauthorized');
    }
  });
});

describe('a database URL that cannot be used', () => {
  it.each([
    ['mysql://db', 'a postgres:// URL is needed'],
    ['postgres://me:p#w@db/app', 'the URL has a #, which is written as %23 in a user name or password'],
    ['postgres://db:70000/app', 'a port must be a number from 1 to 65535'],
    ['postgres://a b:x:y/app', 'a host is not valid; separate several hosts by commas'],
    [
      'postgres://a,b,c/app?port=1,2',
      'the number of ports differs from the number of hosts; give one port for each host, or one for all',
    ],
    ['postgres://me:50%@db/app', 'a percent sign is not encoded; write it as %25'],
    [
      'postgres://db/app?sslmode=always',
      'sslmode must be one of disable, allow, prefer, require, verify-ca, verify-full',
    ],
    [
      'postgres://db/app?sslmode=verify-ca',
      'sslmode=verify-ca needs sslrootcert, the file of the authority that signed the certificate',
    ],
    ['postgres://db/app?sslmode=require&sslrootcert=system', 'sslrootcert=system needs sslmode=verify-full'],
    [
      'postgres://db/app?sslmode=verify-full&sslrootcert=/none.pem',
      'the file /none.pem cannot be read: ENOENT',
    ],
    ['postgres://db/app?sslmode=require&sslmode=disable', 'the parameter sslmode is given twice'],
    [
      'postgres://db/app?channel_binding=require',
      'channel_binding=require is not supported; use prefer, and sslmode=verify-full to verify the server',
    ],
    ['postgres://db/app?connect_timeout=soon', 'connect_timeout must be a number of seconds from 1 to 9999'],
    [
      'postgres://a,b/app?target_session_attrs=master',
      'target_session_attrs must be one of any, read-write, read-only, primary, standby, prefer-standby',
    ],
  ])('%s is refused', (url, message) => {
    expect(() => parseDatabaseUrl(url)).toThrow(message);
    expect(() => readSettings({ DATABASE_URL: url })).toThrow(`DATABASE_URL: ${message}`);
  });

  it('names a parameter that is not known, since to ignore it could be to ignore a demand for encryption', () => {
    expect(() => parseDatabaseUrl('postgres://db/app?gssencmode=require')).toThrow(
      /^the parameter gssencmode is unknown; accepted parameters are .*sslmode.*$/,
    );
  });

  it('never tells its password', () => {
    for (const url of [
      'postgres://me:hunter2@db:x/app',
      'postgres://me:hunter2@db/app?sslmode=x',
      'http://me:hunter2@db',
      'postgres://me:pass@hunter2@db/app',
      'postgres://me:1/hunter2@db/app',
      'postgres://me:x@one/app,postgres://me:hunter2@two/app',
      'postgres://me:x@one,postgres://me:hunter2@two/app',
      'postgres://one/a,postgres://me:hunter2@two/app',
    ]) {
      for (const name of ['DATABASE_URL', 'DATABASE_READ_URL'])
        expect(() => readSettings({ [name]: url }), url).toThrow(/^(?!.*hunter2)[\s\S]*$/);
    }
  });
});
