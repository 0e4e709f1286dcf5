// How long one document blocks the event loop of the gateway:
//   npm run bench:event-loop
// Sends documents made to be as expensive as the limits let them be, each three times (the second is compiled, the third
// runs compiled), and reports what was answered, the longest delay of the event loop by the gateway's own metrics, and how
// long `/health` took meanwhile.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fill } from './data.mjs';
import { worstDocuments } from './event-loop-documents.mjs';
import { endAll, startServer } from './processes.mjs';
import { markdown } from './report.mjs';
import { benchServer } from './server.mjs';

const TIMES = 3;
const folder = mkdtempSync(join(tmpdir(), 'stakegraph-bench-'));
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const text = async (url, init) =>
  (await fetch(url, { ...init, headers: { connection: 'close', ...init?.headers } })).text();

/** The longest delay of the event loop since the last call, in milliseconds. */
async function longestDelay(base) {
  await pause(1_000); // metrics are collected at most once a second
  const metrics = await text(`${base}/metrics`);
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics)?.[1]) * 1_000;
}

/** Sends a document while requesting `/health` repeatedly. */
async function send(base, token, query) {
  await longestDelay(base);
  let open = true;
  let health = 0;
  const watch = (async () => {
    while (open) {
      const asked = performance.now();
      await text(`${base}/health`);
      health = Math.max(health, performance.now() - asked);
      await pause(5);
    }
  })();
  const asked = performance.now();
  const answer = await text(`${base}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const milliseconds = performance.now() - asked;
  await pause(20);
  open = false;
  await watch;
  return { answer, milliseconds, health, delay: await longestDelay(base) };
}

const refusal = (answer) => /"limit":"(\w+)"/.exec(answer.slice(0, 2_000))?.[1];

try {
  const server = await benchServer(folder);
  try {
    const sizes = { operators: 300, authorities: 1_000, entities: 300, days: 1_000 };
    const database = await fill(server, 'event_loop', sizes);
    const env = {
      DATABASE_URL: database.url,
      PORT: '0',
      LOG_LEVEL: 'warn',
      CACHE: 'off',
    };
    const { port } = await startServer('../../dist/main.js', env, ['serve']);
    const base = `http://127.0.0.1:${port}`;
    await send(base, database.token, '{ operators(window: ALL) { nodes { id } } }');
    const table = [];
    for (const [document, query] of Object.entries(worstDocuments)) {
      const runs = [];
      for (let time = 0; time < TIMES; time += 1) runs.push(await send(base, database.token, query));
      const most = (key) => Math.round(Math.max(...runs.map((run) => run[key])));
      const { answer } = runs[0];
      table.push({
        document,
        answer:
          refusal(answer) ??
          (answer.includes('"errors":') ? answer.slice(0, 120) : `${(answer.length / 1e6).toFixed(2)} MB`),
        'answered in ms': runs.map(({ milliseconds }) => Math.round(milliseconds)).join(', '),
        'event loop, ms': runs.map(({ delay }) => Math.round(delay)).join(', '),
        'health, ms': most('health'),
      });
      console.error(JSON.stringify(table.at(-1)));
    }
    console.log(markdown(table));
  } finally {
    await endAll();
    await server.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
