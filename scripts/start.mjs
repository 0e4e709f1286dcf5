// `npm start`: serves, built anew when the sources are newer than the build. One process (the script in
// package.json execs it), so that a signal to npm reaches the gateway itself.
import { readdirSync, statSync } from 'node:fs';
import { webInputs } from './build-web.mjs';

const built = statSync('dist/main.js', { throwIfNoEntry: false })?.mtimeMs ?? 0;
// `npm prune` writes package-lock.json anew, and may remove what a build needs.
const ofWeb = webInputs().filter((name) => name !== 'package-lock.json');
const sources = [...readdirSync('src', { recursive: true }).map((name) => `src/${name}`), ...ofWeb];
if (Math.max(...sources.map((name) => statSync(name).mtimeMs)) > built) await import('./build.mjs');

process.argv.splice(2, 0, 'serve'); // options may follow: npm start -- --index URL
await import('../dist/main.js');
