// What the database costs an index at the size of mainnet: an epoch, the end of an hour, the end of a day:
//   npm run -s build && node scripts/bench/index-store.mjs [active validators] [fork]     (1,000,000: 3 GB on disk   fulu)
// Facts are made, twice as many validators are in the registry. Exits with 1 when a step fails.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { epochsOfDay } from '../../dist/chain/calendar.js';
import { migrate } from '../../dist/db/migrate/index.js';
import { createPool } from '../../dist/db/pool.js';
import { openStore } from '../../dist/indexer/store/index.js';
import { encodeRecord, epochRecord } from '../../dist/indexer/store/record.js';
import { cpuOfDatabase, databasePid } from './processes.mjs';
import { benchServer } from './server.mjs';
import { blockFacts, builderFacts } from './synthetic-facts.mjs';
import { hex } from './synthetic-payloads.mjs';

const [given = '1000000', fork = 'fulu'] = process.argv.slice(2);
const active = Number(given);
// The queue of consolidations names 15,000 of them.
if (!(active >= 20_000)) throw new Error(`active validators: ${given}; at least 20,000 are needed`);
const size = 2 * active;
const network = 'hoodi';
const ETH = 1e9;

/** The same numbers each time. */
let state = 1;
const chance = (bound) => (state = (state * 48_271) % 2_147_483_647) % bound;

// The older half has left.
const effective = new Float64Array(size);
for (let v = size - active; v < size; v += 1)
  effective[v] = (chance(20) === 0 ? 33 + chance(2_000) : 32) * ETH;

const registry = {
  size,
  exit: new Uint32Array(size).fill(0xffff_ffff).fill(100, 0, size - active),
  record: (index) => ({
    index,
    pubkey: hex(index + 1, 48),
    withdrawalCredentials: `0x01${'0'.repeat(22)}${hex(index % 2 ? chance(20_000) : index % 50, 20).slice(2)}`,
    effectiveBalance: effective[index],
    slashed: false,
    activationEligibilityEpoch: 0,
    activationEpoch: 1,
    exitEpoch: index < size - active ? 100 : Number.POSITIVE_INFINITY,
    withdrawableEpoch: Number.POSITIVE_INFINITY,
  }),
};

const queue = Array.from({ length: 5_000 }, (_, at) => ({
  source: size - 1 - at,
  target: size - 10_001 - at,
}));

function facts(epoch, changed) {
  const [votes, delays] = [new Uint8Array(size), new Uint8Array(size)];
  const [rewards, balances] = [new Float64Array(size), new Float64Array(size)];
  for (let v = size - active; v < size; v += 1) {
    const luck = chance(1_000);
    const delay = luck < 970 ? 1 : 1 + chance(20);
    const missed = luck === 999;
    votes[v] = missed
      ? 128
      : 128 + 8 + (delay < 6 ? 1 : 0) + 2 + (luck > 15 && delay === 1 ? 4 : luck < 8 ? 16 : 0);
    delays[v] = missed ? 0 : delay;
    rewards[v] = (effective[v] / ETH) * (missed ? -270 : 100 + 54 * (votes[v] & 7));
    balances[v] = effective[v] + chance(20_000_000);
  }
  const blocks = blockFacts(epoch, fork, { active, size });
  const members = Uint32Array.from({ length: 512 }, () => size - active + chance(active));
  const seats = blocks.map(({ slot }) => ({
    ...{ slot, validators: members, unpaid: new Map() },
    rewards: Int32Array.from(members, () => (chance(50) ? 22_000 : -22_000)),
  }));
  return {
    ...{ epoch, votes, delays, rewards, balances, effectiveBalances: effective, seats, changed },
    ...{ nextEffectiveBalances: effective, syncCommittee: members },
    ...{ penaltiesWithoutDuty: new Map(), slashings: [], consolidations: [], slashingPenalties: 0 },
    pendingConsolidations: queue,
    ...{ totalActiveBalance: active * 32 * ETH },
    ...{ blocks, builders: builderFacts(blocks, epoch) },
  };
}

const folder = mkdtempSync(join(tmpdir(), 'stakegraph-bench-'));
const server = await benchServer(folder);
let pool;
let admin;
try {
  const url = await server.create(`index_${process.pid}`);
  await migrate(url);
  pool = createPool({ url, readOnly: false, max: 4, reportsErrors: true });
  admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const one = async (text, values) => (await admin.query(text, values)).rows[0];
  const bytes = async () => Number((await one('select pg_current_wal_lsn() - $1::pg_lsn as n', ['0/0'])).n);
  const postgres = await databasePid(url);
  const shown = (n) => `${(n / 1e6).toFixed(1)} MB`;

  let leastCpu = Number.POSITIVE_INFINITY;

  async function measured(name, work) {
    const [wal, spent, cpu, began] = [
      ...[await bytes(), cpuOfDatabase(postgres)],
      ...[process.cpuUsage(), performance.now()],
    ];
    await work();
    const { user, system } = process.cpuUsage(cpu);
    const there = ((cpuOfDatabase(postgres) - spent) / 1000).toFixed(2);
    const seconds = (performance.now() - began) / 1000;
    const own = ((user + system) / 1e6).toFixed(2);
    if (name.startsWith('an epoch')) leastCpu = Math.min(leastCpu, (user + system) / 1000);
    const rss = Math.round(process.memoryUsage().rss / 1e6);
    process.stdout.write(
      `${name}: ${seconds.toFixed(2)} s, ${own} s of CPU here and ${there} s in PostgreSQL; ${shown((await bytes()) - wal)} of WAL; ${rss} MB RSS\n`,
    );
  }

  const store = openStore(pool, network);
  await store.resume();
  const saved = { state: Buffer.alloc(1_000_000, 7), deposits: { first: 0, entries: [] } };
  const none = new Uint32Array();
  const day = epochsOfDay(network, 'chain', 100);
  await measured('the first epoch, with all validators', () =>
    store.write(
      facts(
        day.first,
        Uint32Array.from({ length: size }, (_, v) => v),
      ),
      saved,
      registry,
    ),
  );
  for (const next of [1, 2, 3]) {
    const given = facts(
      day.first + next,
      Uint32Array.from({ length: 40 }, (_, v) => v * 7),
    );
    await measured('an epoch', () => store.write(given, saved, registry));
  }
  const record = await encodeRecord(epochRecord(facts(day.first, none), []));
  process.stdout.write(`facts of an epoch: ${(record.length / 1e3).toFixed(0)} KB\n`);
  for (let epoch = day.first + 4; epoch < day.last - 20; epoch += 1) {
    const kept = await encodeRecord({ ...epochRecord(facts(epoch, none), []) });
    await admin.query('insert into index_epochs values ($1, $2, $3)', [network, epoch, kept]);
    await admin.query('update index_state set epoch = $1', [epoch]);
  }
  await store.resume();
  for (let epoch = day.last - 20; epoch <= day.last; epoch += 1) {
    const given = facts(epoch, none);
    const name = epoch === day.last ? 'the end of a chain day and hour' : 'an epoch or the end of an hour';
    await measured(name, () => store.write(given, saved, registry));
  }
  const rows = await one('select count(*)::int as n from validator_days');
  const { size: disk } = await one(
    "select sum(pg_total_relation_size(inhrelid)) as size from pg_inherits where inhparent = 'validator_days'::regclass",
  );
  process.stdout.write(`${rows.n} days of validators: ${shown(Number(disk))}\n`);
  const last = facts(day.last + 1, none);
  await measured('the same day of the UTC calendar, and the open days, by partial', () =>
    store.write(last, saved, registry, { partial: true }),
  );
  await measured('publish', async () => {
    for (const part of await store.publish()) process.stdout.write(`  ${JSON.stringify(part)}\n`);
  });
  process.send?.({ cpu: leastCpu, memory: process.resourceUsage().maxRSS * 1024 });
} catch (error) {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
} finally {
  await admin?.end();
  await pool?.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
