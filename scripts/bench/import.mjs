// What an import costs, against a plain COPY of the same rows into the same tables with their indexes:
//   npm run bench:import [rows] [validator-days|attestations|blocks|validators|operators]
// (300,000 days of validators: files of 270 MB, a database of 150 MB; of few rows, the start takes most time)
// With DATABASE_URL, whose role must be allowed to create databases, on one's own PostgreSQL, otherwise on an embedded one.
// CSV, NDJSON, a JSON array and a REST body are imported as new rows and again unchanged, each with a COPY in between, and
// NDJSON that is broken in a row at four fifths, of which nothing must stay. Exits with 1 if an import fails or counts wrongly.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { migrate } from '../../dist/db/migrate.js';
import { cpuOf } from './processes.mjs';
import { benchServer } from './server.mjs';

if (process.env.DATABASE_URL) process.env.BENCH_DATABASE_URL ??= process.env.DATABASE_URL;
const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const rows = Number(process.argv[2] ?? 300_000);
const resource = process.argv[3] ?? 'validator-days';
const broken = Math.floor(rows * 0.8);
const DAY = 1_500;

function validatorDay(validatorIndex) {
  const missed = (validatorIndex * 31 + DAY) % 50 === 0 ? 3 : 0;
  const all = 225 - missed;
  const wrong = (validatorIndex + DAY) % 7;
  return {
    ...{ validatorIndex, utc: false, day: DAY, startEpoch: DAY * 225, endEpoch: DAY * 225 + 224 },
    ...{ totalUniqueAttestations: all, sumMissedAttestations: missed, sumMissedSyncSignatures: null },
    ...{ sumSyncSignatureCount: null, sumCorrectHead: all - wrong, sumCorrectTarget: all },
    ...{ sumCorrectSource: all, sumWrongHeadVotes: wrong, sumWrongTargetVotes: 0, sumLateTargetVotes: 0 },
    ...{ sumLateSourceVotes: 0, sumInclusionDelay: all + ((validatorIndex * DAY) % 9) },
    ...{ proposedCount: validatorIndex % 200 === 0 ? 1 : 0, missedProposalCount: 0 },
    ...{ endEpochBalance: 32_000_000_000 + validatorIndex * 17, endEpochEffectiveBalance: 32_000_000_000 },
    ...{ sumAttestationRewards: 2_000_000 + (validatorIndex % 1_000), sumSyncCommitteeRewards: 0 },
    ...{ sumProposerRewards: 0, sumPriorityFees: 0, sumBaselineMev: 0 },
  };
}
/** Hours of 1,000 pools. */
function attestationHour(index) {
  const [pool, hour] = [index % 1_000, DAY * 24 + Math.floor(index / 1_000)];
  const day = Math.floor(hour / 24);
  const all = 225_000 + pool;
  return {
    ...{ id: `Pool ${pool}`, entityType: 'pool', validatorCount: 1_000 + pool, hour, day },
    ...{ startEpoch: Math.ceil(hour * 9.375), endEpoch: Math.ceil((hour + 1) * 9.375) - 1 },
    ...{ totalUniqueAttestations: all, sumMissedAttestations: pool, sumMissedSyncSignatures: null },
    ...{
      sumCorrectHead: all - 5_000,
      sumCorrectTarget: all,
      sumCorrectSource: all,
      sumWrongHeadVotes: 5_000,
    },
    ...{
      sumWrongTargetVotes: 100,
      sumLateTargetVotes: 10,
      sumLateSourceVotes: 3,
      sumInclusionDelay: all + 7,
    },
    ...{ avgAttesterEffectiveness: 98.123456 + pool / 10_000, sumSyncSignatureCount: null },
    ...{ sumEndEpochBalance: 32_000_000_000_000 + pool, sumEndEpochEffectiveBalance: 32_000_000_000_000 },
  };
}
const hex = (bytes, number) => `0x${(number + 1).toString(16).padStart(bytes * 2, 'a')}`;
/** Nine of ten are of relays. */
const block = (index) => ({
  ...{ consensusSlot: 9_000_000 + index, validatorIndex: (index * 7_919) % 1_000_000 },
  ...{
    consensusBlockRoot: hex(32, index),
    executionBlockHash: hex(32, index),
    feeRecipient: hex(20, index % 999),
  },
  ...{ executionBlockNumber: 20_000_000 + index, totalTransactions: 171, totalType0Transactions: 20 },
  ...{ totalType1Transactions: 1, totalType2Transactions: 150, totalSanctionedTransactions: 0 },
  ...{ totalGasUsed: 15_000_000 + (index % 1_000), baseFeePerGas: 10_000_000_000 + index },
  ...{ totalBurntFees: `${150_000_000 + index}000000000`, totalType2TxFees: '20000000000000000' },
  ...{ totalType0TxFees: '3000000000000000', totalType1TxFees: '10000000', totalPriorityFees: 23_000_000.5 },
  ...{
    totalPriorityFeesValidator: 23_000_000.5,
    baselineMev: 12_000_000.25,
    executionProposerDuty: 'proposed',
  },
  ...{ executionRewards: 35_000_000.75, missedExecutionRewards: 0, consensusProposerDuty: 'proposed' },
  ...{
    consensusRewards: 40_000_000,
    missedConsensusRewards: 0,
    totalRewards: 75_000_000.75,
    totalRewardsMissed: 0,
  },
  relays: index % 10 ? ['flashbots', 'ultra sound'] : [],
  blockBuilderPubkeys: index % 10 ? [hex(48, index % 50), hex(48, index % 50)] : [],
});
/** Of five, two have a node operator and a pool, and one has left. */
const validator = (index) => ({
  ...{ validatorIndex: index, validatorPubkey: `0x${createHash('sha384').update(`${index}`).digest('hex')}` },
  ...{ depositAddress: hex(20, index % 300_000), withdrawalAddress: hex(20, index % 200_000) },
  ...{ nodeOperator: index % 5 < 2 ? `Operator ${index % 300}` : null },
  ...{ pool: index % 5 < 2 ? `Pool ${index % 40}` : null, activationEpoch: Math.floor(index / 5) },
  ...{ exitEpoch: index % 5 === 4 ? 300_000 + (index % 1_000) : null, slashed: index % 3_000 === 0 },
});
/** Deposit addresses. Most of them have a few validators. */
const operator = (index) => {
  const validators = 1 + Math.floor(100_000 / (index + 1));
  return {
    ...{
      id: hex(20, 2 ** 32 + index),
      idType: 'depositAddress',
      timeWindow: '7d',
      validatorCount: validators,
    },
    ...{ avgCorrectness: 0.99 - (index % 900) / 10_000, avgInclusionDelay: 1 + (index % 300) / 10_000 },
    ...{ avgUptime: 1 - (index % 70) / 1_000, avgValidatorEffectiveness: 98 - (index % 1_500) / 100 },
    clientPercentages: [
      { client: 'Lighthouse', percentage: 0.6 },
      { client: 'Prysm', percentage: 0.4 },
    ],
    ...{ networkPenetration: validators / 1_050_000, relayerPercentages: [], nodeOperatorCount: null },
    operatorTags: index % 50 === 0 ? [{ name: `Depositor ${index}`, path: null, idType: null }] : [],
    ...{ displayName: null, aprPercentage: 3 + (index % 500) / 1_000 },
    sumEndEpochBalance: 32_000_000_000 * validators + index,
    sumEndEpochEffectiveBalance: 32_000_000_000 * validators,
  };
};
/** COPY writes the rows of `tables` that the import wrote, in the order of the file. */
const datasets = {
  'validator-days': {
    row: validatorDay,
    tables: { validator_days: 'validator_index', validator_day_dates: 'date' },
  },
  attestations: { row: attestationHour, tables: { attestation_hours: 'hour, validator_count' } },
  blocks: { row: block, tables: { blocks: 'slot' } },
  validators: { row: validator, tables: { validators: 'validator_index' } },
  operators: {
    row: operator,
    tables: {
      ...{ operator_summaries: 'summary_id', operator_lists: 'list_id', operator_ranks: 'list_id, rank' },
      ...{ operator_orders: 'list_id, ordered_by, valued, first_rank', operator_series: 'series' },
      ...{ operator_history: 'date, series', operator_history_days: 'date', search_names: 'id' },
    },
  },
};
if (!(rows >= 1) || !datasets[resource]) {
  console.error(`Give a number of rows, and one of ${Object.keys(datasets).join(', ')}.`);
  process.exit(2);
}
const { row, tables } = datasets[resource];
const names = Object.keys(tables);

const cell = (value) => (Array.isArray(value) ? `"${JSON.stringify(value).replaceAll('"', '""')}"` : value);
const cells = (one) => Object.values(one).map(cell).join(','); // null is empty
const line = (one, index) => `${index > 0 ? ',' : ''}${JSON.stringify(one)}`;
const formats = {
  CSV: { name: 'rows.csv', header: `${Object.keys(row(0)).join(',')}\n`, line: (one) => `${cells(one)}\n` },
  NDJSON: { name: 'rows.ndjson', line: (one) => `${JSON.stringify(one)}\n` },
  'JSON array': { name: 'rows.json', header: '[', line, end: ']' },
  'REST body': { name: 'body.json', header: '{"page":{"from":0},"data":[', line, end: `],"total":${rows}}` },
};

async function writeRows(path, { header = '', line, end = '' }, rowAt = row) {
  const out = createWriteStream(path);
  out.write(header);
  for (let start = 0; start < rows; start += 5_000) {
    let text = '';
    for (let index = start; index < Math.min(rows, start + 5_000); index += 1)
      text += line(rowAt(index), index);
    if (!out.write(text)) await once(out, 'drain');
  }
  out.end(end);
  await once(out, 'finish');
}

const folder = mkdtempSync(join(tmpdir(), 'stakegraph-bench-'));
const server = await benchServer(folder);
const url = await server.create('import');
await migrate(url);
const client = new pg.Client({ connectionString: url });
await client.connect();

const clear = () => client.query(`truncate ${names.join(', ')}; checkpoint`);
const figures = (seconds, cpu, more) => ({
  'rows/s': Math.round(rows / seconds),
  seconds: Number(seconds.toFixed(1)),
  'CPU s of both': Number((cpu / 1000).toFixed(1)),
  load: Number(loadavg()[0].toFixed(1)),
  ...more,
});

/** Peak memory and CPU of a process and its backends are read off /proc while it runs. */
async function imported(path) {
  const started = performance.now();
  const child = spawn(process.execPath, [main, 'import', resource, path, '--json'], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (data) => (output[name] += data));
  let peak = 0;
  const cpu = {};
  const watched = (async () => {
    while (child.exitCode === null) {
      const { rows: backends } = await client.query(
        `select pid from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      for (const pid of [child.pid, ...backends.map((one) => one.pid)])
        cpu[pid] = cpuOf(pid) ?? cpu[pid] ?? 0;
      try {
        peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? peak);
      } catch {} // ended, or not Linux
      await new Promise((done) => setTimeout(done, 100));
    }
  })();
  const [code] = await once(child, 'close');
  const seconds = (performance.now() - started) / 1000;
  await watched;
  const spent = Object.values(cpu).reduce((sum, one) => sum + one, 0);
  const report = JSON.parse(output.stdout.trim().split('\n').at(-1) || '{}');
  return { code, ...output, report, ...figures(seconds, spent, { 'peak MB': Math.round(peak / 1024) }) };
}

async function copied() {
  const pathOf = (table) => join(folder, `${table}.copy`);
  for (const [table, order] of Object.entries(tables))
    await pipeline(
      client.query(copyTo(`copy (select * from ${table} order by ${order}) to stdout`)),
      createWriteStream(pathOf(table)),
    );
  await clear();
  const { rows: backend } = await client.query('select pg_backend_pid() as pid');
  const spent = () => (cpuOf(process.pid) ?? 0) + (cpuOf(backend[0].pid) ?? 0);
  const [cpu, started] = [spent(), performance.now()];
  for (const table of names)
    await pipeline(
      createReadStream(pathOf(table), { highWaterMark: 262_144 }),
      client.query(copyFrom(`copy ${table} from stdin`)),
    );
  return figures((performance.now() - started) / 1000, spent() - cpu);
}

function expected(what, { report, stderr }, inserted) {
  if (report.loaded && report.inserted === inserted && report.updated === 0) return;
  process.exitCode = 1;
  console.error(`${what}: ${JSON.stringify(report)} ${stderr.split('\n')[0]}`);
}

try {
  const report = {};
  const shown = (what, { seconds, 'rows/s': speed, 'CPU s of both': cpu, load, 'peak MB': memory }, copy) => {
    const ratio = (part, whole) => Number((part / whole).toFixed(2));
    const compared = copy && {
      'of COPY': ratio(speed, copy['rows/s']),
      'CPU of COPY': `${ratio(cpu, copy['CPU s of both'])}×`,
      'peak MB': memory,
    };
    report[what] = { 'rows/s': speed, seconds, 'CPU s of both': cpu, load, ...compared };
  };
  for (const [format, written] of Object.entries(formats)) {
    const path = join(folder, written.name);
    await writeRows(path, written);
    await clear();
    const fresh = await imported(path);
    expected(format, fresh, rows);
    const copy = await copied();
    const again = await imported(path);
    expected(`${format} again`, again, 0);
    shown(`COPY for ${format}`, copy);
    shown(`${format}, ${Math.round(statSync(path).size / 1e6)} MB`, fresh, copy);
    shown(`${format} again, unchanged`, again, copy);
    rmSync(path);
  }
  await clear();
  const bad = join(folder, 'bad.ndjson');
  await writeRows(bad, formats.NDJSON, (index) => ({
    ...row(index),
    ...(index + 1 === broken && { validatorIndex: 'some', validatorCount: 'some' }),
  }));
  const refused = await imported(bad);
  const { rows: left } = await client.query(`select count(*)::int as rows from ${names[0]}`);
  if (refused.code === 0 || left[0].rows > 0) process.exitCode = 1;
  console.table(report);
  console.log(`broken: exit ${refused.code}, ${left[0].rows} rows left; ${refused.stderr.split('\n')[0]}`);
} finally {
  await client.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
