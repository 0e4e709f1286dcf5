import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { settled, useExplorer } from '../../support/explorer.ts';

const { gateway, open } = useExplorer();

/** What a request waits, and how many bytes come in a second. */
const slow = { latency: 400, throughput: 50_000 };

type Requested = { path: string; bytes: number }[];

describe.skipIf(noBrowser)('on a network of 50 kB/s and 400 ms', () => {
  it('the figures of the overview come with the second answer, before the application is requested', async () => {
    const { page } = await open('/health');
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: slow.latency,
      downloadThroughput: slow.throughput,
      uploadThroughput: slow.throughput,
    });
    // What was requested until there is a figure.
    await page.addInitScript(() => {
      const watch = new MutationObserver(() => {
        if (!document.querySelector('.tile .value')) return;
        watch.disconnect();
        const entries = ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type));
        const requested = (entries as PerformanceResourceTiming[]).map((one) => ({
          path: new URL(one.name).pathname,
          bytes: one.encodedBodySize,
        }));
        Object.assign(window, { requested });
      });
      watch.observe(document, { childList: true, subtree: true });
    });
    await page.goto(`${gateway.url}/`);
    const known = await page.waitForFunction(() => (window as { requested?: Requested }).requested);
    const requested = (await known.jsonValue()) as Requested;
    const kinds = requested.map(({ path }) => path.replace(/^.*(?=\.\w+$)/, ''));
    // The browser may fetch the icon before or afterwards.
    expect(kinds.filter((kind) => kind !== '.svg').sort()).toEqual(['.css', '/', '/graphql']);
    // The machine may be slow, so that the time of the network alone is compared.
    const bytes = requested.reduce((sum, one) => sum + one.bytes, 0);
    expect(2 * slow.latency + (1_000 * bytes) / slow.throughput).toBeLessThan(1_500);
    await settled(page);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });
});
