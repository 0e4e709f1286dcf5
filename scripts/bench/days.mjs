// What a day of validators costs at the size of mainnet: into an empty database, into one that holds days already, again
// unchanged, with some rows corrected, and with repeated rows that --skip-invalid hands back:
//   npm run bench:days [validators] [days stored] [first day]     (1,000,000 × 30: a file of 150 MB, a database of 7 GB)
// Exits with 1 when an import fails or counts wrongly.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { migrate } from '../../dist/db/migrate/index.js';
import { cpuOfDatabase, databasePid } from './processes.mjs';
import { benchServer } from './server.mjs';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const validators = Number(process.argv[2] ?? 1_000_000);
const stored = Number(process.argv[3] ?? 30);
const first = Number(process.argv[4] ?? 1_492); // 2025-01-01: 31 days of one month

/** A validator's day. Its figures depend on index and day only, and `fill` below has the same formulas. */
function row(validatorIndex, day, correction) {
  const missed = (validatorIndex * 31 + day) % 50 === 0 ? 3 : 0;
  return {
    validatorIndex,
    utc: false,
    day,
    startEpoch: day * 225,
    endEpoch: day * 225 + 224,
    totalUniqueAttestations: 225 - missed,
    sumMissedAttestations: missed,
    sumMissedSyncSignatures: null,
    sumSyncSignatureCount: null,
    sumCorrectHead: 225 - missed - ((validatorIndex + day) % 7),
    sumCorrectTarget: 225 - missed,
    sumCorrectSource: 225 - missed,
    sumWrongHeadVotes: (validatorIndex + day) % 7,
    sumWrongTargetVotes: 0,
    sumLateTargetVotes: 0,
    sumLateSourceVotes: 0,
    sumInclusionDelay: 225 - missed + ((validatorIndex * day) % 9),
    proposedCount: (validatorIndex + day) % 13 === 0 ? 1 : 0,
    missedProposalCount: (validatorIndex + day) % 997 === 0 ? 1 : 0,
    endEpochBalance: 32_000_000_000 + validatorIndex * 17 + day + correction,
    endEpochEffectiveBalance: 32_000_000_000,
    sumAttestationRewards: 2_000_000 + (validatorIndex % 1_000),
    sumSyncCommitteeRewards: 0,
    sumProposerRewards: 0,
    sumPriorityFees: 0,
    sumBaselineMev: 0,
  };
}

const fill = `insert into validator_days
  select 'mainnet', i, false, d, '2020-12-01'::date + d, d * 225, d * 225 + 224, null, null,
    225 - m, m, 225 - m - (i + d) % 7, 225 - m, 225 - m, (i + d) % 7, 0, 0, 0, 225 - m + (i::bigint * d) % 9,
    case when (i + d) % 13 = 0 then 1 else 0 end, case when (i + d) % 997 = 0 then 1 else 0 end,
    32000000000 + i * 17 + d, 32000000000, 2000000 + i % 1000, 0, 0, 0, 0
  from generate_series($1::int, $2::int) d, generate_series(0, $3::int - 1) i,
    lateral (select case when (i * 31 + d) % 50 = 0 then 3 else 0 end as m) x`;

/** A gzipped file of NDJSON: a day of all validators, some of them corrected, the first of them twice. */
async function writeDay(path, day, { corrected = 0, repeated = 0 } = {}) {
  function* texts() {
    for (let start = 0; start < validators + repeated; start += 5_000) {
      let text = '';
      for (let at = start; at < Math.min(validators + repeated, start + 5_000); at += 1)
        text += `${JSON.stringify(row(at % validators, day, at < corrected ? 1 : 0))}\n`;
      yield text;
    }
  }
  await pipeline(Readable.from(texts()), createGzip({ level: 1 }), createWriteStream(path));
}

const folder = mkdtempSync(join(tmpdir(), 'stakegraph-bench-'));
const server = await benchServer(folder);
const url = await server.create('days');
const serverPid = await databasePid(url);
await migrate(url);
const client = new pg.Client({ connectionString: url });
await client.connect();
const asked = async (text, values) => (await client.query(text, values)).rows[0];

/** Peak memory and CPU seconds of a process, read off /proc while it runs; undefined elsewhere. */
function processFigures(pid) {
  try {
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    if (!peak) return undefined; // it has ended
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return {
      megabytes: Math.round(Number(peak[1]) / 1024),
      cpu: (Number(fields[11]) + Number(fields[12])) / 100,
    };
  } catch {
    return undefined;
  }
}

const written = () =>
  asked(
    `select pg_current_wal_lsn() as wal, temp_bytes::text as temp from pg_stat_database where datname = current_database()`,
  );

/** Imports a file and prints what that cost. */
async function importDay(path, expected, flags = []) {
  const [before, cpu, started] = [await written(), cpuOfDatabase(serverPid), performance.now()];
  const child = spawn(process.execPath, [main, 'import', 'validator-days', path, '--json', ...flags], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (data) => (output[name] += data));
  let figures;
  const timer = setInterval(() => (figures = processFigures(child.pid) ?? figures), 100);
  await once(child, 'close');
  clearInterval(timer);
  const seconds = (performance.now() - started) / 1000;
  const report = JSON.parse(output.stdout.trim().split('\n').at(-1) || '{}');
  for (const [name, value] of Object.entries(expected)) {
    if (report[name] === value) continue;
    process.exitCode = 1;
    console.error(`${path}: ${name} is ${report[name]}, not ${value}; ${output.stderr.split('\n')[0]}`);
  }
  const databaseCpu = (cpuOfDatabase(serverPid) - cpu) / 1000;
  await new Promise((done) => setTimeout(done, 1_000)); // a backend reports its temporary files when it ends
  const after = await written();
  const { bytes } = await asked('select ($1::pg_lsn - $2::pg_lsn)::text as bytes', [after.wal, before.wal]);
  return {
    seconds: Number(seconds.toFixed(1)),
    'rows/s': Math.round((report.rows ?? 0) / seconds),
    'Node CPU s': figures?.cpu,
    'PostgreSQL CPU s': Number(databaseCpu.toFixed(1)),
    'Node peak MB': figures?.megabytes,
    'WAL MB': Math.round(Number(bytes) / 1e6),
    'temp MB': Math.round((Number(after.temp) - Number(before.temp)) / 1e6),
  };
}

try {
  const [next, corrected, repeated] = ['next', 'corrected', 'repeated'].map((name) =>
    join(folder, `${name}.ndjson.gz`),
  );
  const day = first + stored;
  const wrong = Math.min(1_000, validators);
  await writeDay(next, day);
  await writeDay(corrected, day, { corrected: wrong });
  await writeDay(repeated, day, { repeated: Math.min(80_000, validators) });
  const all = { loaded: true, inserted: validators, updated: 0 };
  const table = { 'into an empty database': await importDay(next, all) };
  await client.query('truncate validator_days, validator_day_dates');
  const filling = performance.now();
  await client.query(
    `select validator_day_parts(array(select '2020-12-01'::date + d from generate_series($1::int, $2::int) d))`,
    [first, day - 1],
  );
  for (let at = first; at < day; at += 1) {
    await client.query(fill, [at, at, validators]);
    await client.query(
      "insert into validator_day_dates values ('mainnet', false, $1::int, '2020-12-01'::date + $1::int)",
      [at],
    );
  }
  await client.query('vacuum analyze validator_days');
  await client.query('checkpoint');
  console.log(`${stored} days filled in ${((performance.now() - filling) / 1000).toFixed(0)} s`);
  table[`into ${stored} days`] = await importDay(next, all);
  table['again, unchanged'] = await importDay(next, { loaded: true, inserted: 0, updated: 0 });
  table[`${wrong} corrected`] = await importDay(corrected, { loaded: true, inserted: 0, updated: wrong });
  table['80,000 repeated'] = await importDay(
    repeated,
    { loaded: true, rejected: Math.min(80_000, validators), updated: wrong },
    ['--skip-invalid', '--rejects', join(folder, 'rejects')],
  );
  console.table(table);
} finally {
  await client.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
