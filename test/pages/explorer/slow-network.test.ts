import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { settled, useExplorer } from '../../support/explorer.ts';

const { gateway, open } = useExplorer();

/** How long a request waits, and how many bytes come in a second. */
const slow = { latency: 400, throughput: 50_000 };

type Requested = { path: string; bytes: number }[];

/** The texts of the tiles, or of the rows of the first table. */
const textsIn = (page: Page) =>
  page.evaluate(() => {
    const figures = (document.querySelector('#first') ?? document).querySelector('dl.tiles, table');
    return [...(figures?.querySelectorAll('.tile, th, td') ?? [])].map((one) => one.textContent);
  });

async function opened(path: string) {
  const { page } = await open('/health');
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: slow.latency,
    downloadThroughput: slow.throughput,
    uploadThroughput: slow.throughput,
  });
  // What was requested until there is a figure. A slow machine must not end the 3 s that the page waits for its figures.
  await page.addInitScript(() => {
    const wait = setTimeout;
    Object.assign(window, {
      setTimeout: (then: () => void, ms: number) => wait(then, ms === 3_000 ? 120_000 : ms),
    });
    const watch = new MutationObserver(() => {
      if (!document.querySelector('.tile .value, tbody td')) return;
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
  await page.goto(gateway.url + path);
  const known = await page.waitForFunction(() => (window as { requested?: Requested }).requested);
  return { page, requested: (await known.jsonValue()) as Requested };
}

const proposer = async () => {
  const { data } = await gateway.graphql(`{ operator(operatorId: "Alder Liquid", idType: POOL) {
    validators(first: 1) { nodes { validatorIndex } } } }`);
  return data.operator.validators.nodes[0].validatorIndex as number;
};

const pages: [name: string, path: () => string | Promise<string>, heading: string | RegExp][] = [
  ['overview', () => '/', 'Overview'],
  ['operators', () => '/explore/operators', 'Operators'],
  ['operators', () => '/explore/operators?class=node-operator&order=APR_PERCENTAGE&range=7d', 'Operators'],
  ['operator', () => '/explore/operators/pool/Alder%20Liquid', 'Alder Liquid'],
  ['validator', async () => `/explore/validators/${await proposer()}`, /^Validator \d+$/],
  ['blocks', () => '/explore/blocks', 'Blocks'],
  ['solana', () => '/explore/solana', 'Solana'],
];

describe.skipIf(noBrowser)('on a network of 50 kB/s and 400 ms', () => {
  it.each(pages)(
    'the first figures of %s come with the second answer, before the application is requested, and are those of the page',
    async (name, pathOf, heading) => {
      const { page, requested } = await opened(await pathOf());
      // The browser may fetch the icon before or afterwards, and has the style sheet before it shows anything.
      const others = requested.filter(({ path }) => !/\.(svg|css)$/.test(path));
      const kinds = others
        .slice(1)
        .map(({ path }) => path.replace(/^.*\/(first-[a-z]+)[^/]*(?=\.js$)/, '$1'));
      expect(kinds.sort()).toEqual(['/graphql', `first-${name}.js`]);
      const style = await page.evaluate(async () => {
        const entries = () => performance.getEntriesByType('resource') as PerformanceResourceTiming[];
        const found = () => entries().find((one) => one.name.endsWith('.css'));
        while (!found()) await new Promise((done) => setTimeout(done, 50));
        return found()?.encodedBodySize ?? 0;
      });
      const shown = await textsIn(page);
      expect(shown.length).toBeGreaterThan(3);
      // The machine may be slow, so that the time of the network alone is compared.
      const bytes = style + others.reduce((sum, one) => sum + one.bytes, 0);
      expect(2 * slow.latency + (1_000 * bytes) / slow.throughput).toBeLessThan(1_500);
      await settled(page);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      expect(await page.locator('#first').count()).toBe(0);
      expect(await textsIn(page)).toEqual(shown);
    },
  );

  it('a page that begins otherwise is that of the application', async () => {
    const { page } = await open('/explore/operators/pool/Alder%20Liquid?tab=validators');
    await settled(page);
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(0);
    const { page: other } = await open('/explore/operators/nonsense/x');
    await other.getByText('There is no class of operators named nonsense.').waitFor();
    const { page: wrong } = await open('/explore/blocks?from=nonsense');
    await wrong.getByText('from is “nonsense”').waitFor();
  });
});
