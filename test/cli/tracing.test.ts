import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  const { readSettings } = await import(process.env.DIST + 'config/index.js');
  const { serve } = await import(process.env.DIST + 'gateway/serve.js');
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

slow(
  'the service is named, the collector gets its key, and each protocol is chosen by the standard variables',
  {
    timeout: 120_000,
  },
  async () => {
    const [database, collector] = [await createDatabase('empty'), await startCollector()];
    onTestFinished(async () => {
      collector.close();
      await database.drop();
    });
    const { OTEL_EXPORTER_OTLP_PROTOCOL: protocol, ...rest } = collector.env;
    const env = {
      ...{ DATABASE_URL: database.url, ...rest },
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=hunter%202',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=of-attributes',
    };
    const run = async (more = {}) => {
      expect(await stakegraph(['refresh', '--only', 'solana'], { env: { ...env, ...more } })).toMatchObject({
        ...{ code: 0, stderr: '' },
      });
    };
    await run();
    await run({ OTEL_SERVICE_NAME: 'of-name' });
    await run({ OTEL_RESOURCE_ATTRIBUTES: '' });
    const { path, remove } = makeDataDir();
    onTestFinished(remove);
    const ofTraces = join(path, 'headers');
    await writeFile(ofTraces, 'api-key=of%20traces\n');
    await run({ OTEL_EXPORTER_OTLP_TRACES_HEADERS_FILE: ofTraces });
    const names = collector.resources.map(
      (resource) => /"service.name","value":\{"stringValue":"([^"]*)"/.exec(JSON.stringify(resource))?.[1],
    );
    expect([...new Set(names)]).toEqual(['of-attributes', 'of-name', 'stakegraph']);
    expect(new Set(collector.keys)).toEqual(new Set(['hunter 2', 'of traces']));
  },
);

slow('a command whose collector fails says so once and ends soon', { timeout: 120_000 }, async () => {
  const database = await createDatabase('empty');
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/silent')) return;
    response.statusCode = 404;
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await database.drop();
  });
  const { port } = server.address() as AddressInfo;
  const run = async (endpoint: string | undefined) => {
    const began = performance.now();
    const env = { DATABASE_URL: database.url, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
    const { code, stderr } = await stakegraph(['refresh', '--only', 'solana'], { env });
    expect(code).toBe(0);
    return { stderr, ms: performance.now() - began };
  };
  const { ms: usual } = await run(undefined);
  for (const [endpoint, told] of [
    ['http://127.0.0.1:1', 'to 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1'],
    [`http://127.0.0.1:${port}/secret`, `to 127.0.0.1:${port}: 404 Not Found`],
    [`http://127.0.0.1:${port}/silent`, `to 127.0.0.1:${port}: Request timed out`],
  ] as const) {
    const { stderr, ms } = await run(endpoint);
    expect(stderr).toBe(`stakegraph: OpenTelemetry: traces could not be sent ${told}\n`);
    expect(ms).toBeLessThan(usual + 6_000);
  }
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
