import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { developmentToken } from '../../src/accounts/development-token.ts';
import { startEmbedded } from '../../src/db/embedded/index.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase } from '../support/gateway.ts';
import { preparedForTest } from '../support/prepared.ts';
import { dataDirForTest, endRunning, type Served, serve, stakegraph } from '../support/process.ts';
import { slow } from '../support/thorough.ts';

afterEach(endRunning);

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const linkIn = (text: string) => /(http:\S+)#([\w-]{24})/.exec(text)?.slice(1, 3) as [string, string];

/** What a link gives: the status and the token. */
async function follow(served: Served, code: string) {
  const answer = await fetch(`${served.url}/page-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  const { token } = (await answer.json()) as { token?: string };
  return { status: answer.status, token };
}

describe('the links to GraphiQL', () => {
  slow('of the banner and of stakegraph open give the development token, each once', async () => {
    const dataDir = await preparedForTest();
    const env = { DATA_DIR: dataDir, SAMPLE_DATA: 'off' };
    const served = await serve({ env });
    const token = (await readFile(join(dataDir, 'token'), 'utf8')).trim();
    const [, ofBanner] = linkIn(served.banner);
    expect(await follow(served, ofBanner)).toEqual({ status: 200, token });
    expect(await follow(served, ofBanner)).toMatchObject({ status: 400, token: undefined });

    const opened = await stakegraph(['open'], { env });
    expect(opened).toMatchObject({ code: 0, stderr: '' });
    const [url, code] = linkIn(opened.stdout);
    expect(opened.stdout).toBe(`${url}#${code}\n`);
    expect(url).toBe(`${served.url}/graphql`);
    expect(await follow(served, code)).toEqual({ status: 200, token });
    expect(await follow(served, code)).toMatchObject({ status: 400, token: undefined });
  });

  slow('say where no gateway runs that it is to be started first', async () => {
    const dataDir = dataDirForTest();
    const env = { DATA_DIR: dataDir, SAMPLE_DATA: 'off' };
    const none = {
      code: 1,
      stdout: '',
      stderr: `stakegraph: No gateway runs on ${dataDir}: start it first, or set DATA_DIR.\n`,
    };
    expect(await stakegraph(['open'], { env })).toEqual(none);
    const served = await serve({ env });
    await served.stop();
    expect(await stakegraph(['open'], { env })).toEqual(none);
  });

  slow('are refused with DATABASE_URL, where there is no development token', async () => {
    const env = { DATABASE_URL: 'postgres://127.0.0.1:1/none', DATA_DIR: dataDirForTest() };
    const { code, stderr } = await stakegraph(['open'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('make one with "stakegraph token create --name NAME"');
  });
});

describe('the development token', () => {
  slow('is for the user of the gateway alone: DATA_DIR is 0700 and its file 0600', async () => {
    const dataDir = join(dataDirForTest(), 'data');
    const env = { DATA_DIR: dataDir, SAMPLE_DATA: 'off' };
    await serve({ env });
    expect([await modeOf(dataDir), await modeOf(join(dataDir, 'token'))]).toEqual(['700', '600']);
  });

  it('is one, however many look for it at once', async () => {
    const database = await createDatabase('empty');
    onTestFinished(() => database.drop());
    const dataDir = join(dataDirForTest(), 'data');
    const tokens = await Promise.all([1, 2, 3].map(() => developmentToken(dataDir, database.pool)));
    expect(new Set(tokens).size).toBe(1);
    const file = join(dataDir, 'token');
    expect((await readFile(file, 'utf8')).trim()).toBe(tokens[0]);
    await chmod(file, 0o644); // as a copy of the folder may leave it
    expect(await developmentToken(dataDir, database.pool)).toBe(tokens[0]);
    expect(await modeOf(file)).toBe('600');
  });

  slow('is one of two gateways that start at once on one new data folder', async () => {
    const dataDir = await preparedForTest();
    const postgres = await startEmbedded({ dataDir });
    const holder = new pg.Client(postgres.url);
    holder.on('error', () => undefined);
    await holder.connect();
    onTestFinished(async () => {
      endRunning();
      await holder.end();
      await postgres.stop();
    });
    // Until both have found no token and wait, none can be stored.
    await holder.query('begin; lock table tokens in exclusive mode');
    const env = { DATA_DIR: dataDir, SAMPLE_DATA: 'off' };
    const starting = Promise.all([serve({ env }), serve({ env })]);
    await eventually(async () => {
      const waiting = `select count(*)::int as count from pg_locks where not granted`;
      expect((await holder.query(waiting)).rows).toEqual([{ count: 2 }]);
    }, 30_000);
    await holder.query('commit');
    const [one, two] = await starting;
    expect(one.token).toMatch(/^sgt_/);
    expect(two.token).toBe(one.token);
    const { stdout } = await stakegraph(['token', 'list', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'development' }]);
    for (const served of [one, two]) expect((await served.get('/v0/eth/slashings')).status).toBe(200);
  });
});
