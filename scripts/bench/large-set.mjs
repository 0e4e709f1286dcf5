// How long a private set of many validators with years of days takes to make, and to read. See --help.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createToken } from '../../dist/accounts/tokens.js';
import { migrate } from '../../dist/db/migrate/index.js';
import { createPool } from '../../dist/db/pool.js';
import { cpuOfDatabase, databasePid, endAll, startServer } from './processes.mjs';
import { markdown } from './report.mjs';
import { benchServer } from './server.mjs';

const HELP = `npm run bench:large-set -- [--validators 15000] [--dates 730] [--reads 50] [--repack]

Makes a database on the server of DATABASE_URL, which must run on this machine, or on an embedded one, and drops it at the
end. Needs Linux. Stores days of --validators in both calendars on --dates, adds all of them to one private set, 1,000 a
request, the last 1,000 when the set is complete, and reads its report by month. --repack runs "stakegraph repack" first, as a
timer does once a day: months older than 90 days are then in the order of validators. 15,000 validators and 730 dates need 8
GB. Only the days of the set are stored: in a database of more validators, theirs lie between those of others.`;

const { values: flags } = parseArgs({
  options: {
    validators: { type: 'string', default: '15000' },
    dates: { type: 'string', default: '730' },
    reads: { type: 'string', default: '50' },
    repack: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
const [validators, dates, reads] = [flags.validators, flags.dates, flags.reads].map(Number);
if (flags.help || !(validators >= 2_000 && validators <= 15_000) || !(dates >= 31) || !(reads >= 1)) {
  console.error(flags.help ? HELP : `2,000 to 15,000 validators and 31 dates are needed.\n\n${HELP}`);
  process.exit(flags.help ? 0 : 2);
}

const AT_ONCE = 1_000;
const FIRST_DAY = 1_400; // the UTC calendar begins on day 1400, 2024-10-01
if (process.env.DATABASE_URL) process.env.BENCH_DATABASE_URL ??= process.env.DATABASE_URL;
const folder = mkdtempSync(join(tmpdir(), 'stakegraph-bench-'));
const server = await benchServer(folder);
const url = await server.create('large_set');
const pool = createPool({ url, readOnly: false, max: 2 });
const run = async (text, values = []) => (await pool.query({ text, values })).rows;
const tell = (text) => console.error(text);

async function fill() {
  await run(
    `insert into validators (network, validator_index, validator_pubkey, activation_epoch, slashed)
    select 'mainnet', i * 60, '0x' || lpad(to_hex(i), 96, '0'), 0, false from generate_series(0, $1::int - 1) i`,
    [validators],
  );
  await run(
    `select validator_day_parts(array(select distinct date_trunc('month', '2020-12-01'::date + d)::date
      from generate_series($1::int, $1 + $2::int - 1) d))`,
    [FIRST_DAY, dates],
  );
  for (let day = FIRST_DAY; day < FIRST_DAY + dates; day += 1) {
    await run(
      `insert into validator_day_dates select 'mainnet', utc, $1, '2020-12-01'::date + $1::int from unnest('{f,t}'::boolean[]) utc`,
      [day],
    );
    await run(
      `insert into validator_days
      select 'mainnet', i * 60, utc, $1, '2020-12-01'::date + $1::int, $1::int * 225, $1::int * 225 + 224, null, null, 225, 0,
        225 - i % 7, 225, 225, i % 7, 0, 0, 0, 225 + (i + $1::int) % 9, 0, 0, 32000000000, 32000000000, 2000000 + i, 0, 0, 0, 0
      from unnest('{f,t}'::boolean[]) utc, generate_series(0, $2::int - 1) i`,
      [day, validators],
    );
  }
  await run('vacuum analyze');
  if (!flags.repack) return;
  const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
  execFileSync(process.execPath, [program, 'repack'], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: 'inherit',
  });
}

try {
  await migrate(url);
  const began = performance.now();
  await fill();
  tell(`filled in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  const { token } = await createToken(pool, 'bench');
  const env = { DATABASE_URL: url, PORT: '0', CACHE: 'off', LOG_LEVEL: 'error' };
  const { port } = await startServer('../../dist/main.js', env, ['serve']);
  const postgres = await databasePid(url);
  const ask = async (path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
    return JSON.parse(text);
  };
  const indices = (from, to) => Array.from({ length: to - from }, (_, n) => (from + n) * 60);
  const { id } = await ask('/v1/eth/tags', { name: 'large' });
  const table = [];
  async function add(what, from, to) {
    const [begin, cpu] = [performance.now(), cpuOfDatabase(postgres)];
    const took = [];
    for (let at = from; at < to; at += AT_ONCE) {
      const sent = performance.now();
      await ask(`/v1/eth/tags/${id}/validators`, { pubkeys: indices(at, Math.min(to, at + AT_ONCE)) });
      took.push(performance.now() - sent);
    }
    const last = performance.now();
    while ((await ask(`/v1/eth/tags/${id}`)).progress) await new Promise((done) => setTimeout(done, 200));
    const end = performance.now();
    table.push({
      what,
      'longest request, s': (Math.max(...took) / 1_000).toFixed(2),
      'complete after the last, s': ((end - last) / 1_000).toFixed(1),
      'in all, s': ((end - begin) / 1_000).toFixed(1),
      'CPU of PostgreSQL, s': ((cpuOfDatabase(postgres) - cpu) / 1_000).toFixed(1),
    });
    tell(JSON.stringify(table.at(-1)));
  }
  await add(`${validators - AT_ONCE} validators`, 0, validators - AT_ONCE);
  await add('1,000 more', validators - AT_ONCE, validators);
  const report = `/v1/eth/sets/${id}/rewards?granularity=month&limit=100`;
  await ask(report);
  const read = async () => {
    const sent = performance.now();
    await ask(report);
    return performance.now() - sent;
  };
  const alone = [];
  for (let n = 0; n < reads; n += 1) alone.push(await read());
  const together = await Promise.all(Array.from({ length: 20 }, read));
  const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)].toFixed(1);
  const answers = [
    { 'report by month': 'alone, median', ms: median(alone) },
    { 'report by month': '20 at once, slowest', ms: Math.max(...together).toFixed(1) },
  ];
  console.log(`${markdown(table)}\n\n${markdown(answers)}`);
} finally {
  await endAll();
  await pool.end();
  await server.stop();
  rmSync(folder, { recursive: true });
}
