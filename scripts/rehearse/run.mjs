// `npm run rehearse -- --seconds 8`: a deploy, a killed gateway and a failover of the database, under load.
// Two gateways with Redis behind haproxy, a primary database and its synchronous standby, all on this machine.
// With `--from ../older`, a folder with a built older version: first an upgrade from that version, a rollback to it, and
// the upgrade again.
// Exits with 1 if an acknowledged write is lost, a request fails for good, or a walk misses or repeats a row.
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { makeClient, newCounts } from './client.mjs';
import * as processes from './processes.mjs';

const { project } = processes;

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    from: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const settleMs = 1_000 * Number(flags.seconds);
if (!(settleMs > 0)) {
  console.error(`--seconds is ${flags.seconds}; the seconds of load before and after each event are needed.`);
  process.exit(2);
}
const older = flags.from === undefined ? undefined : resolve(flags.from);
if (older && !existsSync(join(older, 'dist/main.js'))) {
  console.error(
    `--from is ${flags.from}; a folder with an older version is needed, after npm ci and npm run build.`,
  );
  process.exit(2);
}
const absent = processes.missing();
if (absent.length > 0) {
  console.error(
    `Not installed: ${absent.join(', ')}. On Debian: apt-get install postgresql redis-server haproxy`,
  );
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'stakegraph-rehearsal-'));
chmodSync(folder, 0o755);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void end(1));
async function end(code) {
  await processes.endAll();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.exit(code);
}

async function fill(url) {
  const of = (file) => import(pathToFileURL(join(older ?? project, 'dist', file)).href);
  const [{ migrate }, { createPool }, { loadSampleData }, { createAccount }, { createToken }] =
    await Promise.all(
      ['db/migrate.js', 'db/pool.js', 'sample/load.js', 'accounts/accounts.js', 'accounts/tokens.js'].map(of),
    );
  await migrate(url);
  const db = createPool({ url, readOnly: false, max: 4, waitTimeoutMs: 60_000 });
  try {
    await loadSampleData(db, { info: () => undefined });
    await createAccount(db, { name: 'rehearsal', tier: 'enterprise' });
    const { rows } = await db.query({
      text: `select validator_index::text as validator from validators where network = 'mainnet' order by 1 limit 40`,
      values: [],
    });
    const { token } = await createToken(db, 'rehearsal', null, 'rehearsal');
    return { token, validators: rows.map(({ validator }) => validator) };
  } finally {
    await db.end();
  }
}

async function startAll() {
  const databases = await processes.startDatabases(folder);
  const { token, validators } = await fill(databases.url);
  const redis = await processes.startRedis(folder);
  const settings = {
    DATABASE_URL: databases.url,
    DATABASE_READ_URL: databases.standby.url,
    REDIS_URL: redis.url,
    TRUST_PROXY: '127.0.0.1',
    MIGRATE: 'off',
    DRAIN_DELAY_MS: '3000',
  };
  const gateways = [];
  for (const name of ['a', 'b'])
    gateways.push(await processes.makeGateway(folder, name, older ?? project, settings));
  await Promise.all(gateways.map((gateway) => gateway.start()));
  const haproxy = await processes.startHaproxy(folder, gateways);
  return { databases, gateways, url: haproxy.url, token, validators };
}

const isReady = (url) => async () => (await (await fetch(`${url}/ready`)).json()).status === 'ready';

const { databases, gateways, url, token, validators } = await startAll().catch((error) => {
  console.error(error.message);
  return end(1);
});
const state = { counts: newCounts(), faults: [], acknowledged: new Map(), stopped: false, rowsOfWalk: 0 };
const client = makeClient(url, token, state);
const lists = ['pool', 'nodeOperator', 'entity', 'depositAddress'].flatMap((idType) =>
  ['1d', '7d'].map((window) => `/v0/eth/operators?window=${window}&idType=${idType}&size=10`),
);
const operators = `query Walk($after: String) { operators(window: SEVEN_DAYS, first: 3, after: $after) {
  nodes { id } pageInfo { hasNextPage endCursor } } }`;
const load = [
  ...[0, 1, 2].map(() => client.reader([...lists, '/v0/eth/slashings?size=20'])),
  ...[0, 1].map(() => client.writer(validators)),
  client.walker(() => client.restWalk('/v0/eth/operators?window=7d&idType=pool&size=2')),
  client.walker(() => client.graphqlWalk(operators)),
];

const report = {};
async function phase(name, work) {
  state.counts = newCounts();
  const began = performance.now();
  await sleep(settleMs / 2);
  const facts = await work();
  await sleep(settleMs / 2);
  // A request counts in the phase in which it began, also if it succeeds later.
  report[name] = Object.assign(
    state.counts,
    { seconds: Math.round((performance.now() - began) / 1_000) },
    facts,
  );
}

async function deploy(version) {
  for (const gateway of gateways) {
    await gateway.stop();
    await gateway.start(version);
    await sleep(3_000); // haproxy notices the started one
  }
}

async function upgrade() {
  const output = await processes.command(project, ['migrate'], { DATABASE_URL: databases.url });
  await deploy(project);
  return { migrations: output.match(/\d{4}_\w+/g)?.length ?? 0 };
}

try {
  await phase('nothing', () => undefined);
  if (older) {
    await phase('upgrade', upgrade);
    await phase('rollback', () => deploy(older));
    await phase('upgrade again', upgrade);
  }
  await phase('deploy', () => deploy(project));
  await phase('killed gateway', async () => {
    await gateways[0].kill();
    await sleep(3_000);
    await gateways[0].start();
  });
  await phase('failover', async () => {
    const began = performance.now();
    await databases.primary.kill();
    await sleep(2_000);
    databases.standby.promote();
    await processes.until(isReady(url), 'The gateways on the new primary');
    return { readyAgainSeconds: Math.round((performance.now() - began) / 100) / 10 };
  });
  state.stopped = true;
  await Promise.all(load);
  const lost = await lostWrites();
  for (const each of lost) state.faults.push(each);
  show(lost.length);
} catch (error) {
  state.faults.push(error.stack);
  show();
}
await end(state.faults.length === 0 ? 0 : 1);

/** Compares what was acknowledged with what the new primary has. */
async function lostWrites() {
  const missing = [];
  const stored = await processes.query(
    databases.standby.url,
    `select s.set_id::text as id, s.name, array_agg(m.validator_index::text) as members
     from private_sets s left join private_set_members m using (set_id) where m.removed_at is null group by 1, 2`,
  );
  const byId = new Map(stored.map((set) => [set.id, set]));
  for (const [id, { name, added }] of state.acknowledged) {
    const set = byId.get(id);
    if (set?.name !== name) missing.push(`lost: the set ${id}`);
    for (const validator of added)
      if (!set?.members.includes(validator)) missing.push(`lost: validator ${validator} of the set ${id}`);
  }
  const names = stored.map(({ name }) => name);
  for (const name of names.filter((each, index) => names.indexOf(each) !== index))
    missing.push(`done twice: the set ${name}`);
  return missing;
}

function show(lost) {
  const { faults, rowsOfWalk } = state;
  const writes = Object.values(report).reduce((sum, each) => sum + each.writes, 0);
  if (flags.json)
    return void console.log(JSON.stringify({ phases: report, rowsOfWalk, writes, lost, faults }));
  for (const [
    name,
    { seconds, requests, writes: acknowledged, walks, failures, slowestMs, ...facts },
  ] of Object.entries(report)) {
    const failed = Object.entries(failures).map(([kind, count]) => `${count} × ${kind}`);
    console.log(
      `${name.padEnd(15)} ${seconds} s, ${requests} requests, ${acknowledged} writes acknowledged, ${walks} walks whole, ` +
        `failed attempts: ${failed.join(', ') || 'none'}, longest until a success ${Math.round(slowestMs)} ms` +
        Object.entries(facts).map(([fact, value]) => `, ${fact} ${value}`),
    );
  }
  console.log(
    `${writes} writes acknowledged, ${lost ?? '?'} of them lost or done twice; ${faults.length} faults`,
  );
  for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
}
