// The functions and files of `src` that one warm GraphQL query runs, from its HTTP request to its answer:
//   npm run bench:path            (with `-- --list` it names them)
// Fails above the numbers in `most`.
// Counts by V8's precise coverage, in one process with the gateway: first with the cache off, where the query runs compiled,
// then with the cache on. Timers run between requests too, so what counts is what ran in each of several.
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { fill } from './data.mjs';
import { benchServer } from './server.mjs';

// V8 does not count functions that its optimizing compilers have inlined.
setFlagsFromString('--no-opt');
setFlagsFromString('--no-maglev');

const REQUESTS = 10;
const most = { functions: 120, files: 36 };
const dist = new URL('../../dist/', import.meta.url);
const query = `{ operators(window: SEVEN_DAYS, idType: POOL, first: 15) { nodes { operatorId network idType
  operatorTags { name path idType } displayName summary(window: SEVEN_DAYS) { window validatorCount avgCorrectness avgInclusionDelay avgUptime
  avgValidatorEffectiveness clientPercentages { client ratio } networkPenetration
  relayerPercentages { relayer ratio } nodeOperatorCount aprPercentage sumEndEpochBalance
  sumEndEpochEffectiveBalance } } } }`;

/** Sends the query, and resolves when the answer has been read. */
const ask = (base, token) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ query });
    request(`${base}/graphql`, { method: 'POST', headers: { ...headers, 'content-length': body.length } })
      .on('response', (response) => {
        if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`));
        response.resume().on('end', resolve);
      })
      .on('error', reject)
      .end(body);
  });

/** Starts the gateway in this process and resolves with its address. */
async function serve(settings) {
  Object.assign(process.env, settings);
  const { readSettings } = await import(new URL('config/index.js', dist));
  const { serve } = await import(new URL('gateway/serve.js', dist));
  const write = process.stdout.write;
  let printed = '';
  process.stdout.write = (text) => {
    printed += text;
    return true;
  };
  await serve(readSettings(process.env)).finally(() => {
    process.stdout.write = write;
  });
  return /http:\/\/\S+/.exec(printed)[0];
}

/** The functions of `dist` that run in each of several requests, by file. */
async function ranInEach(session, send) {
  const common = new Map();
  for (let time = 0; time < REQUESTS; time += 1) {
    await session.post('Profiler.takePreciseCoverage'); // resets the counts
    await send();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    for (const { url, functions } of result) {
      if (!url.startsWith(dist.href)) continue;
      for (const { functionName, ranges } of functions) {
        const [{ startOffset, count }] = ranges;
        if (count === 0) continue;
        const key = `${url.slice(dist.href.length)} ${startOffset} ${functionName || '(anonymous)'}`;
        common.set(key, (common.get(key) ?? 0) + 1);
      }
    }
  }
  const files = new Map();
  for (const [key, times] of common) {
    const [file, , name] = key.split(' ');
    if (times === REQUESTS) files.set(file, [...(files.get(file) ?? []), name]);
  }
  return files;
}

function report(title, files) {
  const functions = [...files.values()].reduce((sum, names) => sum + names.length, 0);
  console.log(`${title}: ${functions} functions in ${files.size} files`);
  if (functions > most.functions || files.size > most.files) process.exitCode = 1;
  if (!process.argv.includes('--list')) return;
  for (const [file, names] of [...files].sort()) {
    console.log(`  ${file.replace(/\.js$/, '.ts')} (${names.length}): ${names.join(', ')}`);
  }
}

async function measure(server) {
  const database = await fill(server, 'path', { operators: 60, authorities: 60, entities: 30, days: 30 });
  const session = new Session();
  session.connect();
  for (const cache of ['off', 'on']) {
    const settings = { DATABASE_URL: database.url, PORT: '0', LOG_LEVEL: 'fatal', CACHE: cache };
    const base = await serve(settings);
    const send = () => ask(base, database.token);
    for (let time = 0; time < 20; time += 1) await send();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    report(cache === 'off' ? 'compiled (CACHE=off)' : 'cached (CACHE=on)', await ranInEach(session, send));
    await session.post('Profiler.stopPreciseCoverage');
  }
}

const folder = mkdtempSync(join(tmpdir(), 'stakegraph-bench-'));
try {
  const server = await benchServer(folder);
  await measure(server).finally(() => server.stop());
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
rmSync(folder, { recursive: true, force: true });
process.exit(); // the gateways have served their time
