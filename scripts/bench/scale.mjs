// What a number of validators costs: disk, import of a day, refresh, pages, repacking and retention, a line each. See --help.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { createToken } from '../../dist/accounts/tokens.js';
import { migrate } from '../../dist/db/migrate/index.js';
import { createPool } from '../../dist/db/pool.js';
import { repack } from '../../dist/maintenance/repack/index.js';
import { retain } from '../../dist/maintenance/retain/index.js';
import { addSetDays } from '../../dist/resources/private-sets/set-days.js';
import { endAll, startServer } from './processes.mjs';
import { FIRST, fill, ndjson, SLOTS } from './scale-rows.mjs';

const HELP = `npm run bench:scale -- [--validators 50000] [--days 35] [--months 0] [--blocks 20000] [--jobs 1] [--json]

Makes a database on the server of DATABASE_URL, whose role must be allowed to create databases, fills it with generated days
of validators, and drops it at the end. Disk: 250 bytes for each validator and day, twice that while it is filled.
The days begin on 2025-01-16, so that 20 or more have a month that repack may rewrite. The last of them and the day
after it are imported, the others are generated.
--months also generates the sums of so many earlier months, which the window "all" reads in place of their days, and
--blocks so many blocks that end with the last day; a year has 2,628,000. --jobs is that of a refresh.
Prints a line for each measurement, and what a year of such days takes at the measured rates; --json prints each as JSON.
Exits with 1 if a step fails.`;

const { values: flags } = parseArgs({
  options: {
    validators: { type: 'string', default: '50000' },
    days: { type: 'string', default: '35' },
    months: { type: 'string', default: '0' },
    blocks: { type: 'string', default: '20000' },
    jobs: { type: 'string', default: '1' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
const validators = Number(flags.validators);
const days = Number(flags.days);
const months = Number(flags.months);
const blocks = Number(flags.blocks);
const asked = process.env.DATABASE_URL;
const usable =
  asked &&
  validators >= 100 &&
  days >= 20 &&
  months >= 0 &&
  months <= 40 &&
  blocks >= 1_000 &&
  blocks <= 10_000_000;
if (flags.help || !usable) {
  console.error(
    flags.help
      ? HELP
      : `DATABASE_URL, 100 or more validators, 20 or more days, at most 40 months, and 1,000 to 10,000,000 blocks are needed.\n\n${HELP}`,
  );
  process.exit(flags.help ? 0 : 2);
}

const LAST = FIRST + days - 1;
const firstBlock = (LAST + 1) * 7_200 - blocks;
/** A loaded machine is slow, and that shall be measured. */
const patience = { STATEMENT_TIMEOUT_MS: '120000', WAIT_TIMEOUT_MS: '60000' };
const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'stakegraph-scale-'));
const name = `stakegraph_scale_${process.pid}`;
const url = Object.assign(new URL(asked), { pathname: `/${name}` }).href;
const round = (value, digits = 1) => Number(value.toFixed(digits));

const measured = {};

function line(what, figures) {
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

const admin = new pg.Client({ connectionString: asked });
await admin.connect();
await admin.query(`create database ${name}`);
const pool = createPool({ url, readOnly: false, max: 2 });
const run = async (text, values = []) => (await pool.query({ text, values })).rows;

async function costs(work) {
  const state = () =>
    run(`select pg_current_wal_lsn() - '0/0' as wal, temp_bytes as temp from pg_stat_database
      where datname = current_database()`);
  const [before] = await state();
  const result = await work();
  await new Promise((done) => setTimeout(done, 1_500)); // a backend reports its temporary files when it ends
  const [after] = await state();
  const megabytes = (field) => Math.round((Number(after[field]) - Number(before[field])) / 1e6);
  return { ...result, 'MB of WAL': megabytes('wal'), 'MB of temporary files': megabytes('temp') };
}

async function generate() {
  const began = performance.now();
  await fill(run, { validators, last: LAST, months, firstBlock, blocks });
  line('generate', { days: days - 1, seconds: round((performance.now() - began) / 1000) });
}

async function importDay(what, day) {
  const path = join(folder, 'day.ndjson.gz');
  await pipeline(Readable.from(ndjson(validators, day)), createGzip({ level: 1 }), createWriteStream(path));
  const found = await costs(async () => {
    const { seconds, MB } = await stakegraph('import', 'validator-days', path);
    return { seconds: round(seconds), 'rows/s': Math.round(validators / seconds), 'MB of memory': MB };
  });
  line(what, found);
}

async function refresh(what, ...args) {
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

async function pages() {
  const { token } = await createToken(pool, 'bench');
  const env = { DATABASE_URL: url, PORT: '0', CACHE: 'off', LOG_LEVEL: 'error', ...patience };
  try {
    const { port } = await startServer('../../dist/main.js', env, ['serve']);
    const base = `http://127.0.0.1:${port}`;
    const slot = FIRST * 7_200 + 5;
    const paths = {
      'page of operators': (n) => `/v0/eth/operators?window=7d&idType=depositAddress&size=100&from=${n * 7}`,
      'page of attestations': (n) =>
        `/v1/eth/entities/Pool%20${n % 60}/attestations?entityType=pool&limit=30`,
      'sync committee of a slot': (n) => `/v0/eth/blocks/${slot + n}/syncCommitteeRewards`,
      'page of blocks': (n) => `/v0/eth/blocks?size=100&from=${firstBlock + n}`,
    };
    for (const [what, path] of Object.entries(paths)) {
      const times = [];
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
        if (n >= 20) times.push(performance.now() - began); // the first ones plan their statements
      }
      times.sort((a, b) => a - b);
      line(what, {
        'ms median': round(times[100]),
        'ms at 95 %': round(times[190]),
        'answered 503': refused,
      });
    }
  } finally {
    await endAll();
  }
}

const repacked = () =>
  new Date(Date.UTC(2020, 11, 1 + LAST - new Date(Date.UTC(2020, 11, 1 + LAST)).getUTCDate()))
    .toISOString()
    .slice(0, 7);

/** The newest month that has ended is rewritten while a client reads days of single validators. */
async function repacking() {
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  let [count, slowest] = [0, 0];
  let reading = true;
  const reads = (async () => {
    for (; reading; count += 1) {
      const began = performance.now();
      await reader.query(
        `select from validator_days where network = 'mainnet' and not utc and validator_index = $1`,
        [(count * 7_919) % validators],
      );
      slowest = Math.max(slowest, performance.now() - began);
    }
  })();
  const found = await costs(async () => {
    const reports = [];
    const options = { months: [repacked()], dryRun: false, now: new Date('2100-01-01') };
    await repack({ pool, url }, options, (one) => reports.push(one));
    return reports[0];
  });
  reading = false;
  await reads.finally(() => reader.end());
  if (found.state !== 'repacked') throw new Error(`${found.month}: ${found.error ?? found.state}`);
  line(`repack of ${found.month}`, {
    seconds: round(found.seconds),
    rows: found.rows,
    MB: round(found.bytes / 1e6),
    'MB of WAL': found['MB of WAL'],
    'ms at most for which readers were locked out': found.lockedMs,
    'ms of the slowest of': round(slowest),
    'reads meanwhile': count,
  });
}

/** Adds 1,000 scattered validators to a private set, and rolls back. Counts pages of the month that is repacked. */
async function members(what) {
  const part = `validator_days_${repacked().replace('-', '_')}`;
  const pages = async () =>
    (
      await run(
        `select (heap_blks_read + heap_blks_hit)::float8 as heap, heap_blks_read::float8 as read,
          (idx_blks_read + idx_blks_hit)::float8 as index from pg_statio_user_tables where relname = $1`,
        [part],
      )
    )[0];
  const indices = Array.from({ length: 1_000 }, (_, n) => Math.floor((n * validators) / 1_000));
  const before = await pages();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  const { rows } = await client.query(
    `insert into private_sets (account_id, network, name, created_by, created_at, updated_at)
    select account_id, 'mainnet', 'bench', 'bench', now(), now() from accounts limit 1 returning set_id::text as id`,
  );
  await client.query(
    `insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
    select $1::uuid, validator_index, validator_pubkey, now(), '-infinity' from validators
    where network = 'mainnet' and validator_index = any($2::int[])`,
    [rows[0].id, indices],
  );
  const began = performance.now();
  await addSetDays(client, { network: 'mainnet', id: rows[0].id }, indices);
  const seconds = (performance.now() - began) / 1000;
  await client.query('rollback');
  await client.end();
  await new Promise((done) => setTimeout(done, 1_500)); // a backend reports its pages when it ends
  const after = await pages();
  const stored = await run(`select count(*)::int as days from validator_day_dates
    where not utc and date >= '${repacked()}-01' and date < '${repacked()}-01'::date + interval '1 month'`);
  line(what, {
    seconds: round(seconds, 2),
    [`pages of ${stored[0].days} days of ${repacked()}`]: after.heap - before.heap,
    'of them not in shared_buffers': after.read - before.read,
    'pages of its indexes': after.index - before.index,
  });
}

async function disk() {
  const size = async (tables, units, unit) => {
    const [{ bytes }] = await run(
      `select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class c
      where c.relkind = 'r' and c.relname similar to $1`,
      [tables],
    );
    return { MB: round(bytes / 1e6), [`bytes a ${unit}`]: Math.round(bytes / units) };
  };
  const counted = async (table) => Number((await run(`select count(*) from ${table}`))[0].count);
  line('disk: days of validators', await size('validator_days_%', validators * days, 'row'));
  line('disk: validators', await size('validators', validators, 'row'));
  line(
    'disk: sums of months',
    await size('validator_month_sums', await counted('validator_month_sums'), 'row'),
  );
  line(
    'disk: attestations by day',
    await size('attestation_days_%', await counted('attestation_days'), 'row'),
  );
  line(
    'disk: operators',
    await size('operator_(summaries|ranks|orders|lists)', await counted('operator_summaries'), 'row'),
  );
  line(
    'disk: history of operators',
    await size('operator_history_2%', await counted('operator_history'), 'row'),
  );
  line('disk: sync committees', await size('sync_committee%', SLOTS, 'slot'));
  line('disk: blocks', await size('blocks|block_operators', blocks, 'slot'));
  const [{ bytes }] = await run('select pg_database_size(current_database())::float8 as bytes');
  line('disk: database', { MB: round(bytes / 1e6) });
}

async function retention() {
  for (const dryRun of [true, false]) {
    const reports = [];
    await retain(
      pool,
      { ages: { 'validator-days': 1, blocks: 1, 'sync-committee-rewards': 1 }, dryRun },
      (one) => reports.push(one),
    );
    const bad = reports.find(({ state }) => state === 'failed' || state === 'refused');
    if (bad) throw new Error(`${bad.part ?? bad.table}: ${bad.error}`);
    for (const { part, table, rows, bytes, seconds, state } of reports)
      line(`retain: ${state} ${part ?? table}`, { seconds, rows: Math.round(rows), MB: round(bytes / 1e6) });
  }
}

/** What a year takes at the measured rates. The history is that of one day, since a refresh publishes the newest. */
function year() {
  const MB = (what) => measured[`disk: ${what}`].MB;
  const gigabytes = {
    'days of validators': (MB('days of validators') * 365) / days,
    'attestations by day': (MB('attestations by day') * 365) / days,
    'history of operators': MB('history of operators') * 365,
    'sums of months': (measured['disk: sums of months']['bytes a row'] * 12 * validators) / 1e6,
    blocks: (MB('blocks') * 365 * 7_200) / blocks,
    'sync committees': (MB('sync committees') * 365 * 7_200) / SLOTS,
  };
  for (const [what, megabytes] of Object.entries(gigabytes))
    line(`a year: ${what}`, { GB: round(megabytes / 1e3) });
}

try {
  await migrate(url);
  await generate();
  await importDay('import of a day', LAST);
  await refresh('first refresh of operators', '--only', 'operators');
  await refresh('first refresh of the rest', '--only', 'slashings,attestations,chain-daily-rewards');
  await disk();
  await importDay('import of the next day', LAST + 1);
  await refresh('refresh of operators of the next day', '--only', 'operators');
  year();
  await refresh('refresh, nothing new');
  await pages();
  await members('1,000 members added');
  await repacking();
  await members('1,000 members added, repacked');
  await retention();
} finally {
  await pool.end();
  await admin.query(`drop database ${name} with (force)`);
  await admin.end();
  rmSync(folder, { recursive: true, force: true });
}
