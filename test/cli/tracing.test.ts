import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { slashing } from '../ingest/rows.ts';
import { attributesOf, startCollector } from '../support/collector.ts';
import { createDatabase } from '../support/gateway.ts';
import { main, makeDataDir, stakegraph } from '../support/process.ts';
import { slow } from '../support/thorough.ts';
import { blankDatabase } from '../support/transfer.ts';

/** Starts a gateway in its own process and prints the packages of OpenTelemetry that it has loaded. */
const program = `
  import { createRequire } from 'node:module';
  const { readSettings } = await import(process.env.DIST + 'config.js');
  const { serve } = await import(process.env.DIST + 'serve.js');
  const write = process.stdout.write;
  process.stdout.write = () => true;
  await serve(readSettings());
  process.stdout.write = write;
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  const names = loaded.flatMap((path) => /@opentelemetry\\/([^/]+)/.exec(path)?.[1] ?? []);
  console.log(JSON.stringify([...new Set(names)].sort()));
  process.exit();
`;

slow('a gateway loads packages of OpenTelemetry only with an endpoint', { timeout: 120_000 }, async () => {
  const database = await createDatabase('empty');
  onTestFinished(() => database.drop());
  const loadedWith = async (more: Record<string, string>) => {
    const env = {
      PATH: process.env.PATH,
      ...{ DATABASE_URL: database.url, PORT: '0', LOG_LEVEL: 'silent' },
      DIST: `${pathToFileURL(join(main, '..')).href}/`,
      ...more,
    };
    const args = ['--input-type=module', '-e', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    return JSON.parse(stdout) as string[];
  };
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
  expect(await loadedWith({})).toEqual(['api']); // prom-client needs it
  expect(await loadedWith({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toEqual(['api']);
  expect(await loadedWith(endpoint)).toEqual(
    expect.arrayContaining(['exporter-trace-otlp-proto', 'resources', 'sdk-trace']),
  );
});

slow('commands send their spans before they end', { timeout: 120_000 }, async () => {
  const [database, collector] = [await createDatabase('empty'), await startCollector()];
  onTestFinished(async () => {
    collector.close();
    await database.drop();
  });
  const env = { DATABASE_URL: database.url, ...collector.env };
  const input = JSON.stringify(slashing(1));
  expect(await stakegraph(['import', 'slashings', '-'], { env, input })).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(await stakegraph(['refresh', '--only', 'solana'], { env })).toMatchObject({ code: 0, stderr: '' });
  expect(collector.roots('import slashings')).toHaveLength(1);
  expect(collector.roots('refresh')).toHaveLength(1);
});

slow('a backup, a copy and a restore send spans of their tables', { timeout: 240_000 }, async () => {
  const [database, collector] = [await createDatabase('empty'), await startCollector()];
  const folder = makeDataDir();
  onTestFinished(async () => {
    collector.close();
    await database.drop();
    await folder.remove();
  });
  const file = join(folder.path, 'traced.backup');
  const run = async (args: string[], env: Record<string, string>) => {
    const { code, stderr } = await stakegraph(args, { env: { ...env, ...collector.env } });
    expect(code, stderr).toBe(0);
  };
  await run(['backup', file], { DATABASE_URL: database.url });
  await run(['restore', file], { DATABASE_URL: await blankDatabase() });
  await run(['copy-to', '--to-env', 'COPY_URL'], {
    DATABASE_URL: database.url,
    COPY_URL: await blankDatabase(),
  });
  for (const [command, work, statement] of [
    ['backup', 'backup table', 'readTable'],
    ['restore', 'load table', 'writeTable'],
    ['copy-to', 'load table', 'writeTable'],
  ] as const) {
    const [root, ...others] = collector.roots(command);
    expect(others).toEqual([]);
    const tables = collector.spans.filter(({ name, traceId }) => name === work && traceId === root?.traceId);
    const slashings = tables.find((span) => attributesOf(span)['stakegraph.table'] === 'slashings');
    const below = collector.spans.filter(({ parentSpanId }) => parentSpanId === slashings?.spanId);
    expect(below.map(({ name }) => name)).toEqual(expect.arrayContaining([statement, 'checkTable']));
  }
  expect(JSON.stringify(collector.bodies)).not.toMatch(/truncate|copy \\"/);
});
