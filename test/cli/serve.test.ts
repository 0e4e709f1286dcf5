import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { preparedForTest } from '../support/prepared.ts';
import {
  dataDirForTest,
  endRunning,
  main,
  makeDataDir,
  postgresOf,
  type Served,
  serve,
  stakegraph,
} from '../support/process.ts';
import { slow } from '../support/thorough.ts';
import { bodyOf } from '../support/typed.ts';

const nobody = { uid: 65534, gid: 65534 };
const asRoot = process.getuid?.() === 0;
// Whether another user gets to this Node and to this clone at all.
const reachable =
  asRoot &&
  spawnSync(process.execPath, ['-e', 'fs.accessSync(process.argv[1])', main], { ...nobody, cwd: '/' })
    .status === 0;

const slashing = {
  validatorIndex: 77,
  validatorPubkey: `0x${'7'.repeat(96)}`,
  slashingEpoch: 7,
  withdrawableEpoch: 8199,
  balanceBeforeSlashing: 32_000_000_000,
  balanceBeforeWithdrawal: 31_000_000_000,
  slashingPenalties: 1_000_000_000,
};
/** The answer to the call that the banner shows. */
const runExample = async (served: Served) => {
  const [, header, url] = /curl -H "Authorization: ([^"]+)" "([^"]+)"/.exec(served.banner) ?? [];
  return fetch(url as string, { headers: { authorization: header as string } });
};

afterEach(endRunning);

describe('stakegraph serve on a folder without a database', () => {
  let first: Served;
  let example: Response;
  const dataDir = makeDataDir();
  const env = { DATA_DIR: join(dataDir.path, 'made on the way') };
  beforeAll(async () => {
    first = await serve({ env });
    example = await runExample(first);
    await first.stop();
  });
  afterAll(dataDir.remove);

  it('ends its banner with the addresses of the pages and a token', () => {
    expect(first.banner).toMatch(/^stakegraph is serving at http:\/\/127\.0\.0\.1:\d+\n/);
    expect(first.banner).toMatch(/\n {2}Explorer {8}http:\S+\/#[\w-]{24}\n/);
    expect(first.banner).toMatch(/\n {2}GraphiQL {8}(http:\S+)\/graphql#[\w-]{24}\n/);
    expect(first.banner).toContain(`GraphiQL        ${first.url}/graphql#`);
    expect(first.banner).toContain(`REST reference  ${first.url}/docs\n`);
    expect(first.token).toMatch(/^sgt_[\w-]{49}$/);
  });

  it('answers the call that the banner shows', async () => {
    expect(example.status).toBe(200);
    expect(Object.keys((await example.json()) as object)).toEqual(['page', 'total', 'data', 'next']);
  });

  it('says nothing else on standard output, and nothing on standard error from warn on', async () => {
    expect(await first.outcome).toEqual({ code: 0, stdout: first.banner, stderr: '' });
  });

  it('keeps token and data for the next start', async () => {
    const file = join(dataDir.path, 'slashing.json');
    await writeFile(file, JSON.stringify(slashing));
    expect(await stakegraph(['import', 'slashings', file], { env })).toMatchObject({ code: 0 });
    const second = await serve({ env });
    expect(second.token).toBe(first.token);
    const { data } = await bodyOf<{ data: unknown[] }>(second.get('/v0/eth/slashings?size=200'));
    expect(data).toContainEqual(slashing);
    await second.stop();
  });

  slow('makes another token when the kept one was revoked', async () => {
    const { stdout } = await stakegraph(['token', 'list', '--json'], { env });
    for (const { tokenId } of JSON.parse(stdout)) await stakegraph(['token', 'revoke', tokenId], { env });
    const third = await serve({ env });
    expect(third.token).not.toBe(first.token);
    expect((await third.get('/v0/eth/slashings')).status).toBe(200);
    await third.stop();
  });
});

describe('stakegraph serve', () => {
  it.each([
    ['PORT', {}],
    ['PORT', { METRICS_PORT: '0' }],
    ['METRICS_PORT', {}],
  ])(
    'refuses a %s that is taken, with %j, with one line and exit code 1, and leaves no PostgreSQL',
    async (name, others) => {
      const dataDir = await preparedForTest();
      const listener = createServer().listen(0, '127.0.0.1');
      await once(listener, 'listening');
      const { port } = listener.address() as { port: number };
      const env = {
        DATA_DIR: dataDir,
        PORT: '0',
        ...others,
        [name]: String(port),
        SAMPLE_DATA: 'off',
        LOG_LEVEL: 'warn',
      };
      const { code, stdout, stderr } = await stakegraph(['serve'], { env });
      listener.close();
      expect(stderr).toBe(
        `stakegraph: Port ${port} on 127.0.0.1 is taken; set ${name} to another, or 0 for a free one.\n`,
      );
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(await postgresOf(dataDir)).toBeUndefined();
    },
  );

  it('tells every wrong setting in one message and exits with 2', async () => {
    const dataDir = dataDirForTest();
    const env = { DATA_DIR: join(dataDir, 'none'), PORT: '99999', LOG_LEVEL: 'loud', MIGRATE: 'maybe' };
    const { code, stderr } = await stakegraph([], { env });
    expect(stderr).toBe(
      `stakegraph: Invalid settings:
  PORT is "99999"; an integer from 0 to 65535 is needed
  MIGRATE is "maybe"; on or off is needed
  LOG_LEVEL is "loud"; a pino level is needed
`,
    );
    expect(code).toBe(2);
  });

  it('refuses one port for the gateway and its metrics', async () => {
    const { code, stderr } = await stakegraph([], { env: { PORT: '4100', METRICS_PORT: '4100' } });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'stakegraph: METRICS_PORT is 4100, like PORT; set another one.\n',
    });
  });

  it('refuses a HOST that is none before it makes a database', async () => {
    const dataDir = dataDirForTest();
    const { code, stderr } = await stakegraph([], {
      env: { DATA_DIR: dataDir, HOST: '999.1.1.1', PORT: '0' },
    });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'stakegraph: HOST is "999.1.1.1"; an address of this machine is needed.\n',
    });
    expect(await readdir(dataDir)).toEqual([]);
  });

  it.each([['token', 'list'], ['account', 'list'], ['usage', 'default'], ['refresh']])(
    'is to be started before %s %s, which makes no database',
    async (...args) => {
      const dataDir = dataDirForTest();
      const { code, stderr } = await stakegraph(args, { env: { DATA_DIR: dataDir } });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `stakegraph: There is no database in ${dataDir}: start the gateway first, or set DATA_DIR or DATABASE_URL.\n`,
      });
      expect(await readdir(dataDir)).toEqual([]);
    },
  );

  it.skipIf(!reachable)(
    'says that DATA_DIR cannot be written, where there is nothing of anybody in it',
    async () => {
      const dataDir = dataDirForTest();
      await chmod(dataDir, 0o755);
      const wrong = await stakegraph([], { env: { DATA_DIR: dataDir, PORT: '0' }, user: nobody });
      expect(wrong.code).toBe(1);
      expect(wrong.stderr).toMatch(
        /^stakegraph: DATA_DIR \S+ cannot be written by this process, .* uid \d+: choose another\.\n$/,
      );
      const file = join(dataDir, 'file');
      await writeFile(file, '');
      const { code, stderr } = await stakegraph([], { env: { DATA_DIR: join(file, 'data'), PORT: '0' } });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `stakegraph: DATA_DIR ${join(file, 'data')} is not a folder.\n`,
      });
    },
  );

  it('tells all settings that are no URLs at once', async () => {
    const env = { DATABASE_URL: 'postgres://[bad', REDIS_URL: 'redis://[bad' };
    const { code, stderr } = await stakegraph([], { env });
    expect([code, stderr]).toEqual([
      2,
      'stakegraph: Invalid settings:\n  DATABASE_URL: a host is not valid; separate several hosts by commas\n  REDIS_URL: a redis:// or rediss:// URL is needed, with % in a password written as %25\n',
    ]);
  });

  it('keeps the password of a wrong DATABASE_URL to itself', async () => {
    const { code, stderr } = await stakegraph([], { env: { DATABASE_URL: 'mysql://me:hunter2@db/x' } });
    expect(stderr).toBe('stakegraph: Invalid settings:\n  DATABASE_URL: a postgres:// URL is needed\n');
    expect(code).toBe(2);
  });

  it.skipIf(!reachable)('serves as an ordinary user in a folder of that user', async () => {
    const dataDir = dataDirForTest(nobody);
    const served = await serve({ env: { DATA_DIR: dataDir, SAMPLE_DATA: 'off' }, user: nobody });
    expect((await runExample(served)).status).toBe(200);
    expect(await served.stop()).toMatchObject({ code: 0 });
    expect(await postgresOf(dataDir)).toBeUndefined();
  });
});
