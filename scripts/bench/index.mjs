// What an index costs at the size of mainnet, how it grows, and how Gloas compares with the fork before: the rules, all
// requests of an epoch, the large answers of a node, the database:
//   npm run bench:index -- [--validators 100000,1000000] [--part chain,node,answers,store] [--fork fulu,gloas]
// --validators are active ones; the registry has twice as many. Exits with 1 when a part fails, and when an epoch of a
// million validators takes more than 1.3 times as much CPU or memory in Gloas.
import { fork as start } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const MOST_TIMES = 1.3;
const JUDGED = 1_000_000;

const { values: options } = parseArgs({
  options: {
    validators: { type: 'string', default: '100000,1000000' },
    part: { type: 'string', default: 'chain,node,answers,store' },
    fork: { type: 'string', default: 'fulu,gloas' },
  },
});
const parts = options.part.split(',');
const forks = options.fork.split(',');
const sizes = options.validators.split(',');
for (const size of sizes)
  if (!/^[1-9]\d*$/.test(size)) throw new Error(`--validators has ${size} in place of a number above 0`);
for (const [name, values, known] of [
  ['part', parts, ['chain', 'node', 'answers', 'store']],
  ['fork', forks, ['fulu', 'gloas']],
])
  for (const value of values)
    if (!known.includes(value)) throw new Error(`--${name} has ${value}; known are ${known.join(', ')}`);

/** Returns what the part measured of an epoch, if it does; undefined if it failed. */
async function run(part, ...args) {
  const script = fileURLToPath(new URL(`index-${part}.mjs`, import.meta.url));
  const child = start(script, args, { execArgv: ['--expose-gc'] });
  let measured;
  child.on('message', (message) => {
    measured = message;
  });
  const status = await new Promise((resolve) => child.once('exit', resolve));
  if (status === 0) return measured;
  process.exitCode = 1;
  return undefined;
}

function compare(validators, [before, after]) {
  const rows = { fulu: before, gloas: after, ratio: {} };
  for (const name of ['cpu', 'memory']) rows.ratio[name] = after[name] / before[name];
  console.table(
    Object.entries(rows).map(([fork, { cpu, memory }]) =>
      fork === 'ratio'
        ? { epoch: fork, 'CPU ms': cpu.toFixed(2), 'memory MB': memory.toFixed(2) }
        : { epoch: fork, 'CPU ms': Math.round(cpu), 'memory MB': Math.round(memory / 1e6) },
    ),
  );
  if (validators !== JUDGED || Object.values(rows.ratio).every((times) => times <= MOST_TIMES)) return;
  console.log(`Gloas costs more than ${MOST_TIMES} times as much.`);
  process.exitCode = 1;
}

for (const part of parts)
  for (const validators of sizes) {
    const found = [];
    for (const fork of part === 'answers' ? [''] : forks) {
      console.log(`\n${part}, ${Number(validators).toLocaleString('en')} active validators ${fork}`);
      found.push(await run(part, validators, ...(fork ? [fork] : [])));
    }
    if (forks.join() === 'fulu,gloas' && found.length === 2 && found.every(Boolean))
      compare(Number(validators), found);
  }
