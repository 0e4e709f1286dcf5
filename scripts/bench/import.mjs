// What an import costs, against a plain COPY of the same rows into the same tables with their indexes:
//   npm run bench:import [rows] [validator-days|attestations|…: import-rows.mjs has all]
// (300,000 days of validators: files of 270 MB, a database of 150 MB; of few rows, the start takes most time)
// With DATABASE_URL, whose role must be allowed to create databases, on one's own PostgreSQL, otherwise on an embedded one.
// CSV, NDJSON, a JSON array and a REST body are imported as new rows and again unchanged, each with a COPY in between, and
// NDJSON that is broken in a row at four fifths, of which nothing must stay. Exits with 1 if an import fails or counts wrongly.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { migrate } from '../../dist/db/migrate/index.js';
import { datasets } from './import-rows.mjs';
import { cpuOf } from './processes.mjs';
import { benchServer } from './server.mjs';

if (process.env.DATABASE_URL) process.env.BENCH_DATABASE_URL ??= process.env.DATABASE_URL;
const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const rows = Number(process.argv[2] ?? 300_000);
const resource = process.argv[3] ?? 'validator-days';
const broken = Math.floor(rows * 0.8);
if (!(rows >= 1) || !datasets[resource]) {
  console.error(`Give a number of rows, and one of ${Object.keys(datasets).join(', ')}.`);
  process.exit(2);
}
const { row, tables } = datasets[resource];
const names = Object.keys(tables);

const cell = (value) => (Array.isArray(value) ? `"${JSON.stringify(value).replaceAll('"', '""')}"` : value);
const cells = (one) => Object.values(one).map(cell).join(','); // null is empty
const line = (one, index) => `${index > 0 ? ',' : ''}${JSON.stringify(one)}`;
const formats = {
  CSV: { name: 'rows.csv', header: `${Object.keys(row(0)).join(',')}\n`, line: (one) => `${cells(one)}\n` },
  NDJSON: { name: 'rows.ndjson', line: (one) => `${JSON.stringify(one)}\n` },
  'JSON array': { name: 'rows.json', header: '[', line, end: ']' },
  'REST body': { name: 'body.json', header: '{"page":{"from":0},"data":[', line, end: `],"total":${rows}}` },
};

async function writeRows(path, { header = '', line, end = '' }, rowAt = row) {
  const out = createWriteStream(path);
  out.write(header);
  for (let start = 0; start < rows; start += 5_000) {
    let text = '';
    for (let index = start; index < Math.min(rows, start + 5_000); index += 1)
      text += line(rowAt(index), index);
    if (!out.write(text)) await once(out, 'drain');
  }
  out.end(end);
  await once(out, 'finish');
}

const folder = mkdtempSync(join(tmpdir(), 'stakegraph-bench-'));
const server = await benchServer(folder);
const url = await server.create('import');
await migrate(url);
const client = new pg.Client({ connectionString: url });
await client.connect();

const clear = () => client.query(`truncate ${names.join(', ')} cascade; checkpoint`);
const figures = (seconds, cpu, more) => ({
  'rows/s': Math.round(rows / seconds),
  seconds: Number(seconds.toFixed(1)),
  'CPU s of both': Number((cpu / 1000).toFixed(1)),
  load: Number(loadavg()[0].toFixed(1)),
  ...more,
});

/** Peak memory and CPU of a process and its backends are read off /proc while it runs. */
async function imported(path) {
  const started = performance.now();
  const child = spawn(process.execPath, [main, 'import', resource, path, '--json'], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (data) => (output[name] += data));
  let peak = 0;
  const cpu = {};
  const watched = (async () => {
    while (child.exitCode === null) {
      const { rows: backends } = await client.query(
        `select pid from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      for (const pid of [child.pid, ...backends.map((one) => one.pid)])
        cpu[pid] = cpuOf(pid) ?? cpu[pid] ?? 0;
      try {
        peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? peak);
      } catch {} // ended, or not Linux
      await new Promise((done) => setTimeout(done, 100));
    }
  })();
  const [code] = await once(child, 'close');
  const seconds = (performance.now() - started) / 1000;
  await watched;
  const spent = Object.values(cpu).reduce((sum, one) => sum + one, 0);
  const report = JSON.parse(output.stdout.trim().split('\n').at(-1) || '{}');
  return { code, ...output, report, ...figures(seconds, spent, { 'peak MB': Math.round(peak / 1024) }) };
}

async function copied() {
  const pathOf = (table) => join(folder, `${table}.copy`);
  for (const [table, order] of Object.entries(tables))
    await pipeline(
      client.query(copyTo(`copy (select * from ${table} order by ${order}) to stdout`)),
      createWriteStream(pathOf(table)),
    );
  await clear();
  const { rows: backend } = await client.query('select pg_backend_pid() as pid');
  const spent = () => (cpuOf(process.pid) ?? 0) + (cpuOf(backend[0].pid) ?? 0);
  const [cpu, started] = [spent(), performance.now()];
  for (const table of names)
    await pipeline(
      createReadStream(pathOf(table), { highWaterMark: 262_144 }),
      client.query(copyFrom(`copy ${table} from stdin`)),
    );
  return figures((performance.now() - started) / 1000, spent() - cpu);
}

function expected(what, { report, stderr }, inserted) {
  if (report.loaded && report.inserted === inserted && report.updated === 0) return;
  process.exitCode = 1;
  console.error(`${what}: ${JSON.stringify(report)} ${stderr.split('\n')[0]}`);
}

try {
  const report = {};
  const shown = (what, { seconds, 'rows/s': speed, 'CPU s of both': cpu, load, 'peak MB': memory }, copy) => {
    const ratio = (part, whole) => Number((part / whole).toFixed(2));
    const compared = copy && {
      'of COPY': ratio(speed, copy['rows/s']),
      'CPU of COPY': `${ratio(cpu, copy['CPU s of both'])}×`,
      'peak MB': memory,
    };
    report[what] = { 'rows/s': speed, seconds, 'CPU s of both': cpu, load, ...compared };
  };
  for (const [format, written] of Object.entries(formats)) {
    const path = join(folder, written.name);
    await writeRows(path, written);
    await clear();
    const fresh = await imported(path);
    expected(format, fresh, rows);
    const copy = await copied();
    const again = await imported(path);
    expected(`${format} again`, again, 0);
    shown(`COPY for ${format}`, copy);
    shown(`${format}, ${Math.round(statSync(path).size / 1e6)} MB`, fresh, copy);
    shown(`${format} again, unchanged`, again, copy);
    rmSync(path);
  }
  await clear();
  const bad = join(folder, 'bad.ndjson');
  await writeRows(bad, formats.NDJSON, (index) => ({
    ...row(index),
    ...(index + 1 === broken && Object.fromEntries(Object.keys(row(0)).map((name) => [name, {}]))),
  }));
  const refused = await imported(bad);
  const { rows: left } = await client.query(`select count(*)::int as rows from ${names[0]}`);
  if (refused.code === 0 || left[0].rows > 0) process.exitCode = 1;
  console.table(report);
  console.log(`broken: exit ${refused.code}, ${left[0].rows} rows left; ${refused.stderr.split('\n')[0]}`);
} finally {
  await client.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
