// What the rules cost an index: CPU of an epoch, memory, and bytes that it saves, from made blocks and balances:
//   npm run -s build && node --expose-gc scripts/bench/index-chain.mjs [active validators] [fork] [epochs] [deposits that wait]
//                                                                      (1,000,000   fulu   6   50,000)
// The registry has twice as many. Repeated steps show the least CPU. The memory has all inputs of two epochs in it.
import { Chain } from '../../dist/indexer/chain/index.js';
import { parseSpec } from '../../dist/indexer/chain/spec.js';
import { configOf, SyntheticChain } from './synthetic-chain.mjs';

const [active = '1000000', fork = 'fulu', epochs = '6', deposits = '50000'] = process.argv.slice(2);
const rows = [];

/** Runs `work` and notes its CPU and wall time; repeated rows keep the least. */
function measured(part, work, more = () => '') {
  globalThis.gc?.();
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  const result = work();
  const { user, system } = process.cpuUsage(cpu);
  const row = {
    part,
    'CPU ms': Math.round((user + system) / 1000),
    'wall ms': Math.round(performance.now() - wall),
    '': more(result),
  };
  const at = rows.findIndex((each) => each.part === part);
  if (at < 0) rows.push(row);
  else if (row['CPU ms'] < rows[at]['CPU ms']) rows[at] = row;
  return result;
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Balances that the step computes, before it compares: what the node would tell. */
function expectedBalances(chain, input, state) {
  let last;
  class Noted extends Float64Array {
    constructor(...given) {
      super(...given);
      if (given.length === 1) last = this; // others are views
    }
  }
  Object.setPrototypeOf(state.balances, Noted.prototype);
  try {
    chain.step({ ...input, next: { ...input.next, balances: new Float64Array(state.balances.length) } });
  } catch (error) {
    if (error.name !== 'ReconcileError') throw error;
  } finally {
    Object.setPrototypeOf(state.balances, Float64Array.prototype);
  }
  return Float64Array.from(last);
}

function nextInput(synthetic, epoch, committeesOf, state) {
  const first = epoch * 32;
  const blocks = Array.from({ length: 32 }, (_, at) => synthetic.block(first + at, committeesOf));
  const committee = synthetic.syncCommittee();
  const following = synthetic.following(first + 32, committeesOf);
  return {
    epoch,
    blocks,
    committees: committeesOf(epoch),
    syncCommittee: committee,
    nextSyncCommittee: committee,
    proposers: Uint32Array.from(blocks, ({ proposerIndex }) => proposerIndex),
    next: { ...state, epoch: epoch + 1, finalizedEpoch: epoch - 1, builders: synthetic.builders(epoch + 1) },
    nextFirstBlock: following[0] ?? synthetic.block(first + 32, committeesOf),
    following,
  };
}

/** How many bids of an epoch ended in which way. */
function paymentsOf(facts) {
  const counts = {};
  for (const { bid } of facts?.blocks ?? [])
    if (bid?.payment) counts[bid.payment] = (counts[bid.payment] ?? 0) + 1;
  return Object.entries(counts)
    .map(([payment, count]) => `${count} ${payment}`)
    .join(', ');
}

const spec = parseSpec(configOf(fork));
const synthetic = new SyntheticChain(Number(active), fork);
const kept = new Map();
const committeesOf = (epoch) => {
  if (!kept.has(epoch)) kept.set(epoch, synthetic.committees(epoch));
  return kept.get(epoch);
};

let epoch = synthetic.first;
let state = synthetic.state(epoch);
const before = {
  blocks: Array.from({ length: 32 }, (_, at) => synthetic.block((epoch - 1) * 32 + at, committeesOf)),
  committees: committeesOf(epoch - 1),
  firstBlock: synthetic.block(epoch * 32, committeesOf),
  earlier: fork === 'gloas' ? synthetic.block((epoch - 1) * 32 - 1, committeesOf) : null,
  following: synthetic.following(epoch * 32, committeesOf),
};
const pendingDeposits = synthetic.queue(Number(deposits), epoch * 32);
const start = {
  state,
  records: synthetic.records(),
  pendingDeposits,
  syncCommittee: synthetic.syncCommittee(),
  before,
};
const chain = measured(
  'begin',
  () => Chain.begin(spec, start),
  () => `${synthetic.size} records`,
);
let rss = 0;
let saved;
for (const last = epoch + Number(epochs); epoch <= last; epoch++) {
  const input = nextInput(synthetic, epoch, committeesOf, state);
  const needed = measured('records needed', () => chain.recordsNeeded(input));
  input.records = needed.map((index) => synthetic.record(index));
  const balances = expectedBalances(chain, input, state);
  state = { ...input.next, balances };
  measured('step', () => chain.step({ ...input, next: state }), paymentsOf);
  saved = measured(
    'save',
    () => chain.save(),
    ({ state }) => megabytes(state.length),
  );
  kept.delete(epoch - 1);
  globalThis.gc?.();
  rss = Math.max(rss, process.memoryUsage.rss());
}
const resume = { state, committees: committeesOf(epoch - 1), records: synthetic.records() };
measured(
  'restore',
  () => Chain.restore(spec, saved, resume),
  () => `${synthetic.size} records`,
);
console.log(
  `the rules of ${fork}, ${synthetic.active} active validators of ${synthetic.size}, ${deposits} deposits wait`,
);
console.table(rows);
const memory = process.resourceUsage().maxRSS * 1024;
console.log(`resident after an epoch ${megabytes(rss)}, at most ${megabytes(memory)}`);
const ofEpoch = rows.filter(({ part }) => ['records needed', 'step', 'save'].includes(part));
process.send?.({ cpu: ofEpoch.reduce((sum, row) => sum + row['CPU ms'], 0), memory });
