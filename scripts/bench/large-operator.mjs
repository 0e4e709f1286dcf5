// What requests and imports cost PostgreSQL where one operator has many validators, all of them consolidated. See --help.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createToken } from '../../dist/accounts/tokens.js';
import { migrate } from '../../dist/db/migrate/index.js';
import { createPool } from '../../dist/db/pool.js';
import { endAll, startServer } from './processes.mjs';
import { markdown } from './report.mjs';
import { benchServer } from './server.mjs';

const HELP = `npm run bench:large-operator -- [--validators 1000000] [--large 300000] [--times 10] [--only TEXT]

Makes a database on the server of DATABASE_URL, which must run on this machine under Linux, and drops it at the end. The pool
"Large" has the first --large validators, 29 of 30 of which were consolidated into others of it; other pools consolidated
10,000. Prints the CPU time of the backends for each request (mean of --times, after one more), and for each import.
--only measures the cases whose names contain the text.`;

const { values: flags } = parseArgs({
  options: {
    validators: { type: 'string', default: '1000000' },
    large: { type: 'string', default: '300000' },
    times: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean' },
  },
});
const [validators, large, times] = [flags.validators, flags.large, flags.times].map(Number);
const asked = process.env.DATABASE_URL;
if (flags.help || !asked || !(large >= 3_000) || !(validators >= large + 20_000)) {
  console.error(
    flags.help ? HELP : `DATABASE_URL, and 20,000 validators besides --large are needed.\n\n${HELP}`,
  );
  process.exit(flags.help ? 0 : 2);
}

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'stakegraph-large-'));
process.env.BENCH_DATABASE_URL ??= asked;
const server = await benchServer(folder);
const url = await server.create('large_operator');
const pool = createPool({ url, readOnly: false, max: 2 });
const run = async (text, values = []) => (await pool.query({ text, values })).rows;
const tell = (text) => console.error(text);

const FIRST_EPOCH = 364_032;
const moved = Math.floor((large * 29) / 30);
const FROM_DAY = Math.floor((FIRST_EPOCH + moved / 27) / 225); // a third of them are before it
const pubkey = (index) => `'0x' || lpad(to_hex(${index}), 96, '0')`;

async function fill() {
  await run(
    `insert into validators (network, validator_index, validator_pubkey, deposit_address, withdrawal_address,
      node_operator, pool, activation_epoch, exit_epoch, slashed)
    select 'mainnet', i, ${pubkey('i')}, '0x' || lpad(to_hex(i / 100), 40, '0'), '0x' || lpad(to_hex(i / 1000), 40, '0'),
      'Operator ' || case when i < $2 then i % 30 else i % 300 end, case when i < $2 then 'Large' else 'Pool ' || i / 7 % 60 end,
      i / 8, case when i >= $2 and i % 500 = 0 then 500000 end, i % 5000 = 0
    from generate_series(0, $1::int - 1) i`,
    [validators, large],
  );
  await run(
    `insert into consolidations select 'mainnet', s, ${pubkey('s')}, t, ${pubkey('t')}, ${FIRST_EPOCH} + n / 9, 32000000000 + n % 1000003
    from (
      select i as s, $1::int + i / 29 as t, i::bigint * 7919 % $1 as n from generate_series(0, $1::int - 1) i
      union all
      select $2 + i, $2 + 10000 + i / 2, i::bigint * $1 / 10000 from generate_series(0, 9999) i
    ) c order by n`,
    [moved, large],
  );
  await run(
    `insert into chain_balances select 'mainnet', ${FIRST_EPOCH} + i * 10, 35000000000000000 from generate_series(0, $1::int / 90) i`,
    [moved],
  );
  await run(`select store_consolidation_totals('mainnet')`);
  for (const table of (
    await run(`select tablename as name from pg_tables where schemaname = 'public'
    and tablename ~ 'consolidation|validators|validator_counts|chain_balances'`)
  ).map((row) => row.name))
    await run(`vacuum analyze ${table}`);
}

const stat = (pid) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
/** Milliseconds, of each running backend and of those that ended. Those that ended are counted in steps of 10 ms. */
async function cpu() {
  const backends = (await run('select pid from pg_stat_activity where datname = current_database()')).map(
    ({ pid }) => pid,
  );
  const parent = stat(backends[0])[1];
  const ended = (Number(stat(parent)[13]) + Number(stat(parent)[14])) * 10;
  const live = new Map();
  for (const pid of backends)
    try {
      live.set(pid, Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error; // it has ended since
    }
  return { ended, live };
}
const sumOf = (live) => [...live.values()].reduce((sum, one) => sum + one, 0);

const days = `fromDay: ${FROM_DAY}`;
const operator = (id) => `operatorId: "${id}", idType: POOL`;
const of = (id) => `where: { operator: { ${operator(id)} } }`;
const list = '/v1/eth/validators/consolidations';
const entity = (id) => `entityType=pool&entityId=${encodeURIComponent(id)}`;
const orders = ['epoch', 'sourceValidatorIndex', 'targetValidatorIndex', 'consolidatedBalance'];
const enumOf = (text) => text.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
const ids = ['Large', 'Pool 7'];
const requests = {
  ...Object.fromEntries(
    orders.flatMap((order) => [
      ...ids.map((id) => [
        `page of ${id} by ${order}`,
        `consolidations(${operator(id)}, orderBy: { field: ${enumOf(order)}, direction: DESC }, first: 20) { nodes { epoch } }`,
      ]),
      [
        `page of Large by ${order} since a day`,
        `consolidations(${operator('Large')}, ${days}, orderBy: { field: ${enumOf(order)}, direction: ASC }, first: 20) { nodes { epoch } }`,
      ],
      [
        `page and total of Large by ${order}, offset ${moved - 100}`,
        `${list}?${entity('Large')}&sortBy=${order}&offset=${moved - 100}&limit=20`,
      ],
      [
        `page and total of all by ${order}, offset ${moved - 100}`,
        `${list}?sortBy=${order}&offset=${moved - 100}&limit=20`,
      ],
    ]),
  ),
  'page and total of all': `${list}?limit=20`,
  ...Object.fromEntries(
    ids.flatMap((id) => [
      [`total of ${id}`, `consolidations(${operator(id)}, first: 1) { totalCount }`],
      [`total of ${id} since a day`, `consolidations(${operator(id)}, ${days}, first: 1) { totalCount }`],
      [
        `history of ${id} by day`,
        `consolidationHistory(${of(id)}, first: 100) { totalCount nodes { day consolidationCount consolidatedBalance } }`,
      ],
      [
        `history of ${id} by month`,
        `consolidationHistory(${of(id)}, granularity: MONTH, first: 100) { nodes { day consolidationCount consolidatedBalance } }`,
      ],
    ]),
  ),
  'history of all by day':
    'consolidationHistory(first: 100) { nodes { day consolidationCount consolidatedBalance } }',
  'totals by pool':
    'operatorConsolidations(idType: POOL, first: 20) { totalCount nodes { operatorId targetValidatorCount } }',
  ...Object.fromEntries(
    ['POOL', 'NODE_OPERATOR', 'WITHDRAWAL_ADDRESS', 'DEPOSIT_ADDRESS'].map((idType) => [
      `totals by ${idType} since a day`,
      `operatorConsolidations(idType: ${idType}, ${days}, first: 20) { totalCount nodes { operatorId targetValidatorCount } }`,
    ]),
  ),
  'totals by POOL between days': `operatorConsolidations(idType: POOL, ${days}, toDay: ${FROM_DAY + 60}, first: 20) { totalCount nodes { operatorId targetValidatorCount } }`,
  'totals by pool since a day, REST': `/v1/eth/entityConsolidations?entityType=pool&fromDay=${FROM_DAY}`,
  capacities: '/v1/eth/consolidationCapacity',
  'capacities by pool': '/v1/eth/consolidationCapacity/entity?window=all&entityType=pool',
  'validators, total': 'validators(first: 1) { totalCount }',
  ...Object.fromEntries(
    ['PENDING', 'ACTIVE', 'EXITING', 'EXITED'].map((status) => [
      `validators, total of ${status}`,
      `validators(where: { status: ${status} }, first: 1) { totalCount }`,
    ]),
  ),
  'validators, total not slashed': 'validators(where: { slashed: false }, first: 1) { totalCount }',
  'validators, total of Large and ACTIVE': `validators(where: { operator: { ${operator('Large')} }, status: ACTIVE }, first: 1) { totalCount }`,
  'validators, page of Large and EXITED': `validators(where: { operator: { ${operator('Large')} }, status: EXITED }, first: 20) { nodes { validatorIndex } }`,
  'validators, page of Large and slashed': `validators(where: { operator: { ${operator('Large')} }, slashed: true }, first: 20) { nodes { validatorIndex } }`,
  'validators, page by activation':
    'validators(where: { status: ACTIVE }, orderBy: { field: ACTIVATION_EPOCH, direction: DESC }, first: 20) { nodes { validatorIndex } }',
};

async function read() {
  const { token } = await createToken(pool, 'bench');
  const env = {
    DATABASE_URL: url,
    PORT: '0',
    CACHE: 'off',
    LOG_LEVEL: 'error',
    STATEMENT_TIMEOUT_MS: '120000',
  };
  try {
    const { port } = await startServer('../../dist/main.js', env, ['serve']);
    const base = `http://127.0.0.1:${port}`;
    const ask = async (what, request) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const response = request.startsWith('/')
        ? await fetch(base + request, { headers })
        : await fetch(`${base}/graphql`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ query: `{ ${request} }` }),
          });
      const text = await response.text();
      if (response.status !== 200 || text.startsWith('{"errors"'))
        throw new Error(`${what}: ${text.slice(0, 300)}`);
      return response.headers.get('x-service-compute-units');
    };
    const table = [];
    for (const [what, request] of Object.entries(requests)) {
      if (!what.includes(flags.only)) continue;
      await ask(what, request);
      let [units, spent] = [0, Number.NaN];
      // What a backend used that ends meanwhile is lost, so the request is measured again.
      while (Number.isNaN(spent)) {
        const before = await cpu();
        for (let n = 0; n < times; n += 1) units = await ask(what, request);
        const after = await cpu();
        if ([...before.live.keys()].every((pid) => after.live.has(pid)))
          spent = sumOf(after.live) - sumOf(before.live);
      }
      table.push({ request: what, 'CPU ms': (spent / times).toFixed(1), units });
      tell(`${what}: ${table.at(-1)['CPU ms']} ms`);
    }
    return table;
  } finally {
    await endAll();
  }
}

const hex = (n, digits) => `0x${n.toString(16).padStart(digits, '0')}`;
const validator = (index, change = {}) => ({
  ...{ network: 'mainnet', validatorIndex: index, validatorPubkey: hex(index, 96) },
  ...{
    depositAddress: hex(Math.floor(index / 100), 40),
    withdrawalAddress: hex(Math.floor(index / 1_000), 40),
  },
  ...{ nodeOperator: `Operator ${index % 30}`, pool: 'Large', activationEpoch: Math.floor(index / 8) },
  ...{ exitEpoch: null, slashed: index % 5_000 === 0 },
  ...change,
});
const thousand = (one) => Array.from({ length: 1_000 }, (_, n) => one(n * 290));
const consolidation = (at, epoch) => ({
  ...{
    network: 'mainnet',
    epoch,
    sourceValidatorIndex: large + 40_000 + at,
    consolidatedBalance: 32_000_000_000,
  },
  ...{ sourceValidatorPubkey: hex(large + 40_000 + at, 96), targetValidatorIndex: at % 100 },
  targetValidatorPubkey: hex(at % 100, 96),
});
const imports = {
  'import of 1,000 validators, unchanged': ['validators', thousand((index) => validator(index))],
  'import of 1,000 validators, exits changed': [
    'validators',
    thousand((index) => validator(index, { exitEpoch: 600_000 })),
  ],
  'import of 1,000 validators, pools changed': [
    'validators',
    thousand((index) => validator(index, { exitEpoch: 600_000, pool: 'Other' })),
  ],
  'import of 1 consolidation': ['consolidations', [consolidation(1_500, 370_000)]],
  'import of 1,000 consolidations': [
    'consolidations',
    Array.from({ length: 1_000 }, (_, n) => consolidation(n, 364_100 + n * 20)),
  ],
};

async function load() {
  const table = [];
  for (const [what, [resource, rows]] of Object.entries(imports)) {
    if (!what.includes(flags.only)) continue;
    const path = join(folder, 'rows.ndjson');
    writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const before = await cpu();
    const child = spawn(process.execPath, [main, 'import', resource, path, '--json'], {
      env: { ...process.env, DATABASE_URL: url },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${what} ended with ${code}`);
    await new Promise((done) => setTimeout(done, 500)); // until its backends have ended
    const after = await cpu();
    table.push({
      import: what,
      'CPU ms': (after.ended + sumOf(after.live) - before.ended - sumOf(before.live)).toFixed(0),
    });
    tell(`${what}: ${table.at(-1)['CPU ms']} ms`);
  }
  return table;
}

try {
  await migrate(url);
  const began = performance.now();
  await fill();
  tell(`filled in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
  const sizes =
    await run(`select relname as table, pg_size_pretty(pg_total_relation_size(oid)) as size, reltuples::int as rows
    from pg_class where relkind = 'r' and relname ~ '^(consolidation|entity_consolidation|validator_counts|validators)' order by 1`);
  console.log(`${markdown(sizes)}\n\n${markdown(await read())}\n\n${markdown(await load())}`);
} finally {
  await pool.end();
  await server.stop();
  rmSync(folder, { recursive: true });
}
