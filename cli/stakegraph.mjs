#!/usr/bin/env node
// In a package of its own: npx installs the bin of a root package into npm's cache first, and builds it, each time.
// Two at once collided there.
import { existsSync } from 'node:fs';

const program = new URL('../dist/main.js', import.meta.url);
if (existsSync(program)) await import(program.href);
else {
  process.stderr.write('stakegraph is not built; run "npm ci --omit=dev", or "npm run build".\n');
  process.exitCode = 1;
}
