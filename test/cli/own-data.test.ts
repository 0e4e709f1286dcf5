import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { operator, slashing } from '../ingest/rows.ts';
import { pageV0, reply, serviceForTest } from '../support/mirror.ts';
import {
  dataDirForTest,
  endRunning,
  postgresOf,
  type Served,
  serve,
  stakegraph,
} from '../support/process.ts';
import { slow } from '../support/thorough.ts';

afterEach(endRunning);

/** A data folder that is not there yet, and a file of slashings. */
async function fresh() {
  const folder = dataDirForTest();
  const dataDir = join(folder, 'data');
  const file = join(folder, 'slashings.json');
  await writeFile(file, JSON.stringify([slashing(1), slashing(2)]));
  return { dataDir, file, folder, env: { DATA_DIR: dataDir } };
}
const told = (dataDir: string) => `The database is the embedded one in ${dataDir}.\n`;
const total = async (served: Served, path: string) =>
  ((await (await served.get(path)).json()) as { total: number }).total;
const pools = '/v0/eth/operators?window=7d&idType=pool';

describe('a command that loads rows, without DATABASE_URL', () => {
  it.each([
    ['import', (file: string) => ['import', 'slashings', file]],
    ['mirror', () => ['mirror', '--from', 'http://127.0.0.1:1', '--token-env', 'UPSTREAM_TOKEN']],
  ])('%s makes no database unless --create says so', async (_name, args) => {
    const { dataDir, file, folder, env } = await fresh();
    const outcome = await stakegraph(args(file), { env: { ...env, UPSTREAM_TOKEN: 'a-token' } });
    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: `stakegraph: There is no database in ${dataDir}: start the gateway first, make one with --create, or set DATA_DIR or DATABASE_URL.\n`,
    });
    expect(await readdir(folder)).toEqual(['slashings.json']);
  });

  slow('names the embedded database and its folder', async () => {
    const { dataDir, file, env } = await fresh();
    const loaded = { code: 0, stderr: told(dataDir) };
    expect(await stakegraph(['import', 'slashings', file, '--create'], { env })).toMatchObject(loaded);
    expect(await stakegraph(['import', 'slashings', file, '--json'], { env })).toMatchObject(loaded);
    expect(await stakegraph(['import', 'slashings', file, '--create'], { env })).toMatchObject(loaded);
  });

  it('refuses --create with DATABASE_URL, which it would have no meaning for', async () => {
    const { file, env } = await fresh();
    const args = ['import', 'slashings', file, '--create'];
    const { code, stderr } = await stakegraph(args, {
      env: { ...env, DATABASE_URL: 'postgres://127.0.0.1:1/none' },
    });
    expect([code, stderr]).toEqual([
      2,
      'stakegraph: --create makes an embedded database, and DATABASE_URL is set: leave one out.\n',
    ]);
  });
});

describe('rows that were loaded before the first start', () => {
  it('of an import stay alone: the sample data is not loaded beside them', async () => {
    const { file, env } = await fresh();
    expect(await stakegraph(['import', 'slashings', file, '--create'], { env })).toMatchObject({ code: 0 });
    for (const _start of ['first', 'second']) {
      const served = await serve({ env });
      expect(await total(served, '/v0/eth/slashings')).toBe(2);
      expect(await total(served, pools)).toBe(0);
      expect(await served.stop()).toMatchObject({ code: 0, stderr: '' });
    }
  });

  slow('of a mirror stay alone too', async () => {
    const { env } = await fresh();
    const { url } = await serviceForTest((request, response) =>
      reply(response, pageV0([operator('A')], request)),
    );
    const only = ['--resources', 'operators', '--classes', 'pool', '--windows', '7d'];
    const args = ['mirror', '--from', url, '--token-env', 'UPSTREAM_TOKEN', ...only, '--create'];
    const outcome = await stakegraph(args, { env: { ...env, UPSTREAM_TOKEN: 'a-token' } });
    expect(outcome).toMatchObject({ code: 0 });
    const served = await serve({ env });
    expect([await total(served, pools), await total(served, '/v0/eth/slashings')]).toEqual([1, 0]);
  });

  slow('stay alone where the first import loaded nothing', async () => {
    const { env, folder, file } = await fresh();
    const bad = join(folder, 'bad.json');
    await writeFile(bad, '[{}]');
    expect(await stakegraph(['import', 'slashings', bad, '--create'], { env })).toMatchObject({ code: 1 });
    const served = await serve({ env });
    expect(await total(served, pools)).toBe(0);
    expect(await stakegraph(['import', 'slashings', file], { env })).toMatchObject({ code: 0 });
    expect(await total(served, '/v0/eth/slashings')).toBe(2);
  });

  slow('leave the sample to a start after a dry run, which changes nothing', async () => {
    const { env, file, dataDir } = await fresh();
    const args = ['import', 'slashings', file, '--create', '--dry-run'];
    expect(await stakegraph(args, { env })).toMatchObject({ code: 0, stderr: told(dataDir) });
    expect(await postgresOf(dataDir)).toBeUndefined();
    const served = await serve({ env });
    expect(await total(served, pools)).toBeGreaterThan(0);
  });
});
