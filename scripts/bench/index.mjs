// What an index costs at the size of mainnet, and how it grows: the rules, the answers of a node, the database:
//   npm run bench:index -- [--validators 100000,1000000] [--part chain,node,store]
// --validators are active ones; the registry has twice as many. Exits with 1 when a part fails.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    validators: { type: 'string', default: '100000,1000000' },
    part: { type: 'string', default: 'chain,node,store' },
  },
});

for (const part of options.part.split(','))
  for (const validators of options.validators.split(',')) {
    console.log(`\n${part}, ${Number(validators).toLocaleString('en')} active validators`);
    const script = fileURLToPath(new URL(`index-${part}.mjs`, import.meta.url));
    const { status } = spawnSync(process.execPath, ['--expose-gc', script, validators], { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
