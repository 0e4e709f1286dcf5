// How long a ranking of all validators over archived months takes. See --help.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createToken } from '../../dist/accounts/tokens.js';
import { withDuck } from '../../dist/archive/duckdb.js';
import { migrate } from '../../dist/db/migrate/index.js';
import { createPool } from '../../dist/db/pool.js';
import { dayOf, figureColumns, figures, firstOf, makeMonth, storeValidators } from './made-months.mjs';
import { cpuOf, cpuOfDatabase, databasePid, endAll, memoryOf, startServer } from './processes.mjs';
import { benchServer } from './server.mjs';

const HELP = `npm run bench:ranking -- [--validators 1000000] [--months 3] [--days 31] [--stored 0] [--files FOLDER]

Writes Parquet files of made days of --validators in both calendars in --months from 2025-01 on, enters them in the
catalogue of a database that it makes on the server of DATABASE_URL, or on an embedded one, stores --stored more days in the
database, and ranks the validators over the months. With fewer --days in a month, files are made in less time, and those of
sums have as many rows. Files in --files are kept, and used again by the next run. Three months of a million validators take 1.6 GB in TMPDIR, and each
day in the database 0.4 GB. Needs Linux and the package @duckdb/node-api.`;

const { values: flags } = parseArgs({
  options: {
    validators: { type: 'string', default: '1000000' },
    months: { type: 'string', default: '3' },
    days: { type: 'string', default: '31' },
    stored: { type: 'string', default: '0' },
    files: { type: 'string' },
    help: { type: 'boolean' },
  },
});
const [validators, months, most, stored] = [flags.validators, flags.months, flags.days, flags.stored].map(
  Number,
);
if (
  flags.help ||
  !(validators >= 1_000) ||
  !(months >= 1 && months <= 12) ||
  !(stored >= 0 && stored <= 31)
) {
  console.error(flags.help ? HELP : `1,000 validators and 1 to 12 months are needed.\n\n${HELP}`);
  process.exit(flags.help ? 0 : 2);
}

const round = (value, digits = 1) => Number(value.toFixed(digits));
const tell = (text) => console.error(text);
const folder = mkdtempSync(join(tmpdir(), 'stakegraph-bench-'));
if (process.env.DATABASE_URL) process.env.BENCH_DATABASE_URL ??= process.env.DATABASE_URL;
const data = mkdtempSync(join(tmpdir(), 'stakegraph-bench-'));
const server = await benchServer(data);
const url = await server.create('ranking');
const pool = createPool({ url, readOnly: false, max: 2 });
const run = async (text, values = []) => (await pool.query({ text, values })).rows;

async function storeDays() {
  const first = dayOf(firstOf(months));
  if (stored === 0) return;
  await run('select validator_day_parts(array[$1::date])', [firstOf(months)]);
  for (let d = first; d < first + stored; d += 1) {
    const { missed, reward, block } = figures;
    await run(
      `insert into validator_days
      select 'mainnet', v, false, d, '2020-12-01'::date + d, d * 225, d * 225 + 224, ${figureColumns('m', 'reward', 'block')},
        225 * 32000000000, null, null
      from (
        select *, ${missed} as m, ${reward} as reward, ${block} as block from (
          select v, $1::int as d, (hashint8(v * 400 + $1) & 2147483647)::bigint as h from generate_series(0::bigint, $2::int - 1) v
        ) a
      ) b`,
      [d, validators],
    );
    await run(
      `insert into validator_day_dates (network, utc, day, date) values ('mainnet', false, $1, '2020-12-01'::date + $1::int)`,
      [d],
    );
  }
  await run('vacuum analyze validator_days');
}

try {
  await migrate(url);
  const postgres = await databasePid(url);
  await storeValidators(pool, validators);
  tell(`${validators} validators stored`);
  await withDuck({ memoryMb: 1_000, threads: 2, spill: folder }, async (duck) => {
    for (let n = 0; n < months; n += 1) {
      const made = await makeMonth(pool, duck, { folder: flags.files ?? folder, validators, n, most });
      const { file, rows, bytes, sumsBytes, sumsSeconds, sumsCpu } = made;
      tell(`${file}: ${round(bytes / 1e6)} MB, ${round(bytes / rows)} bytes a row; sums ${round(sumsBytes / 1e6)} MB,
        in ${round(sumsSeconds)} s, ${round(sumsCpu)} s of CPU`);
    }
  });
  await storeDays();
  const { token } = await createToken(pool, 'bench');
  const env = {
    DATABASE_URL: url,
    PORT: '0',
    CACHE: 'off',
    LOG_LEVEL: 'error',
    STATEMENT_TIMEOUT_MS: '120000',
  };
  const { port, pid } = await startServer('../../dist/main.js', env, ['serve']);
  const base = `http://127.0.0.1:${port}`;
  const to = dayOf(firstOf(months)) - 1;
  let after = '';

  async function ask(
    args,
    select = 'nodes { rank validatorIndex avgValidatorEffectiveness sumRewards sumMissedAttestations }',
  ) {
    const spent = [cpuOf(pid), cpuOfDatabase(postgres)];
    const began = performance.now();
    let [slowest, isDone] = [0, false];
    const pinging = (async () => {
      while (!isDone) {
        const sent = performance.now();
        await (await fetch(`${base}/health`)).text();
        slowest = Math.max(slowest, performance.now() - sent);
        await new Promise((done) => setTimeout(done, 10));
      }
    })();
    const response = await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        query: `{ validatorRanking(${args}) { totalCount ${select} pageInfo { endCursor } } }`,
      }),
    });
    const { data, errors, extensions } = await response.json();
    const seconds = (performance.now() - began) / 1000;
    isDone = true;
    await pinging;
    if (errors) throw new Error(`${args}: ${errors[0].message}`);
    after = data.validatorRanking.pageInfo.endCursor;
    const found = {
      seconds: round(seconds, 2),
      'CPU s, gateway': round((cpuOf(pid) - spent[0]) / 1000, 2),
      'CPU s, PostgreSQL': round((cpuOfDatabase(postgres) - spent[1]) / 1000, 2),
      'slowest of other requests, ms': Math.round(slowest),
      units: extensions.cost.charged,
      rows: data.validatorRanking.totalCount,
      'MB of gateway': memoryOf(pid),
    };
    tell(`${args.slice(0, 90)}: ${found.seconds} s`);
    return found;
  }

  const range = (n = 0) => `fromDay: ${dayOf(firstOf(0)) + n}, toDay: ${to}`;
  const order = (field) => `orderBy: { field: ${field} }`;
  const table = {
    'effectiveness, the first since the start': await ask(`${range()}, ${order('EFFECTIVENESS')}, first: 20`),
    'its next page': await ask(`${range()}, ${order('EFFECTIVENESS')}, first: 20, after: "${after}"`),
    'effectiveness, a day less': await ask(`${range(1)}, ${order('EFFECTIVENESS')}, first: 20`),
    'effectiveness, UTC days, the first': await ask(
      `utc: true, ${range()}, ${order('EFFECTIVENESS')}, first: 20`,
    ),
    rewards: await ask(`${range()}, ${order('REWARDS')}, first: 20`),
    missed: await ask(`${range()}, ${order('MISSED')}, first: 20`),
    'missed, one operator of a tenth': await ask(
      `${range()}, ${order('MISSED')}, where: { operator: { operatorId: "Tenth", idType: NODE_OPERATOR } }, first: 20`,
    ),
    '200 validators': await ask(
      `${range(1)}, where: { indices: [${Array.from({ length: 200 }, (_, n) => Math.floor((n * validators) / 200))}] }, first: 200`,
    ),
  };
  if (stored > 0) {
    const last = to + stored;
    table['effectiveness, with the stored days'] = await ask(
      `fromDay: ${dayOf(firstOf(0)) + 10 * stored}, toDay: ${last}, first: 20`,
    );
    table['effectiveness, stored days alone'] = await ask(`fromDay: ${to + 1}, toDay: ${last}, first: 20`);
  }
  console.log(`${validators} validators, ${months} archived months, ${stored} stored days\n`);
  console.table(table);
} finally {
  await endAll();
  await pool.end();
  await server.stop();
  for (const made of [folder, data]) rmSync(made, { recursive: true, force: true });
}
