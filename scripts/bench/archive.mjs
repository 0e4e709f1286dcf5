// What it takes to archive months of days of validators. See --help.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { migrate } from '../../dist/db/migrate/index.js';
import { createPool } from '../../dist/db/pool.js';
import { cpuOf, cpuOfDatabase, databasePid, memoryOf } from './processes.mjs';
import { benchServer } from './server.mjs';

const HELP = `npm run bench:archive -- [--validators 100000] [--months 1]

Stores made days of --validators in both calendars in --months from 2025-01 on and a later day, in a database that it makes on
the server of DATABASE_URL, or on an embedded one, and archives the months by the command line. 100,000 validators take
1.4 GB a month. Needs Linux and the package @duckdb/node-api.`;

const { values: flags } = parseArgs({
  options: {
    validators: { type: 'string', default: '100000' },
    months: { type: 'string', default: '1' },
    help: { type: 'boolean' },
  },
});
const [validators, months] = [flags.validators, flags.months].map(Number);
if (flags.help || !(validators >= 1_000) || !(months >= 1 && months <= 36)) {
  console.error(flags.help ? HELP : `1,000 validators and 1 to 36 months are needed.\n\n${HELP}`);
  process.exit(flags.help ? 0 : 2);
}

const round = (value, digits = 1) => Number(value.toFixed(digits));
const tell = (text) => console.error(text);
if (process.env.DATABASE_URL) process.env.BENCH_DATABASE_URL ??= process.env.DATABASE_URL;
const data = mkdtempSync(join(tmpdir(), 'stakegraph-bench-'));
const folder = mkdtempSync(join(tmpdir(), 'stakegraph-bench-'));
const server = await benchServer(data);
const url = await server.create('archive');
const pool = createPool({ url, readOnly: false, max: 2 });
const run = async (text, values = []) => (await pool.query({ text, values })).rows;
const dayOf = (year, month) => Math.round((Date.UTC(year, month, 1) - Date.UTC(2020, 11, 1)) / 86_400_000);
const [first, end] = [dayOf(2025, 0), dayOf(2025, months)];
/** Only what is 90 days older than the newest day is archived. */
const last = dayOf(2025, months + 4);
const days = [...Array.from({ length: end - first }, (_, n) => first + n), last];

async function fill() {
  await run(
    `insert into validators (network, validator_index, validator_pubkey, activation_epoch, slashed)
    select 'mainnet', i, '0x' || lpad(to_hex(i), 96, '0'), 0, false from generate_series(0, $1::int - 1) i`,
    [validators],
  );
  await run(
    `select validator_day_parts(array(select distinct date_trunc('month', '2020-12-01'::date + d)::date
      from unnest($1::int[]) d))`,
    [days],
  );
  for (const day of days)
    for (const utc of [false, true]) {
      await run(
        `insert into validator_day_dates (network, utc, day, date, attestations_due, rewards_due)
        values ('mainnet', $2, $1, '2020-12-01'::date + $1::int, false, false)`,
        [day, utc],
      );
      await run(
        `insert into validator_days
        select 'mainnet', v, $3::boolean, $1, '2020-12-01'::date + $1::int, $1::int * 225, $1::int * 225 + 224, null, null,
          225 - m, m, greatest(0, 222 - m - h % 5), greatest(0, 224 - m - h % 2), 225 - m, least(3 + h % 5, 225 - m), 0, 0, 0,
          225 - m + h % 6, b, case when h % 400000 = 9 then 1 else 0 end, 32000000000 + v * 17 + $1::int * 2100000::bigint,
          32000000000, 2100000 + h % 61000 - v % 997, 0, b * 45000000, b * (9000000 + h % 80000000), b * (h % 90000000),
          225 * 32000000000, null, null
        from (
          select v, h, case when h % 40 = 0 then h % 7 when h % 3000 = 1 then 225 else 0 end as m,
            case when h % 4400 = 7 then 1 else 0 end as b
          from (
            select v, (hashint8(v * 8000 + $1::int * 2 + $3::boolean::int) & 2147483647)::bigint as h
            from generate_series(0::bigint, $2::int - 1) v
          ) a
        ) b`,
        [day, validators, utc],
      );
    }
  await run(
    `insert into validator_months (network, month, due)
    select distinct 'mainnet', date_trunc('month', date)::date, false from validator_day_dates`,
  );
  await run('vacuum analyze');
}

/** CPU seconds of the command and of PostgreSQL, and the most memory of the command. */
async function archive(postgres) {
  const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
  const spent = cpuOfDatabase(postgres);
  const args = ['retain', '--validator-days', '90d', '--archive', folder, '--json'];
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env.PATH, DATABASE_URL: url, NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS ?? '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let [most, own, told] = [0, 0, ''];
  child.stdout.on('data', (text) => (told += text));
  const watch = setInterval(() => {
    most = Math.max(most, memoryOf(child.pid) ?? 0);
    own = cpuOf(child.pid) ?? own;
  }, 50);
  const [code] = await once(child, 'close');
  clearInterval(watch);
  if (code !== 0) throw new Error(`retain ended with ${code}: ${told}`);
  return { own: own / 1_000, database: (cpuOfDatabase(postgres) - spent) / 1_000, most };
}

try {
  await migrate(url);
  await fill();
  tell(`${validators} validators and ${months} months stored`);
  const postgres = await databasePid(url);
  const { own, database, most } = await archive(postgres);
  const archived = await run(
    'select rows::float8 as rows, bytes::float8 as bytes, sums_bytes::float8 as sums, sums_file from archived_months',
  );
  const rows = archived.reduce((sum, month) => sum + month.rows, 0);
  const sizeOf = (name) => archived.reduce((sum, month) => sum + (month[name] ?? 0), 0);
  const table = {
    'bytes a row': round(sizeOf('bytes') / rows, 2),
    'bytes a row, with sums': round((sizeOf('bytes') + sizeOf('sums')) / rows, 2),
    'CPU s of the command': round(own),
    'CPU s of PostgreSQL': round(database),
    'CPU s of both, of a month of a million validators': round((own + database) * (62_000_000 / rows)),
    'MB of the command, at most': most,
  };
  tell(JSON.stringify(table));

  const size = statSync(join(folder, archived[0].sums_file ?? '.')).size;
  console.log(
    `${validators} validators, ${months} months, ${rows} rows; a file of sums has ${round(size / 1e6)} MB\n`,
  );
  console.table(table);
} finally {
  await pool.end();
  await server.stop();
  for (const made of [folder, data]) rmSync(made, { recursive: true, force: true });
}
