// What it costs an index to read the large answers of a beacon node, over HTTP, and with JSON.parse to compare:
//   npm run -s build && node --expose-gc scripts/bench/index-answers.mjs [active validators]     (1,000,000)
// The registry has twice as many. The node is a process of its own. Each reading is in a process of its own, too, so that
// its largest memory can be told.
import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const dist = process.env.BENCH_DIST ?? '../../dist';
const [role = '1000000', ...rest] = process.argv.slice(2);
const self = fileURLToPath(import.meta.url);
const EPOCH = 400_000;
const far = '18446744073709551615';
const PIECE = 2_000;

function* inPieces(count, entry) {
  yield '{"execution_optimistic":false,"finalized":true,"data":[';
  for (let at = 0; at < count; at += PIECE) {
    const entries = Array.from({ length: Math.min(PIECE, count - at) }, (_, i) => entry(at + i));
    yield `${at ? ',' : ''}${entries.join(',')}`;
  }
  yield ']}';
}

const balance = (i) => `{"index":"${i}","balance":"${32_000_000_000 + ((i * 7919) % 100_000_000)}"}`;
const key = (i, bytes) => `0x${(i * 2_654_435_761).toString(16).padStart(bytes * 2, 'a5')}`;
const validator = (i) =>
  `{"index":"${i}","balance":"32000000000","status":"active_ongoing","validator":{"pubkey":"${key(i, 48)}","withdrawal_credentials":"${key(i, 32)}","effective_balance":"32000000000","slashed":false,"activation_eligibility_epoch":"12345","activation_epoch":"12350","exit_epoch":"${far}","withdrawable_epoch":"${far}"}}`;
/** 64 committees a slot; a step that shares no factor with their number visits each validator once. */
function* committees(active) {
  let next = 0;
  const size = Math.ceil(active / 2048);
  yield '{"execution_optimistic":false,"finalized":true,"data":[';
  for (let k = 0; k < 2048; k += 1) {
    const members = [];
    for (; members.length < size && next < active; next += 1) members.push(`"${(next * 7_919) % active}"`);
    yield `${k ? ',' : ''}{"index":"${k % 64}","slot":"${EPOCH * 32 + Math.floor(k / 64)}","validators":[${members.join(',')}]}`;
  }
  yield ']}';
}

function serve(active) {
  const made = { balances: [], committees: [], registry: undefined };
  made.balances = [...inPieces(active, balance)].map((text) => Buffer.from(text));
  made.committees = [...committees(active)].map((text) => Buffer.from(text));
  const all = [...inPieces(2 * active, balance)].map((text) => Buffer.from(text));
  const server = createServer(async (request, response) => {
    const what = request.url.slice(1);
    response.writeHead(200, { 'content-type': 'application/json' });
    const pieces = { ...made, all, registry: inPieces(2 * active, validator) }[what];
    for (const piece of pieces)
      if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
    response.end();
  });
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
}

const memory = () => process.resourceUsage().maxRSS * 1024;
const signal = new AbortController().signal;

async function scanned(url, what, active) {
  const { NodeClient } = await import(`${dist}/indexer/node/client.js`);
  const { BalanceReader } = await import(`${dist}/indexer/node/scan/balances.js`);
  const { CommitteeReader } = await import(`${dist}/indexer/node/scan/committees.js`);
  const { RegistryReader } = await import(`${dist}/indexer/node/scan/registry.js`);
  const shape = { epoch: EPOCH, slotsPerEpoch: 32, maxPerSlot: 64 };
  const open = {
    balances: () => new BalanceReader(active),
    all: () => new BalanceReader(2 * active),
    committees: () => new CommitteeReader(shape, active),
    registry: () => new RegistryReader(2 * active),
  }[what];
  const options = { rate: 1e9, timeoutMs: 60_000, attempts: 1, firstBackoffMs: 1, onError() {} };
  const client = new NodeClient(new URL(url), 'node', options);
  const result = await client.scan({ path: `/${what}`, signal }, open, 'registry');
  client.close();
  return result.length ?? result.size ?? result.members.length;
}

async function parsed(url, what) {
  const { data } = await (await fetch(`${url}/${what}`)).json();
  if (what !== 'committees') return Float64Array.from(data, (entry) => Number(entry.balance)).length;
  return Uint32Array.from(data.flatMap(({ validators }) => validators.map(Number))).length;
}

/** Only moves the bytes. */
async function moved(url, what) {
  const { openHttp } = await import(`${dist}/indexer/node/http.js`);
  let bytes = 0;
  const limits = { idleMs: 60_000, totalMs: 600_000, maxBytes: 2 ** 40 };
  const http = openHttp(new URL(url), 'node');
  const take = (chunk) => {
    bytes += chunk.length;
  };
  await http.get({ path: `/${what}` }, take, limits, signal);
  http.close();
  return bytes;
}

async function reader(how, url, what, active) {
  const before = process.memoryUsage.rss();
  let least = Number.POSITIVE_INFINITY;
  let result;
  for (let i = 0; i < (what === 'registry' ? 1 : 4); i += 1) {
    const cpu = process.cpuUsage();
    result = await { scanned, parsed, moved }[how](url, what, Number(active));
    const { user, system } = process.cpuUsage(cpu);
    least = Math.min(least, (user + system) / 1000);
  }
  process.send({ result, cpu: least, rss: memory(), before });
}

async function main(active) {
  const server = fork(self, ['serve', active]);
  const { port } = await new Promise((resolve) => server.once('message', resolve));
  const url = `http://127.0.0.1:${port}`;
  const rows = [];
  const kinds = {
    balances: 'balances',
    all: 'balances of the registry',
    committees: 'committees',
    registry: 'registry',
  };
  for (const [what, name] of Object.entries(kinds))
    for (const how of ['moved', 'scanned', ...(what === 'registry' ? [] : ['parsed'])]) {
      const child = fork(self, [how, url, what, active]);
      const told = await new Promise((resolve) => {
        child.once('message', resolve);
        child.once('exit', () => resolve(undefined));
      });
      child.kill();
      if (told === undefined) {
        process.exitCode = 1;
        continue;
      }
      const mb = (bytes) => `${Math.round(bytes / 1e6)} MB`;
      rows.push({
        answer: name,
        how: { moved: 'only received', scanned: 'byte scan', parsed: 'JSON.parse' }[how],
        result: how === 'moved' ? mb(told.result) : told.result,
        'CPU ms': Math.round(told.cpu),
        'largest memory': mb(told.rss),
        'at start': mb(told.before),
      });
    }
  server.kill();
  console.table(rows);
}

if (role === 'serve') serve(Number(rest[0]));
else if (['scanned', 'parsed', 'moved'].includes(role)) await reader(role, ...rest);
else await main(role);
