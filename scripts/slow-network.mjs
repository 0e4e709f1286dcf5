// How long pages of the explorer take on a slow network, with the sample data, after npm run build:
//   node scripts/slow-network.mjs [path…]
// 400 ms for each request and 50 kB/s by default; LATENCY_MS and BYTES_A_SECOND are others.
import { withExplorer } from './explorer-pictures.mjs';

const latency = Number(process.env.LATENCY_MS ?? 400);
const throughput = Number(process.env.BYTES_A_SECOND ?? 50_000);
const given = process.argv.slice(2);
const paths =
  given.length > 0
    ? given
    : [
        '/',
        '/explore/operators',
        '/explore/operators/pool/Alder%20Liquid',
        '/explore/blocks',
        '/explore/solana',
      ];
const RUNS = 3;

/** Milliseconds from the beginning of the navigation until something is there. */
const seen = () => {
  const found = {};
  const wanted = {
    'first figure': '.tile .value, tbody td',
    heading: 'h1',
    'first table': 'tbody td',
    'first plot': '.plot svg',
  };
  const look = () => {
    for (const [name, selector] of Object.entries(wanted))
      if (!(name in found) && document.querySelector(selector)) found[name] = performance.now();
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
  Object.assign(window, { seen: found });
};

await withExplorer(async ({ open }) => {
  for (const path of paths) {
    const times = [];
    for (let run = 0; run < RUNS; run += 1) {
      const page = await open('/explore/nothing', { serviceWorkers: 'block' }); // only for the token
      const network = await page.context().newCDPSession(page);
      await network.send('Network.enable');
      await network.send('Network.setCacheDisabled', { cacheDisabled: true });
      const conditions = { offline: false, latency, downloadThroughput: throughput };
      await network.send('Network.emulateNetworkConditions', {
        ...conditions,
        uploadThroughput: throughput,
      });
      await page.addInitScript(seen);
      await page.goto(new URL(path, page.url()).href, { waitUntil: 'commit', timeout: 120_000 });
      const all = await page.waitForFunction(
        () => window.seen && 'first table' in window.seen && window.seen,
        undefined,
        { timeout: 120_000 },
      );
      times.push(await all.jsonValue());
      await page.context().close();
    }
    const least = (name) => Math.min(...times.map((one) => one[name] ?? Number.POSITIVE_INFINITY));
    const shown = ['first figure', 'heading', 'first table', 'first plot']
      .map((name) => `${name} ${Number.isFinite(least(name)) ? `${Math.round(least(name))} ms` : '–'}`)
      .join(', ');
    process.stdout.write(`${path}: ${shown}\n`);
  }
});
