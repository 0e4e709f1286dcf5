import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readSettings, Settings } from '../../src/config/index.ts';
import { isInRepository, read, sourcesOf } from '../support/repository.ts';

// There is no container engine where the tests run: the files are read and checked against the repository.

describe('the compose file', () => {
  const text = read('compose.yaml');
  const file = parse(text, { merge: true }) as ComposeFile;
  const services = Object.entries(file.services);
  const { gateway, refresh, index, mirror, retain, repack, backup, db } = file.services as Record<
    'gateway' | 'refresh' | 'index' | 'mirror' | 'retain' | 'repack' | 'backup' | 'db',
    Service
  >;
  const password = 'c0ffee';
  const settings = Object.fromEntries(
    Object.entries(gateway.environment).flatMap(([name, value]) =>
      value === null ? [] : [[name, filledIn(value, password)]],
    ),
  );
  const programs = [gateway, refresh, index, mirror, retain, repack, backup];

  it('has the gateway, built from this repository, and its database, and by their profiles the commands that go on', () => {
    const names = ['gateway', 'refresh', 'index', 'mirror', 'retain', 'repack', 'backup', 'db'];
    expect(services.map(([name]) => name)).toEqual(names);
    expect([...programs, db].map(({ profiles }) => profiles)).toEqual([
      undefined,
      ['refresh'],
      ['index'],
      ['mirror'],
      ['retain'],
      ['repack'],
      ['backup'],
      undefined,
    ]);
    expect(refresh.command?.slice(0, 3)).toEqual(['node', 'dist/main.js', 'refresh']);
    expect(index.command?.slice(0, 3)).toEqual(['node', 'dist/main.js', 'index']);
    expect(mirror.command?.slice(0, 3)).toEqual(['node', 'dist/main.js', 'mirror']);
    expect(retain.command?.slice(2)).toEqual(['retain', '--every', '1d', '--json']);
    expect(retain.environment).toHaveProperty('RETAIN', null);
    expect(repack.command?.slice(2)).toEqual(['repack', '--every', '1d', '--json']);
    expect(backup.command?.slice(2, 4)).toEqual(['backup', '/backups']);
    for (const { healthcheck } of programs.slice(1)) expect(healthcheck).toEqual({ disable: true });
    expect(gateway.build).toBe('.');
    expect(db.image).toBe('postgres:18');
  });

  it('gives the gateway only known settings, with values that it takes', () => {
    const unknown = Object.keys(gateway.environment).filter(
      (name) => name !== 'NODE_ENV' && !(name in Settings.shape),
    );
    expect(unknown).toEqual([]);
    expect(() => readSettings(settings)).not.toThrow();
  });

  it('passes every setting on to the gateway that it reads and that does not follow from the containers', () => {
    const fixed = ['DATABASE_URL', 'PORT', 'HOST', 'DATA_DIR', 'SAMPLE_DATA', 'SAMPLE_DATE', 'RETAIN'];
    const passed = Object.entries(gateway.environment).flatMap(([name, value]) =>
      value === null ? [name] : [],
    );
    expect(passed.sort()).toEqual(
      Object.keys(Settings.shape)
        .filter((name) => !fixed.includes(name))
        .sort(),
    );
  });

  it('passes the settings of traces on to all programs, and leaves each the time that the longest shutdown takes', () => {
    const tracing = Object.keys(Settings.shape).filter((name) => name.startsWith('OTEL_'));
    const drain = Settings.shape.DRAIN_DELAY_MS.parse('60000') / 1_000;
    for (const { environment, stop_grace_period } of programs) {
      for (const name of tracing) expect(environment).toHaveProperty(name, null);
      expect(Number(/^(\d+)s$/.exec(stop_grace_period ?? '')?.[1])).toBeGreaterThan(30 + drain);
    }
  });

  it('connects all of them to the database service as its user', () => {
    const urls = programs.map(({ environment }) => environment.DATABASE_URL);
    expect(new Set(urls)).toEqual(new Set([gateway.environment.DATABASE_URL]));
    const url = new URL(settings.DATABASE_URL as string);
    expect(url.hostname).toBe('db');
    expect(url.port).toBe('5432');
    expect(url.username).toBe(db.environment.POSTGRES_USER);
    expect(url.pathname).toBe(`/${db.environment.POSTGRES_DB}`);
    expect(url.password).toBe(password);
  });

  it('refuses to start without a password, and holds none', () => {
    const withPassword = [gateway.environment.DATABASE_URL, db.environment.POSTGRES_PASSWORD] as string[];
    for (const value of withPassword) expect(value).toMatch(/\$\{POSTGRES_PASSWORD:\?[^}]+\}/);
    const variables = [...text.matchAll(/\$\{?(\w+)(:?[-?+])?/g)].map((match) => [match[1], match[2]]);
    expect(variables).toEqual([
      ['POSTGRES_PASSWORD', ':?'],
      ['UPSTREAM_URL', ':-'],
      ['POSTGRES_PASSWORD', ':?'],
    ]);
    expect(db.environment.POSTGRES_PASSWORD).toMatch(/^\$\{[^}]*\}$/);
    expect(db.environment).not.toHaveProperty('POSTGRES_HOST_AUTH_METHOD');
  });

  it('publishes the port of the gateway on loopback alone, and none of the database', () => {
    expect(gateway.ports).toEqual(['127.0.0.1:4000:4000']);
    const ports = services.flatMap(([, service]) => service.ports ?? []);
    expect(ports.filter((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(port))).toEqual([]);
    expect(db.ports).toBeUndefined();
    for (const [, service] of services) expect(service).not.toHaveProperty('network_mode');
  });

  it('starts the gateway when the database is healthy', () => {
    expect(gateway.depends_on).toEqual({ db: { condition: 'service_healthy' } });
    for (const name of services.flatMap(([, service]) => Object.keys(service.depends_on ?? {}))) {
      expect(file.services[name]?.healthcheck?.test).toBeDefined();
    }
  });

  it('asks the database over TCP, where it does not answer before it is set up', () => {
    const { POSTGRES_USER, POSTGRES_DB } = db.environment;
    const command = [
      'pg_isready',
      '--host=127.0.0.1',
      `--username=${POSTGRES_USER}`,
      `--dbname=${POSTGRES_DB}`,
    ];
    expect(db.healthcheck?.test).toEqual(['CMD', ...command]);
  });

  it('keeps the database and its backups in declared volumes, where the images have them', () => {
    const mounts = services.flatMap(([, service]) => service.volumes ?? []).map((mount) => mount.split(':'));
    expect(mounts.map(([volume]) => volume)).toEqual(Object.keys(file.volumes));
    expect(backup.volumes).toEqual(['backups:/backups']);
    expect(db.volumes?.map((mount) => mount.split(':')[1])).toEqual(['/var/lib/postgresql']);
  });

  it.each(['gateway', 'refresh', 'index', 'mirror', 'retain', 'repack', 'backup'] as const)(
    'runs %s without privileges and with nothing to write to but backups',
    (name) => {
      const program = file.services[name] as Service;
      expect(program).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        init: true,
        restart: 'unless-stopped',
      });
      expect(program.security_opt).toEqual(['no-new-privileges:true']);
      for (const loosening of ['privileged', 'cap_add', 'user', 'pid', 'devices']) {
        expect(program).not.toHaveProperty(loosening);
      }
      if (name !== 'backup') expect(program).not.toHaveProperty('volumes');
    },
  );

  it('leaves the start command and the health check of the gateway to the image', () => {
    for (const own of ['command', 'entrypoint', 'healthcheck']) expect(gateway).not.toHaveProperty(own);
  });

  it('documents commands of the compiled program that has a source', () => {
    const sources = sourcesOf(text);
    expect([...new Set(sources)]).toEqual(['src/main.ts']);
    expect(sources.filter((source) => !isInRepository(source))).toEqual([]);
    expect(text).toContain('docker compose exec gateway node dist/main.js token create --name ');
  });
});

type Service = {
  build?: string;
  image?: string;
  environment: Record<string, string | null>;
  profiles?: string[];
  command?: string[];
  stop_grace_period?: string;
  ports?: string[];
  volumes?: string[];
  security_opt?: string[];
  depends_on?: Record<string, unknown>;
  healthcheck?: { test?: string[]; disable?: boolean };
};
type ComposeFile = { services: Record<string, Service>; volumes: Record<string, unknown> };

/** A compose value with the password filled in. */
const filledIn = (value: string, password: string) =>
  value.replace(/\$\{POSTGRES_PASSWORD:\?[^}]*\}/g, password);
