// What it takes to read archived days of validators. See --help.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createToken } from '../../dist/accounts/tokens.js';
import { withDuck } from '../../dist/archive/duckdb.js';
import { migrate } from '../../dist/db/migrate/index.js';
import { createPool } from '../../dist/db/pool.js';
import { dayOf, firstOf, makeMonth, storeValidators } from './made-months.mjs';
import { cpuOf, cpuOfDatabase, databasePid, endAll, memoryOf, startServer } from './processes.mjs';
import { median } from './report.mjs';
import { benchServer } from './server.mjs';

const HELP = `npm run bench:archived -- [--validators 100000] [--months 24] [--reads 20] [--members 1000]
    [--batch 50] [--files FOLDER]

Writes Parquet files of made days of --validators in both calendars in --months from 2025-01 on, enters them in the
catalogue of a database that it makes on the server of DATABASE_URL, or on an embedded one, reads all days of a validator in
one calendar, --reads times, and adds --members of the validators to a private set: in batches of --batch neighbours that are
as far apart as there are, and then as many single ones. Files in --files are kept, and used again by the next run. Of 100,000
validators, a month takes 33 MB and some 8 s of CPU to make. Needs Linux and the package @duckdb/node-api.`;

const { values: flags } = parseArgs({
  options: {
    validators: { type: 'string', default: '100000' },
    months: { type: 'string', default: '24' },
    reads: { type: 'string', default: '20' },
    members: { type: 'string', default: '1000' },
    batch: { type: 'string', default: '50' },
    files: { type: 'string' },
    help: { type: 'boolean' },
  },
});
const [validators, months, reads, members, batch] = ['validators', 'months', 'reads', 'members', 'batch'].map(
  (name) => Number(flags[name]),
);
const isRight =
  validators >= 1_000 &&
  months >= 1 &&
  months <= 36 &&
  members <= validators &&
  batch >= 1 &&
  batch <= members;
if (flags.help || !isRight) {
  console.error(
    flags.help
      ? HELP
      : `1,000 validators, 1 to 36 months and batches of 1 to --members are needed.\n\n${HELP}`,
  );
  process.exit(flags.help ? 0 : 2);
}

const round = (value, digits = 1) => Number(value.toFixed(digits));
if (process.env.DATABASE_URL) process.env.BENCH_DATABASE_URL ??= process.env.DATABASE_URL;
const [data, made] = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'stakegraph-bench-')));
const server = await benchServer(data);
const url = await server.create('archived');
const pool = createPool({ url, readOnly: false, max: 2 });

try {
  await migrate(url);
  await storeValidators(pool, validators);
  await withDuck({ memoryMb: 1_000, threads: 2, spill: data }, async (duck) => {
    for (let n = 0; n < months; n += 1) {
      const { file, rows } = await makeMonth(pool, duck, { folder: flags.files ?? made, validators, n });
      console.error(`${file}: ${rows} rows`);
    }
  });
  const postgres = await databasePid(url);
  const table = {};
  const end = dayOf(firstOf(months));
  const { token } = await createToken(pool, 'bench');
  const env = {
    DATABASE_URL: url,
    PORT: '0',
    CACHE: 'off',
    LOG_LEVEL: 'error',
    STATEMENT_TIMEOUT_MS: '120000',
  };
  const { port, pid } = await startServer('../../dist/main.js', env, ['serve']);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const rest = async (path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      ...{ method: body ? 'POST' : 'GET', headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
    return JSON.parse(text);
  };
  const read = async (index) => {
    const { data, errors } = await rest('/graphql', {
      query: `{ validator(by: { index: ${index} }) {
        rewards(granularity: ALL, toDay: ${end - 1}) { nodes { sumRewards } } } }`,
    });
    if (errors) throw new Error(errors[0].message);
    return data.validator.rewards.nodes.length;
  };
  for (let n = 0; n < 5; n += 1) await read(n); // files and code are then in memory
  const spent = [cpuOf(pid), cpuOfDatabase(postgres)];
  const times = [];
  for (let n = 0; n < reads; n += 1) {
    const began = performance.now();
    await read(Math.floor((n * validators) / reads));
    times.push(performance.now() - began);
  }
  table[`ms until ${months} months of a validator are answered, median`] = round(median(times));
  table[`CPU ms of the gateway, ${months} months of a validator`] = round((cpuOf(pid) - spent[0]) / reads);
  table[`CPU ms of PostgreSQL, ${months} months of a validator`] = round(
    (cpuOfDatabase(postgres) - spent[1]) / reads,
  );

  for (const size of new Set([batch, 1])) {
    const apart = Math.floor((validators * size) / members);
    const indices = Array.from({ length: members }, (_, n) => Math.floor(n / size) * apart + (n % size));
    const before = [cpuOf(pid), cpuOfDatabase(postgres), performance.now()];
    const { id } = await rest('/v1/eth/tags', { name: `in batches of ${size}`, validators: indices });
    while ((await rest(`/v1/eth/tags/${id}`)).progress) await new Promise((done) => setTimeout(done, 200));
    const what = `for a set of ${members} in batches of ${size}`;
    table[`s ${what}`] = round((performance.now() - before[2]) / 1_000);
    table[`CPU s of the gateway ${what}`] = round((cpuOf(pid) - before[0]) / 1_000);
    table[`CPU s of PostgreSQL ${what}`] = round((cpuOfDatabase(postgres) - before[1]) / 1_000);
    table[`MB of the gateway ${what}`] = memoryOf(pid);
  }
  console.log(`${validators} validators, ${months} months\n`);
  console.table(table);
} finally {
  await endAll();
  await pool.end();
  await server.stop();
  for (const one of [data, made]) rmSync(one, { recursive: true, force: true });
}
