// What the window `all` of Solana costs from sums of spans, compared with the rows of the same epochs, and what retention
// drops. BENCH_DATABASE_URL leads to a PostgreSQL of your own:
//   npm run bench:solana [authorities] [spans]     (50,000 × 2: 0.5 GB of epochs; 310 bytes for each authority and epoch)
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../dist/db/migrate/index.js';
import { createPool } from '../../dist/db/pool.js';
import { retain } from '../../dist/maintenance/retain/index.js';
import { refresh } from '../../dist/refresh/index.js';
import { benchServer } from './server.mjs';

const authorities = Number(process.argv[2] ?? 50_000);
const spans = Number(process.argv[3] ?? 2);
if (!(authorities >= 100 && spans >= 1 && spans <= 24)) {
  console.error('100 or more authorities, and 1 to 24 spans of 15 epochs are needed.');
  process.exit(2);
}
const VALIDATORS = 1_200;
/** The newest span has one epoch. */
const epochs = spans * 15 + 1;

const folder = mkdtempSync(join(tmpdir(), 'stakegraph-bench-'));
const server = await benchServer(folder);
const url = await server.create('solana');
await migrate(url);
const pool = createPool({ url, readOnly: false, max: 2 });
const run = async (text, values = []) => (await pool.query({ text, values })).rows;

async function fill() {
  await run(
    `insert into solana_epochs
    select e, '2025-01-01Z'::timestamptz + e * interval '2 days', '2025-01-03Z'::timestamptz + e * interval '2 days',
      $1::int * 1.2, $1::int * 1.1, $1, 10
    from generate_series(0, $2::int - 1) e`,
    [authorities, epochs],
  );
  await run(
    `insert into solana_validator_epochs
    select e, 'V' || lpad(v::text, 43, '0'), 'Validator ' || v, 300000.123456789, 0.9 + v % 100 / 1000.0, 0.05, 0.08,
      400000, 390000, 500000, 40, 39, 120.5, 6, 9, 0.7, 2, 0.1, 1.1
    from generate_series(0, $1::int - 1) e, generate_series(1, ${VALIDATORS}) v`,
    [epochs],
  );
  await run('select solana_epoch_parts(array(select generate_series(0, $1::int - 1)))', [epochs]);
  for (let epoch = 0; epoch < epochs; epoch += 1)
    await run(
      `insert into solana_stake_authority_epochs
      select $1, 'A' || lpad(a::text, 43, '0'), 'V' || lpad((1 + a % ${VALIDATORS})::text, 43, '0'),
        case when a < 300 then 'Pool ' || a end, round(1e9 / (a + 10), 9) + $1::int * 0.000000001,
        round(3e5 / (a + 10), 9), round(3e4 / (a + 10), 9), 0.01, 0.002
      from generate_series(1, $2::int) a`,
      [epoch, authorities],
    );
  await run('vacuum analyze');
}

async function refreshed() {
  const began = performance.now();
  const reports = [];
  await refresh(
    pool,
    {
      ...{ networks: ['mainnet'], windows: ['all'], only: ['solana'], types: [] },
      ...{ allDays: false, wait: true, jobs: 1 },
    },
    (report) => reports.push(report),
  );
  const [{ state, error, facts, inserted, updated, removed }] = reports;
  if (state !== 'done') throw new Error(error ?? state);
  const seconds = Number(((performance.now() - began) / 1000).toFixed(1));
  return { seconds, 'rows read': facts, written: inserted + updated + removed };
}

try {
  await fill();
  const table = {};
  table[`first, which adds up ${spans} spans and publishes`] = await refreshed();
  table['again, from sums'] = await refreshed();
  await run('create table kept_spans as table solana_epoch_spans');
  await run('truncate solana_epoch_spans');
  table[`again, from the rows of ${epochs} epochs`] = await refreshed();
  if (Object.values(table)[2].written > 0) throw new Error('Rows and sums give different figures.');
  await run('insert into solana_epoch_spans table kept_spans');
  console.table(table);
  const [size] = await run(
    `select pg_total_relation_size('stake_authority_span_sums')::float8 as sums, count(*)::float8 as rows
    from stake_authority_span_sums`,
  );
  console.log(`sums: ${(size.sums / 1e6).toFixed(1)} MB, ${Math.round(size.sums / size.rows)} bytes a row`);
  const ages = { 'solana-stake-authority-epochs': 1 };
  await retain(pool, { ages, dryRun: false }, ({ part, table, state, rows, bytes, seconds }) =>
    console.log(
      `retain: ${state} ${part ?? table}, ${rows} rows, ${(bytes / 1e6).toFixed(1)} MB, ${seconds} s`,
    ),
  );
} finally {
  await pool.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
