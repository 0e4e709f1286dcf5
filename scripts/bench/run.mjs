// What the gateway answers in a second, against what a team would pick instead and against the limit, in one run:
//   npm run bench                 every case against every contender: some nine minutes
//   npm run bench -- --quick      a tenth of the data and short rounds: below a minute, for a first look
//   npm run bench -- --growth     cost against page depth, table size, batch width and connections
//   npm run bench -- --soak 60    1,000 connections for so many seconds
//   --only words, --cases words   contenders and cases whose names hold one of the words, by comma
//   --rounds n, --seconds n       how often and how long each is measured
//   --json path                   where the raw numbers go (scripts/bench/results.json)
//   BENCH_DATABASE_URL=postgres://… npm run bench    on your own server (a superuser's URL) instead of an embedded one
// A ratio is what the gateway without its cache does, divided by what the contender does: above 1 it is faster. Load,
// contenders and PostgreSQL share the machine; only one contender is loaded at a time, round by round in turn.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { graphqlCases, restCases } from './cases.mjs';
import { bytesOf, check, contenders, placesIn, requestsFor } from './contenders.mjs';
import { fill, part } from './data.mjs';
import { growth, soak } from './growth.mjs';
import {
  cpuOf,
  cpuOfDatabase,
  databasePid,
  endAll,
  install,
  nodeBinary,
  quietly,
  startLoad,
} from './processes.mjs';
import { markdown, summary } from './report.mjs';
import { benchServer } from './server.mjs';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
    soak: { type: 'string' },
    only: { type: 'string' },
    cases: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    connections: { type: 'string', default: '16' },
    json: { type: 'string', default: fileURLToPath(new URL('results.json', import.meta.url)) },
  },
});
// Many short rounds: a machine with neighbours changes its speed within seconds, and a ratio is of one round.
const [most, longest] = options.quick ? [1, 0.4] : options.growth || options.soak ? [3, 1] : [15, 0.25];
const rounds = Number(options.rounds ?? most);
const milliseconds = Number(options.seconds ?? longest) * 1_000;
// V8 goes on compiling for seconds: the gateway answered 1,160 a second in the first one and 2,200 from the third on.
const warmUp = options.quick ? 600 : 4_000;
const connections = Number(options.connections);
const share = options.quick ? 0.1 : 1;
const sizes = part(share);
const depth = Math.min(90_000, sizes.authorities * 0.9);
const say = (line) => process.stderr.write(`${line}\n`);
const chosen = (words, name) =>
  !words || words.split(',').some((word) => name.toLowerCase().includes(word.trim().toLowerCase()));

/** Every case against every contender, round by round. */
async function compare(database, serverPid, load) {
  const running = [];
  for (const contender of contenders.filter(({ name, base }) => base || chosen(options.only, name)))
    running.push({ ...contender, ...(await contender.start(database)) });
  const postgraphile = running.find(({ name }) => name.startsWith('PostGraphile'));
  const known = { depth, ...(await placesIn(database, depth, postgraphile)) };
  const cases = [...graphqlCases(known), ...restCases(known)].filter(({ name }) =>
    chosen(options.cases, name),
  );
  const results = [];
  for (const asked of cases) {
    const takers = running.flatMap((contender) => {
      const requests = requestsFor(contender, asked, database);
      return requests ? [{ contender, requests, bytes: bytesOf(requests), rounds: [] }] : [];
    });
    for (const taker of takers) {
      taker.size = await check(taker.contender, taker.contender, taker.requests, asked);
      await load({
        port: taker.contender.port,
        bytes: taker.bytes,
        connections,
        milliseconds: warmUp,
      });
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const { contender, bytes, rounds } of round % 2 ? takers.toReversed() : takers) {
        const measured = await quietly(async () => {
          const before = [cpuOf(contender.pid), cpuOfDatabase(serverPid)];
          const result = await load({ port: contender.port, bytes, connections, milliseconds });
          const [cpu, databaseCpu] = [cpuOf(contender.pid), cpuOfDatabase(serverPid)].map((after, index) =>
            after === null ? null : after - before[index],
          );
          return { ...result, cpu, databaseCpu };
        });
        rounds.push(measured);
      }
    }
    const base = takers.find(({ contender }) => contender.base).rounds;
    const table = takers.map(({ contender, rounds, size }) => ({
      contender: contender.name,
      ...summary(rounds, base),
      bytes: size,
    }));
    const loud = takers.flatMap((taker) => taker.rounds).filter(({ stolen }) => stolen > 0.1).length;
    console.log(`\n### ${asked.name}\n\n${markdown(table)}`);
    if (loud > 0) console.log(`\nNeighbours took more than a tenth of the machine in ${loud} slices.`);
    results.push({
      case: asked.name,
      table,
      raw: takers.map((taker) => ({ contender: taker.contender.name, rounds: taker.rounds })),
    });
  }
  return results;
}

install();
const folder = mkdtempSync(join(tmpdir(), 'stakegraph-bench-'));
const started = { at: new Date().toISOString(), load: loadavg()[0] };
let server;
async function end() {
  await endAll();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end().finally(() => process.exit(1)));

try {
  server = await benchServer(folder);
  const database = await fill(server, 'whole', sizes);
  say(`${JSON.stringify(sizes)} in ${database.seconds.toFixed(1)} s`);
  const load = await startLoad();
  const serverPid = await databasePid(database.url);
  const machine = {
    ...started,
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    node: nodeBinary(),
    connections,
    rounds,
    milliseconds,
    sizes,
  };
  console.log(`${machine.cores} × ${machine.cpu}, load before ${started.load.toFixed(2)}, ${started.at}`);
  const measure = { database, sizes, load, milliseconds, warmUp, rounds, say };
  let results;
  if (options.growth) {
    const small = await fill(server, 'tenth', part(share / 10));
    results = await growth({ ...measure, small, depth, tenth: part(share / 10) });
  } else if (options.soak) results = await soak({ ...measure, seconds: Number(options.soak) });
  else results = await compare(database, serverPid, load);
  writeFileSync(options.json, `${JSON.stringify({ machine, results }, null, 1)}\n`);
  say(`\nraw numbers: ${options.json}; load after ${loadavg()[0].toFixed(2)}`);
} finally {
  await end();
}
