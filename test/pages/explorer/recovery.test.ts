import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { settled, useExplorer } from '../../support/explorer.ts';

const { open } = useExplorer();
const overview = (page: Awaited<ReturnType<typeof open>>['page']) =>
  page.getByRole('heading', { name: 'Overview' }).waitFor();

describe.skipIf(noBrowser)('a range of dates', () => {
  it('that is moved beyond its other end loses that end, and the page stays', async () => {
    const { page } = await open('/explore/slashings?to=2025-05-01&size=50');
    await settled(page);
    await page.getByLabel('From', { exact: true }).fill('2025-06-01');
    await page.getByLabel('From', { exact: true }).press('Enter');
    await page.waitForURL((url) => url.search === '?size=50&from=2025-06-01');
    await settled(page);
    await page.getByLabel('To', { exact: true }).fill('2025-05-20');
    await page.getByLabel('To', { exact: true }).press('Enter');
    await page.waitForURL((url) => url.search === '?size=50&to=2025-05-20');
    await page.getByRole('heading', { name: 'Slashings', exact: true }).waitFor();
  });
});

describe.skipIf(noBrowser)('a page whose filters fit nothing', () => {
  it.each([
    [
      '/explore/slashings?from=2025-06-01&to=2025-05-01&network=hoodi',
      'The address of this page is not valid',
    ],
    ['/explore/consolidations?operator=Nonesuch&network=hoodi', 'Not found'],
  ])('%s leads to the one without them', async (path, title) => {
    const { page } = await open(path);
    await page.getByRole('heading', { name: title }).waitFor();
    await page.getByRole('link', { name: 'Without filters' }).click();
    await page.waitForURL((url) => url.search === '?network=hoodi');
    await page.locator('search.filters').first().waitFor();
  });
});

describe.skipIf(noBrowser)('an address with a wrong value', () => {
  it.each([
    [
      '/explore/operators?network=goerli',
      'network is “goerli”, but must be one of mainnet, hoodi, holesky, sepolia.',
    ],
    ['/explore/operators?range=2d', 'range is “2d”, but must be one of 1d, 7d, 30d, all.'],
    [
      '/explore/operators?min=99999999999',
      'min is “99999999999”, but must be a whole number up to 999,999,999.',
    ],
    ['/explore/slashings?size=7', 'size is “7”, but must be one of 50, 100, 200.'],
  ])('%s is refused, in a title of its own', async (path, message) => {
    const { page } = await open(path);
    await page.getByRole('alert').getByText(message).waitFor();
    expect(await page.title()).toBe('The address of this page is not valid · stakegraph');
  });
});

describe.skipIf(noBrowser)('a gateway that was away', () => {
  it('is asked again by itself, and the page appears', async () => {
    const { page } = await open('/explore/blocks');
    await settled(page);
    await page.route('**/graphql', (route) => route.abort());
    await page.getByLabel('From', { exact: true }).fill('2020-01-01');
    await page.getByLabel('From', { exact: true }).press('Enter');
    await page.getByText('The gateway cannot be reached.').waitFor();
    await page.getByText(/^Trying again in \d s\.$/).waitFor();
    await page.unroute('**/graphql');
    await page.locator('.outdated').waitFor({ state: 'detached' });
  });

  it('also if the page was never opened before, at the address that was wanted', async () => {
    const { page } = await open('/');
    await overview(page);
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Blocks' }).first().click();
    await page.getByRole('heading', { name: 'The gateway cannot be reached' }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Blocks' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/explore/blocks');
  });

  it('and has other files since it was updated: a link leads where it says', async () => {
    const { page } = await open('/');
    await overview(page);
    let gone = 0;
    await page.route('**/consolidations-*.js', (route) => {
      gone += 1;
      return gone === 1 ? route.fulfill({ status: 404 }) : route.continue();
    });
    await page.getByRole('link', { name: 'Consolidations' }).first().click();
    await page.getByRole('heading', { name: 'Consolidations' }).first().waitFor();
    expect([new URL(page.url()).pathname, gone]).toEqual(['/explore/consolidations', 2]);
  });
});
