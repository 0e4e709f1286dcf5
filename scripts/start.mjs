// `npm start`: builds and serves in one process, so that a signal to npm reaches the gateway itself.
import './build.mjs';

process.argv.splice(2, process.argv.length, 'serve');
await import('../dist/main.js');
