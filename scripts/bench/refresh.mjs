// What a refresh of every window costs, on facts like those of mainnet that are made in the database, and what it costs
// again when nothing has changed:
//   npm run bench:refresh [validators] [days]        (100,000 × 30: a database of 1 GB)
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migrate } from '../../dist/db/migrate/index.js';
import { benchServer } from './server.mjs';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const validators = Number(process.argv[2] ?? 100_000);
const days = Number(process.argv[3] ?? 30);
const FIRST = 1_500;

/** A tenth as many deposit addresses as validators, each of one of 300 node operators and 60 pools; a block a slot. */
const statements = [
  `insert into validators
  select 'mainnet', i, '0x' || lpad(to_hex(i), 96, '0'), '0x' || lpad(to_hex(i / 10), 40, '0'),
    '0x' || lpad(to_hex(i / 20), 40, '0'), 'Operator ' || i / 10 % 300, 'Pool ' || i / 70 % 60, 0, null, false
  from generate_series(1, ${validators}) i`,
  `select validator_day_parts(array(select '2020-12-01'::date + d from generate_series(${FIRST}, ${FIRST + days - 1}) d))`,
  `insert into validator_day_dates
  select 'mainnet', false, d, '2020-12-01'::date + d from generate_series(${FIRST}, ${FIRST + days - 1}) d`,
  `insert into validator_days
  select 'mainnet', i, false, d, '2020-12-01'::date + d, d * 225, d * 225 + 224, null, null,
    225 - m, m, 225 - m - (i + d) % 7, 225 - m, 225 - m, (i + d) % 7, 0, 0, 0, 225 - m + (i * d) % 9,
    case when (i + d) % 13 = 0 then 1 else 0 end, case when (i + d) % 997 = 0 then 1 else 0 end,
    32000000000 + i * 17 + d, 32000000000, 2000000 + i % 1000, 0, 0, 0, 0
  from generate_series(${FIRST}, ${FIRST + days - 1}) d, generate_series(1, ${validators}) i,
    lateral (select case when (i * 31 + d) % 50 = 0 then 3 else 0 end as m) x`,
  `insert into blocks (network, slot, validator_index, consensus_proposer_duty, relays, block_builder_pubkeys)
  select 'mainnet', s, 1 + s % ${validators}, 'proposed',
    case s % 10 when 0 then '{}'::text[] when 1 then '{flashbots,agnostic}'::text[] else array['relay ' || s % 6] end, '{}'
  from generate_series(${FIRST} * 7200, ${FIRST + days} * 7200 - 1) s`,
  'vacuum analyze',
];

async function refresh(url) {
  const started = performance.now();
  const child = spawn(process.execPath, [main, 'refresh', '--networks', 'mainnet', '--json'], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', (data) => (stdout += data));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`exit ${code}`);
  const parts = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((part) => part.part === 'operators');
  return { parts, seconds: (performance.now() - started) / 1000 };
}

const folder = mkdtempSync(join(tmpdir(), 'stakegraph-bench-'));
const server = await benchServer(folder);
const url = await server.create('refresh');
await migrate(url);
const client = new pg.Client({ connectionString: url });
await client.connect();
try {
  for (const statement of statements) await client.query(statement);
  const [first, again] = [await refresh(url), await refresh(url)];
  const table = {};
  let read = 0;
  for (const [at, part] of first.parts.entries()) {
    const rows = validators * Math.min(days, { '1d': 1, '7d': 7, '30d': 30 }[part.window] ?? days);
    read += rows;
    const shown = { 'days read': rows, summaries: part.rows, seconds: part.seconds };
    table[part.window] = {
      ...shown,
      'days/s': Math.round(rows / part.seconds),
      again: again.parts[at].seconds,
    };
  }
  console.table(table);
  const rate = Math.round(read / first.seconds).toLocaleString('en');
  console.log(
    `${first.seconds.toFixed(1)} s for all windows, ${rate} days of validators a second; ${again.seconds.toFixed(1)} s again, unchanged: ${again.parts.reduce((sum, part) => sum + part.inserted + part.updated + part.removed, 0)} rows written`,
  );
} finally {
  await client.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
