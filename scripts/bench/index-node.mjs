// What all requests of an epoch cost an index, over HTTP: CPU and largest memory of the process that asks.
//   npm run -s build && node --expose-gc scripts/bench/index-node.mjs [active validators] [fork]     (1,000,000   fulu)
// The registry has twice as many. The node is a process of its own. Repeated epochs show the least CPU.
import { fork as start } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { blockAnswer, buildersAnswer, envelopeAnswer } from './synthetic-answers.mjs';
import { configOf, SyntheticChain } from './synthetic-chain.mjs';

const dist = process.env.BENCH_DIST ?? '../../dist';
const [active = '1000000', fork = 'fulu', role = 'ask'] = process.argv.slice(2);
const EPOCHS = 12;
const PIECE = 2_000;

function* balances(size) {
  yield '{"execution_optimistic":false,"finalized":true,"data":[';
  for (let at = 0; at < size; at += PIECE) {
    const entries = Array.from({ length: Math.min(PIECE, size - at) }, (_, i) => {
      return `{"index":"${at + i}","balance":"${32_000_000_000 + (((at + i) * 7_919) % 100_000_000)}"}`;
    });
    yield `${at ? ',' : ''}${entries.join(',')}`;
  }
  yield ']}';
}

function* committees({ epoch, perSlot, offsets, members }) {
  yield '{"execution_optimistic":false,"finalized":true,"data":[';
  for (let at = 0; at < 32 * perSlot; at += 1) {
    const of = Array.from(members.subarray(offsets[at], offsets[at + 1]), (index) => `"${index}"`);
    const slot = epoch * 32 + Math.floor(at / perSlot);
    yield `${at ? ',' : ''}{"index":"${at % perSlot}","slot":"${slot}","validators":[${of.join(',')}]}`;
  }
  yield ']}';
}

/** By path, the answer in pieces. */
function answersOf(chain) {
  const answers = new Map();
  const put = (path, ...pieces) => answers.set(path, pieces.map(Buffer.from));
  const data = (path, value) => put(path, JSON.stringify({ data: value }));
  const stateOf = (epoch) => `/eth/v1/beacon/states/${epoch * 32}`;
  const kept = new Map();
  const committeesOf = (epoch) => {
    if (!kept.has(epoch)) kept.set(epoch, chain.committees(epoch));
    return kept.get(epoch);
  };
  const finality = (epoch) => ({ finalized: { epoch: String(epoch), root: `0x${'00'.repeat(32)}` } });
  data('/eth/v1/node/syncing', { is_syncing: false, sync_distance: '0', is_optimistic: false });
  data('/eth/v1/config/spec', configOf(chain.fork));
  data('/eth/v1/beacon/genesis', {
    ...{ genesis_time: '1606824023', genesis_validators_root: `0x${'11'.repeat(32)}` },
  });
  const last = chain.first + EPOCHS;
  data('/eth/v1/beacon/states/head/finality_checkpoints', finality(last + 2));
  const all = [...balances(chain.size)].map(Buffer.from);
  for (let epoch = chain.first; epoch <= last; epoch += 1) {
    const state = stateOf(epoch);
    answers.set(`${state}/validator_balances`, all);
    put(`${state}/committees?epoch=${epoch}`, ...committees(committeesOf(epoch)));
    data(`${state}/finality_checkpoints`, finality(epoch - 2));
    data(`${state}/pending_consolidations`, []);
    data(`${state}/sync_committees?epoch=${chain.first}`, {
      validators: [...chain.syncCommittee()].map(String),
    });
    if (chain.gloas) put(`${state}/builders`, buildersAnswer(chain.builders(epoch)));
  }
  let block = chain.block(chain.first * 32, committeesOf);
  for (let slot = chain.first * 32; slot <= last * 32; slot += 1) {
    const child = chain.block(slot + 1, committeesOf);
    put(`/eth/v2/beacon/blocks/${slot}`, blockAnswer(block));
    data(`/eth/v1/beacon/blocks/${slot}/root`, { root: block.root });
    if (chain.gloas && block.execution)
      put(`/eth/v1/beacon/execution_payload_envelopes/${block.root}`, envelopeAnswer(block, child));
    block = child;
  }
  return answers;
}

function serve() {
  const answers = answersOf(new SyntheticChain(Number(active), fork));
  let asked = [];
  const server = createServer(async (request, response) => {
    request.resume();
    if (request.url === '/asked') {
      const bytes = asked.reduce(
        (sum, path) => sum + (answers.get(path) ?? []).reduce((n, { length }) => n + length, 0),
        0,
      );
      response.end(JSON.stringify({ requests: asked.length, bytes }));
      asked = [];
      return;
    }
    // An index asks every ten seconds whether the node is in sync.
    if (request.url !== '/eth/v1/node/syncing') asked.push(request.url);
    const pieces = answers.get(request.url);
    response.writeHead(pieces ? 200 : 404, { 'content-type': 'application/json' });
    for (const piece of pieces ?? [])
      if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
    response.end(pieces ? '' : '{"code":404,"message":"not found"}');
  });
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
}

async function ask() {
  const { openNodes } = await import(`${dist}/indexer/node/index.js`);
  const server = start(fileURLToPath(import.meta.url), [active, fork, 'serve']);
  const { port } = await new Promise((resolve) => server.once('message', resolve));
  const url = `http://127.0.0.1:${port}`;
  const lifetime = new AbortController();
  try {
    const nodes = await openNodes({ urls: [url], network: 'mainnet', signal: lifetime.signal });
    const { first } = new SyntheticChain(Number(active), fork);
    let least = { cpu: Number.POSITIVE_INFINITY };
    for (let epoch = first; epoch < first + EPOCHS; epoch += 1) {
      await fetch(`${url}/asked`);
      const before = process.cpuUsage();
      const { input } = await nodes.fetchEpoch(epoch, () => []);
      const { user, system } = process.cpuUsage(before);
      const cpu = (user + system) / 1_000;
      const asked = await (await fetch(`${url}/asked`)).json();
      const payloads = input.blocks.filter(({ execution }) => execution !== null).length;
      if (cpu < least.cpu) least = { cpu, payloads, ...asked };
    }
    const { cpu, payloads, requests, bytes } = least;
    const memory = process.resourceUsage().maxRSS * 1024;
    console.log(
      `an epoch of ${fork}: ${requests} requests, ${(bytes / 1e6).toFixed(1)} MB, ${payloads} payloads; ${Math.round(cpu)} ms CPU, at most ${(memory / 1e6).toFixed(1)} MB`,
    );
    process.send?.({ cpu, memory });
  } finally {
    lifetime.abort();
    server.kill();
  }
}

if (role === 'serve') serve();
else await ask();
