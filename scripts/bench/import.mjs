// What an import of a day of validators costs, against a plain COPY of the same rows into the same table with its indexes:
//   npm run bench:import [rows]     (300,000 rows: files of 270 MB, a database of 150 MB; of few rows, the start takes most time)
// With DATABASE_URL, whose role must be allowed to create databases, on one's own PostgreSQL, otherwise on an embedded one.
// CSV and NDJSON are imported as new rows and again unchanged, each after a COPY, and a CSV that is broken in a row at four
// fifths, of which nothing must stay. Exits with 1 if an import fails, counts wrongly or is slower than a third of its COPY.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { migrate } from '../../dist/db/migrate.js';
import { cpuOf } from './processes.mjs';
import { benchServer } from './server.mjs';

process.env.BENCH_DATABASE_URL ??= process.env.DATABASE_URL;
if (!process.env.BENCH_DATABASE_URL) delete process.env.BENCH_DATABASE_URL;
const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const rows = Number(process.argv[2] ?? 300_000);
const broken = Math.floor(rows * 0.8);
const DAY = 1_500;
const DATE = '2025-01-09';

function row(validatorIndex) {
  const missed = (validatorIndex * 31 + DAY) % 50 === 0 ? 3 : 0;
  const all = 225 - missed;
  const wrong = (validatorIndex + DAY) % 7;
  return {
    ...{ validatorIndex, utc: false, day: DAY, startEpoch: DAY * 225, endEpoch: DAY * 225 + 224 },
    ...{ totalUniqueAttestations: all, sumMissedAttestations: missed, sumMissedSyncSignatures: null },
    ...{ sumSyncSignatureCount: null, sumCorrectHead: all - wrong, sumCorrectTarget: all },
    ...{ sumCorrectSource: all, sumWrongHeadVotes: wrong, sumWrongTargetVotes: 0, sumLateTargetVotes: 0 },
    ...{ sumLateSourceVotes: 0, sumInclusionDelay: all + ((validatorIndex * DAY) % 9) },
    ...{ proposedCount: validatorIndex % 200 === 0 ? 1 : 0, missedProposalCount: 0 },
    ...{ endEpochBalance: 32_000_000_000 + validatorIndex * 17, endEpochEffectiveBalance: 32_000_000_000 },
    ...{ sumAttestationRewards: 2_000_000 + (validatorIndex % 1_000), sumSyncCommitteeRewards: 0 },
    ...{ sumProposerRewards: 0, sumPriorityFees: 0, sumBaselineMev: 0 },
  };
}
const cells = (one) => Object.values(one).join(','); // null is empty

async function writeRows(path, header, line) {
  const out = createWriteStream(path);
  out.write(header);
  for (let start = 0; start < rows; start += 5_000) {
    let text = '';
    for (let index = start; index < Math.min(rows, start + 5_000); index += 1) text += `${line(index)}\n`;
    if (!out.write(text)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

const folder = mkdtempSync(join(tmpdir(), 'stakegraph-bench-'));
const server = await benchServer(folder);
const url = await server.create('import');
await migrate(url);
const client = new pg.Client({ connectionString: url });
await client.connect();

const clear = () => client.query('truncate validator_days, validator_day_dates; checkpoint');
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
  const child = spawn(process.execPath, [main, 'import', 'validator-days', path, '--json'], {
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

async function copied(path, header) {
  await clear();
  await client.query('select validator_day_parts($1::date[])', [[DATE]]);
  const { rows: backend } = await client.query('select pg_backend_pid() as pid');
  const spent = () => (cpuOf(process.pid) ?? 0) + (cpuOf(backend[0].pid) ?? 0);
  const [cpu, started] = [spent(), performance.now()];
  await pipeline(
    createReadStream(path, { highWaterMark: 262_144 }),
    client.query(copyFrom(`copy validator_days (${header}) from stdin with (format csv, header true)`)),
  );
  const done = figures((performance.now() - started) / 1000, spent() - cpu);
  await clear();
  return done;
}

function expected(what, { report, stderr }, inserted) {
  if (report.loaded && report.inserted === inserted && report.updated === 0) return;
  process.exitCode = 1;
  console.error(`${what}: ${JSON.stringify(report)} ${stderr.split('\n')[0]}`);
}

try {
  const names = Object.keys(row(0)).join(',');
  const snake = `network,date,${names.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
  const [plain, csv, ndjson, bad] = ['plain.csv', 'days.csv', 'days.ndjson', 'bad.csv'].map((name) =>
    join(folder, name),
  );
  await writeRows(plain, `${snake}\n`, (index) => `mainnet,${DATE},${cells(row(index))}`);
  await writeRows(csv, `${names}\n`, (index) => cells(row(index)));
  await writeRows(ndjson, '', (index) => JSON.stringify(row(index)));
  await writeRows(bad, `${names}\n`, (index) =>
    cells({ ...row(index), ...(index + 1 === broken && { day: 'some' }) }),
  );

  const table = {};
  const verdicts = [];
  const shown = (what, { seconds, 'rows/s': speed, 'CPU s of both': cpu, load, 'peak MB': memory }, copy) => {
    const ratio = (part, whole) => Number((part / whole).toFixed(2));
    const compared = copy && {
      'of COPY': ratio(speed, copy['rows/s']),
      'CPU of COPY': `${ratio(cpu, copy['CPU s of both'])}×`,
      'peak MB': memory,
    };
    table[what] = { 'rows/s': speed, seconds, 'CPU s of both': cpu, load, ...compared };
    if (!copy) return;
    const isFast = speed * 3 >= copy['rows/s'];
    verdicts.push(`${what}: ${isFast ? 'reaches' : 'BELOW'} a third of COPY`);
    if (!isFast) process.exitCode = 1;
  };
  for (const [format, path] of [
    ['CSV', csv],
    ['NDJSON', ndjson],
  ]) {
    const copy = await copied(plain, snake);
    shown(`COPY before ${format}`, copy);
    const fresh = await imported(path);
    expected(format, fresh, rows);
    shown(format, fresh, copy);
    const again = await imported(path);
    expected(`${format} again`, again, 0);
    shown(`${format} again, unchanged`, again, copy);
  }
  await clear();
  const refused = await imported(bad);
  const { rows: left } = await client.query('select count(*)::int as rows from validator_days');
  if (refused.code === 0 || left[0].rows > 0) process.exitCode = 1;
  console.table(table);
  console.log(verdicts.join('\n'));
  console.log(`broken: exit ${refused.code}, ${left[0].rows} rows left; ${refused.stderr.split('\n')[0]}`);
} finally {
  await client.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
