// What a number of validators costs: disk, imports, refreshes, each request, repacking and retention. See --help.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { createToken } from '../../../dist/accounts/tokens.js';
import { migrate } from '../../../dist/db/migrate/index.js';
import { createPool } from '../../../dist/db/pool.js';
import { cpuOfDatabase, databasePid, endAll, startServer } from '../processes.mjs';
import { imports } from './imports.mjs';
import { measureRequests } from './requests.mjs';
import {
  FIRST,
  fillBlocks,
  fillCommittees,
  fillConsolidations,
  fillDay,
  fillMonth,
  fillValidators,
  fromDay,
  ndjson,
} from './rows.mjs';
import { openSteps } from './steps.mjs';
import { storage } from './storage.mjs';

const HELP = `npm run bench:scale -- [--validators 50000] [--days 35] [--months 0] [--blocks 20000] [--large 0.3] [--jobs 1]
  [--times 3] [--only TEXT] [--json] [--keep] [--anew]

Makes the database stakegraph_scale on the server of DATABASE_URL, which must run on this machine under Linux and whose
role must be allowed to create databases, and fills it with generated days of validators. It needs 250 bytes of disk for
each validator and day, and twice that while it is filled.

The days begin on 2025-01-16, so that 20 or more have a month that repack may rewrite. The last of them and the day after
it are imported, the others are generated. --months also generates the sums of so many earlier months, which the window
"all" reads in place of their days, and --blocks so many blocks that end with the last day; a year has 2,628,000. A pool
has the share --large of the validators, nearly all of which were consolidated into its others. --jobs is that of a refresh.

Prints a line for each measurement, with the CPU and the WAL of PostgreSQL, and what a year of such days takes. Then each
path and each field of the schema is requested with each of its filters and orders, at its first and last page, and the ten
that cost most are printed: CPU of PostgreSQL, the mean of --times. --only takes those whose text contains TEXT. --json
prints each line as JSON.

The database is dropped at the end, or kept with --keep. If a run is stopped, or fails, the same command goes on with the
first step that is not done; --anew begins again. Exits with 1 if a step fails, and if a request takes more than 200 ms.`;

const MOST_MS = 200;
const WORST = 10;

const { values: flags } = parseArgs({
  options: {
    validators: { type: 'string', default: '50000' },
    days: { type: 'string', default: '35' },
    months: { type: 'string', default: '0' },
    blocks: { type: 'string', default: '20000' },
    large: { type: 'string', default: '0.3' },
    jobs: { type: 'string', default: '1' },
    times: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean' },
    keep: { type: 'boolean' },
    anew: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
const asked = Object.fromEntries(
  ['validators', 'days', 'months', 'blocks', 'large', 'jobs'].map((name) => [name, Number(flags[name])]),
);
const { validators, days, months, blocks } = asked;
const large = Math.round(validators * asked.large);
const times = Number(flags.times);
const server = process.env.DATABASE_URL;
const usable =
  server &&
  validators >= 1_000 &&
  days >= 20 &&
  months >= 0 &&
  months <= 40 &&
  blocks >= 1_000 &&
  blocks <= 10_000_000 &&
  asked.large >= 0.1 &&
  asked.large <= 0.8 &&
  asked.jobs >= 1 &&
  times >= 1;
if (flags.help || !usable) {
  console.error(
    flags.help
      ? HELP
      : `DATABASE_URL, 1,000 or more validators, 20 or more days, at most 40 months, 1,000 to 10,000,000 blocks, a share from 0.1 to 0.8 for --large, and a job and a time or more are needed.\n\n${HELP}`,
  );
  process.exit(flags.help ? 0 : 2);
}

const LAST = FIRST + days - 1;
const firstBlock = (LAST + 1) * 7_200 - blocks;
/** A loaded machine is slow, and that shall be measured. */
const patience = { STATEMENT_TIMEOUT_MS: '120000', WAIT_TIMEOUT_MS: '60000' };
const main = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'stakegraph-scale-'));
const name = 'stakegraph_scale';
const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
const round = (value, digits = 1) => Number(value.toFixed(digits));

const measured = {};

function show(what, figures) {
  measured[what.trim()] = figures;
  if (flags.json) return console.log(JSON.stringify({ validators, days, what, ...figures }));
  const shown = Object.entries(figures).map(([unit, value]) => `${value.toLocaleString('en')} ${unit}`);
  console.log(`${what.padEnd(36)} ${shown.join(', ')}`);
}

/** Runs a command of stakegraph and gives its lines of JSON, its time and its largest memory. */
async function stakegraph(...args) {
  const began = performance.now();
  const child = spawn(process.execPath, [main, ...args, '--json'], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) child[stream].on('data', (data) => (said[stream] += data));
  let memory = 0;
  const timer = setInterval(() => {
    try {
      memory = Number(
        /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? memory,
      );
    } catch {} // ended, or not Linux
  }, 100);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  if (code !== 0) throw new Error(`stakegraph ${args.join(' ')}: ${said.stderr.slice(0, 500)}`);
  const reports = said.stdout
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one));
  return { reports, seconds: (performance.now() - began) / 1000, MB: round(memory / 1024, 0) };
}

const admin = new pg.Client({ connectionString: server });
await admin.connect();
if (flags.anew) await admin.query(`drop database if exists ${name} with (force)`);
const { rowCount: isKept } = await admin.query('select from pg_database where datname = $1', [name]);
if (!isKept) await admin.query(`create database ${name}`);
const pool = createPool({ url, readOnly: false, max: 2 });
const run = async (text, values = []) => (await pool.query({ text, values })).rows;
let postgres;

async function costs(work) {
  const state = () =>
    run(`select pg_current_wal_lsn() - '0/0' as wal, temp_bytes as temp from pg_stat_database
      where datname = current_database()`);
  const [[before], spent] = [await state(), cpuOfDatabase(postgres)];
  const result = await work();
  await new Promise((done) => setTimeout(done, 1_500)); // a backend reports its temporary files when it ends
  const [[after], cpu] = [await state(), cpuOfDatabase(postgres)];
  const megabytes = (field) => Math.round((Number(after[field]) - Number(before[field])) / 1e6);
  return {
    ...result,
    's of CPU of PostgreSQL': round((cpu - spent) / 1000, 2),
    'MB of WAL': megabytes('wal'),
    'MB of temporary files': megabytes('temp'),
  };
}

async function importDay(line, what, day) {
  const path = join(folder, 'day.ndjson.gz');
  await pipeline(Readable.from(ndjson(validators, day)), createGzip({ level: 1 }), createWriteStream(path));
  const found = await costs(async () => {
    const { seconds, MB } = await stakegraph('import', 'validator-days', path);
    return { seconds: round(seconds), 'rows/s': Math.round(validators / seconds), 'MB of memory': MB };
  });
  line(what, found);
}

async function refresh(line, what, ...args) {
  let reports;
  const found = await costs(async () => {
    const done = await stakegraph('refresh', '--networks', 'mainnet', '--jobs', flags.jobs, ...args);
    reports = done.reports;
    return { seconds: round(done.seconds) };
  });
  line(what, found);
  for (const { part, window, calendar, seconds, rows } of reports)
    if (seconds >= 0.1)
      line(`  ${[part, window, calendar].filter(Boolean).join(' ')}`, { seconds, rows: rows ?? 0 });
}

/** Gives `work` the address and a token of a gateway that serves the database. */
async function serving(work) {
  const { token } = await createToken(pool, 'bench');
  const env = { DATABASE_URL: url, PORT: '0', CACHE: 'off', LOG_LEVEL: 'error', ...patience };
  try {
    const { port } = await startServer('../../dist/main.js', env, ['serve']);
    await work({ base: `http://127.0.0.1:${port}`, token });
  } finally {
    await endAll();
  }
}

async function pages(line, { base, token }) {
  const slot = FIRST * 7_200 + 5;
  const paths = {
    'page of operators': (n) => `/v0/eth/operators?window=7d&idType=depositAddress&size=100&from=${n * 7}`,
    'page of attestations': (n) => `/v1/eth/entities/Pool%20${n % 60}/attestations?entityType=pool&limit=30`,
    'sync committee of a slot': (n) => `/v0/eth/blocks/${slot + n}/syncCommitteeRewards`,
    'page of blocks': (n) => `/v0/eth/blocks?size=100&from=${firstBlock + n}`,
  };
  for (const [what, path] of Object.entries(paths)) {
    const taken = [];
    let refused = 0;
    for (let n = 0; n < 220; n += 1) {
      const began = performance.now();
      const response = await fetch(base + path(n), { headers: { Authorization: `Bearer ${token}` } });
      const text = await response.text();
      if (response.status === 503 && refused < 30) {
        refused += 1;
        n -= 1;
        await new Promise((done) => setTimeout(done, 1_000));
        continue;
      }
      if (response.status !== 200) throw new Error(`${path(n)}: ${response.status} ${text.slice(0, 200)}`);
      if (n >= 20) taken.push(performance.now() - began); // the first ones plan their statements
    }
    taken.sort((a, b) => a - b);
    line(what, {
      'ms median': round(taken[100]),
      'ms at 95 %': round(taken[190]),
      'answered 503': refused,
    });
  }
}

const dateOf = (day) => new Date(Date.UTC(2020, 11, 1 + day)).toISOString().slice(0, 10);

async function requests(line, { base, token }) {
  const found = [];
  const began = performance.now();
  const values = { pool: 'Large', fromDay: fromDay(large), slot: firstBlock + 5, date: dateOf(FIRST + 10) };
  const note = (one) => {
    found.push(one);
    if (found.length % 200 === 0) say(`${found.length} requests`);
  };
  const counts = await measureRequests({ run, base, token, values, times, only: flags.only, note });
  found.sort((a, b) => b.cpu - a.cpu);
  line('requests', {
    answered: counts.answered,
    refused: counts.refused,
    [`of more than ${MOST_MS} ms`]: found.filter(({ cpu }) => cpu > MOST_MS).length,
    'ms of CPU, median': round(found[found.length >> 1]?.cpu ?? 0),
    seconds: round((performance.now() - began) / 1000, 0),
  });
  for (const { request, cpu, units } of found.slice(0, WORST))
    line(`  ${request}`, { 'ms of CPU': round(cpu), units });
}

async function importFew(line) {
  for (const [what, [resource, rows]] of Object.entries(imports(large))) {
    const path = join(folder, 'few.ndjson');
    writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    line(
      `import of ${what}`,
      await costs(async () => ({ seconds: round((await stakegraph('import', resource, path)).seconds) })),
    );
  }
}

const { disk, year, members, repacking, retention } = storage({
  ...{ pool, run, url, costs, measured },
  ...{ validators, days, blocks, last: LAST },
});
const say = (text) => process.stderr.write(`${text} (load ${loadavg()[0].toFixed(1)})\n`);
const millions = validators / 1e6;
/** In seconds, as they were on two idle cores and PostgreSQL 18. */
const expected = {
  validators: 70 * millions,
  consolidations: 400 * millions * asked.large,
  ...Object.fromEntries(Array.from({ length: days - 1 }, (_, n) => [`day ${FIRST + n}`, 14 * millions])),
  ...Object.fromEntries(Array.from({ length: months }, (_, n) => [`month ${n + 1}`, 10 * millions])),
  blocks: blocks / 30_000 + 2,
  vacuum: 60 * millions,
  'import of a day': 40 * millions,
  'first refreshes': 500 * millions,
  disk: 10 * millions,
  'next day': 200 * millions,
  'nothing new': 10,
  pages: 10,
  requests: 60 + 240 * millions,
  'few rows': 20 * millions + 10,
  repack: 150 * millions,
  retain: 5 + blocks / 200_000,
};

let isDone = false;
try {
  await migrate(url);
  postgres = await databasePid(url);
  const { make, measure } = await openSteps(pool, { asked, seconds: expected, show, say });
  const size = { validators, large, firstBlock, blocks };
  await make('validators', (using) => fillValidators(using, size));
  await make('consolidations', (using) => fillConsolidations(using, size));
  for (let day = FIRST; day < LAST; day += 1) await make(`day ${day}`, (using) => fillDay(using, size, day));
  for (let n = 1; n <= months; n += 1) await make(`month ${n}`, (using) => fillMonth(using, size, n));
  await make('blocks', async (using) => {
    await fillBlocks(using, size);
    await fillCommittees(using);
  });
  await measure('vacuum', () => run('vacuum analyze'));
  await measure('import of a day', (line) => importDay(line, 'import of a day', LAST));
  await measure('first refreshes', async (line) => {
    await refresh(line, 'first refresh of operators', '--only', 'operators');
    const rest = 'slashings,attestations,chain-daily-rewards';
    await refresh(line, 'first refresh of the rest', '--only', rest);
  });
  await measure('disk', disk);
  await measure('next day', async (line) => {
    await importDay(line, 'import of the next day', LAST + 1);
    await refresh(line, 'refresh of operators of the next day', '--only', 'operators');
    await refresh(line, 'refresh of the rest of the next day');
    year(line);
  });
  await measure('nothing new', (line) => refresh(line, 'refresh, nothing new'));
  await measure('pages', (line) => serving((gateway) => pages(line, gateway)));
  await measure('requests', (line) => serving((gateway) => requests(line, gateway)));
  await measure('few rows', importFew);
  await measure('repack', async (line) => {
    await members(line, '1,000 members added');
    await repacking(line);
    await members(line, '1,000 members added, repacked');
  });
  await measure('retain', retention);
  isDone = true;
  if (measured.requests[`of more than ${MOST_MS} ms`] > 0) process.exitCode = 1;
} catch (error) {
  const text = error.refused
    ? error.message
    : `${error.stack}\nThe database ${name} is kept: the same command goes on.`;
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
} finally {
  await pool.end();
  if (isDone && !flags.keep) await admin.query(`drop database ${name} with (force)`);
  await admin.end();
  rmSync(folder, { recursive: true, force: true });
}
