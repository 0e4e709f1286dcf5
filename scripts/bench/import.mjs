// What an import of many rows costs, against a plain COPY of the same file into a table of the same columns, in one run:
//   npm run bench:import [rows] [--again]   (5,000,000 rows of attestation days: a file of 650 MB, a database of 3 GB)
// Then the same file broken in a row at four fifths, of which nothing must stay.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { migrate } from '../../dist/db/migrate.js';
import { benchServer } from './server.mjs';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const rows = Number(process.argv[2] ?? 5_000_000);
const twice = process.argv.includes('--again');
const broken = Math.floor(rows * 0.8);
const DAYS = 2_000;

const columns = [
  'id',
  'entityType',
  'validatorCount',
  'totalUniqueAttestations',
  'sumMissedAttestations',
  'sumMissedSyncSignatures',
  'sumCorrectHead',
  'sumCorrectTarget',
  'sumCorrectSource',
  'sumWrongHeadVotes',
  'sumWrongTargetVotes',
  'sumLateTargetVotes',
  'sumLateSourceVotes',
  'avgAttesterEffectiveness',
  'sumInclusionDelay',
  'sumSyncSignatureCount',
  'sumEndEpochBalance',
  'sumEndEpochEffectiveBalance',
  'day',
  'startEpoch',
  'endEpoch',
];

function line(index, fault) {
  const day = index % DAYS;
  const count = 100 + (index % 900);
  const attestations = count * 225;
  const missed = index % 97;
  return [
    `entity ${Math.floor(index / DAYS)}`,
    'nodeOperator',
    fault ? 'many' : count,
    attestations - missed,
    missed,
    '',
    attestations - missed - (index % 31),
    attestations - missed - (index % 13),
    attestations - missed,
    index % 31,
    index % 13,
    index % 7,
    index % 5,
    99 - (index % 1000) / 1e3,
    attestations + (index % 211),
    '',
    count * 32_000_000_000 + index,
    count * 32_000_000_000,
    day,
    day * 225,
    day * 225 + 224,
  ].join(',');
}

async function writeFile(path, faultAt) {
  const out = createWriteStream(path);
  out.write(`${columns.join(',')}\n`);
  for (let start = 0; start < rows; start += 10_000) {
    let text = '';
    for (let index = start; index < Math.min(rows, start + 10_000); index += 1) {
      text += `${line(index, index + 1 === faultAt)}\n`;
    }
    if (!out.write(text)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

/** Runs an import; its peak memory is read off /proc while it runs. */
async function importFile(url, path) {
  const started = performance.now();
  const child = spawn(process.execPath, [main, 'import', 'attestations', path, '--json'], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (data) => (output[name] += data));
  let peak = 0;
  const timer = setInterval(() => {
    try {
      peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? peak);
    } catch {
      // not Linux, or it has ended
    }
  }, 100);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  return {
    code,
    ...output,
    seconds: (performance.now() - started) / 1000,
    megabytes: Math.round(peak / 1024),
  };
}

const folder = mkdtempSync(join(tmpdir(), 'stakegraph-bench-'));
const server = await benchServer(folder);
const url = await server.create('import');
await migrate(url);
const client = new pg.Client({ connectionString: url });
await client.connect();
try {
  const [good, bad] = [join(folder, 'good.csv'), join(folder, 'bad.csv')];
  await writeFile(good);
  await writeFile(bad, broken);
  await client.query(
    `create table plain (${columns.map((name) => `"${name}" ${/id|Type/.test(name) ? 'text' : /avg/.test(name) ? 'float8' : 'bigint'}`).join(', ')})`,
  );
  const started = performance.now();
  await pipeline(
    createReadStream(good),
    client.query(copyFrom('copy plain from stdin with (format csv, header true)')),
  );
  const plain = (performance.now() - started) / 1000;
  await client.query('drop table plain');

  const refused = await importFile(url, bad);
  const left = await client.query('select count(*)::int as rows from attestation_days');
  const loaded = await importFile(url, good);
  const again = twice ? await importFile(url, good) : undefined;
  const kept = await client.query('select count(*)::int as rows from attestation_days');

  const shown = ({ seconds, megabytes = null }) => ({
    seconds: Number(seconds.toFixed(1)),
    'rows/s': Math.round(rows / seconds),
    'peak MB': megabytes,
    ratio: Number((seconds / plain).toFixed(1)),
  });
  const table = {
    'plain COPY': shown({ seconds: plain }),
    import: shown(loaded),
    ...(again ? { 'again, unchanged': shown(again) } : {}),
    [`broken in row ${broken}`]: shown(refused),
  };
  console.table(table);
  console.log(
    `broken: exit ${refused.code}, ${left.rows[0].rows} rows left behind; ${refused.stderr.split('\n')[0]}`,
  );
  console.log(`loaded: exit ${loaded.code}, ${kept.rows[0].rows} rows`);
  if (again) console.log(`again: exit ${again.code}, ${again.stdout.trim()}`);
} finally {
  await client.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
