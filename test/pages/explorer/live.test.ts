import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createToken, revokeToken } from '../../../src/accounts/tokens.ts';
import { relayTo } from '../../support/away.ts';
import { noBrowser } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { refusal, settled, useExplorer } from '../../support/explorer.ts';
import { importBlocks, importSlashings } from '../../support/live-rows.ts';

const { gateway, open } = useExplorer();

const livePages = ['/', '/explore/blocks', '/explore/slashings'];
const UNREACHABLE = 'The gateway cannot be reached.';
/** Longer than the first waits between tries, of one and two seconds. */
const TRIES_MS = 4_000;

const isStream = (headers: Record<string, string>) => headers.accept === 'text/event-stream';

/** Refuses the streams of a page, or its documents. Returns a function that counts the refusals. */
async function refuse(page: Page, what: 'streams' | 'documents', code: string, status: number) {
  let refused = 0;
  await page.route('**/graphql', (route) => {
    if (isStream(route.request().headers()) !== (what === 'streams')) return route.fallback();
    refused += 1;
    return route.fulfill(refusal(code, status, { 'retry-after': '1' }));
  });
  return () => refused;
}

const live = (page: Page) => page.locator('.live[data-live="true"]').waitFor();
const ended = (page: Page, code: string) =>
  page.getByRole('alert').getByText(`No longer live: The message of ${code}.`).waitFor();

describe.skipIf(noBrowser)('a live page whose stream is refused', () => {
  const cases = livePages.flatMap((path) =>
    [
      ['UNAUTHENTICATED', 401],
      ['ALLOWANCE_USED', 402],
      ['RATE_LIMITED', 429],
    ].map(([code, status]) => [path, code as string, status as number] as const),
  );

  it.each(cases)('says so and tries no more: %s, %s', async (path, code, status) => {
    const relay = await relayTo(gateway);
    const opened = await open(path, { at: relay.url });
    const { page } = opened;
    await live(page);
    const rows = await page.locator('tbody tr').count();
    const refused = await refuse(page, 'streams', code, status);
    relay.cut();
    await ended(page, code);
    const sent = opened.sent.length;
    await page.waitForTimeout(TRIES_MS);
    expect([refused(), opened.sent.length]).toEqual([1, sent]);
    expect(await page.locator('tbody tr').count()).toBe(rows);
    if (path === '/explore/blocks') expect(await opened.violations()).toEqual([]);
    await page.unroute('**/graphql');
    if (code === 'UNAUTHENTICATED') {
      // The page is reloaded without its token; the test gives it back.
      const button = page.getByRole('button', { name: 'Use another token' });
      await Promise.all([page.waitForEvent('load'), button.click()]);
    } else {
      await page.getByRole('button', { name: 'Follow again' }).click();
      await live(page);
    }
  });

  it('ends when its token is revoked, and sends nothing more', async () => {
    const { token, row } = await createToken(gateway.database.pool, 'to be revoked');
    await eventually(async () =>
      expect((await gateway.get('/v0/eth/blocks?size=1', { authorization: `Bearer ${token}` })).status).toBe(
        200,
      ),
    );
    const { page } = await open('/explore/blocks', { token });
    await live(page);
    let sent = 0;
    page.on('request', () => (sent += 1));
    await revokeToken(gateway.database.pool, row.tokenId);
    await page.getByText('No longer live: The token was revoked or has expired.').waitFor();
    await page.waitForTimeout(TRIES_MS);
    expect(sent).toBe(0);
  });

  it.each([
    ['UNAUTHENTICATED', 401],
    ['ALLOWANCE_USED', 402],
    ['RATE_LIMITED', 429],
  ] as const)('also if the page that an event requests again is refused: %s', async (code, status) => {
    const { page } = await open('/explore/slashings');
    await live(page);
    const refused = await refuse(page, 'documents', code, status);
    await importSlashings(gateway, [code.length]);
    await ended(page, code);
    await importSlashings(gateway, [100 + code.length]);
    await page.waitForTimeout(TRIES_MS);
    expect(refused()).toBe(1);
    expect(await page.locator('.outdated').count()).toBe(0);
  });
});

describe.skipIf(noBrowser)('while the gateway is away', () => {
  const bar = (page: Page) => page.locator('.outdated').getByText(UNREACHABLE).waitFor();

  it('a live page keeps what it shows, greyed, under one bar, and goes on by itself', async () => {
    const relay = await relayTo(gateway);
    const opened = await open('/explore/blocks', { at: relay.url });
    const { page } = opened;
    await live(page);
    const rows = page.getByRole('figure', { name: 'Slots' }).locator('tbody tr');
    const slot = Number((await rows.first().innerText()).split('\t')[0]) + 1;
    await importBlocks(gateway, [slot]);
    await rows.getByText(String(slot)).waitFor();
    await relay.away();
    await bar(page);
    expect(await rows.first().innerText()).toContain(String(slot));
    expect(await page.getByText(UNREACHABLE).count()).toBe(1);
    const filter = (of: string) =>
      page.locator(of).evaluate((one) => getComputedStyle(one.closest('.content') as Element).filter);
    expect(await filter('table >> nth=0')).toBe('grayscale(1)');
    expect(await opened.violations()).toEqual([]);

    // What the reader does in the meantime changes only the address.
    await page.getByText('Missed', { exact: true }).click();
    await page.waitForTimeout(1_000);
    expect([await page.locator('.outdated').count(), await page.getByText(UNREACHABLE).count()]).toEqual([
      1, 1,
    ]);
    expect(await rows.first().innerText()).toContain(String(slot));

    await relay.back();
    await page.locator('.outdated').waitFor({ state: 'detached' });
    await page.waitForURL(/outcome=missed/);
    await live(page);
    expect(await rows.first().innerText()).toContain('missed');
    expect(await filter('table >> nth=0')).toBe('none');
  });

  it.each(['/', '/explore/slashings'])('so does %s, and misses nothing', async (path) => {
    const relay = await relayTo(gateway);
    const { page } = await open(path, { at: relay.url });
    await live(page);
    await relay.away();
    await bar(page);
    expect(await page.locator('.content[data-stale] table').count()).toBeGreaterThan(0);
    await relay.back();
    await page.locator('.outdated').waitFor({ state: 'detached' });
    await live(page);
  });

  it.each([
    ['/explore/operators', '7 d'],
    ['/explore/operators/pool/Alder%20Liquid', '7 d'],
    ['/explore/consolidations', '30 days'],
    ['/explore/solana', '7 d'],
    ['/explore/validators/854', 'Week'],
  ])('%s keeps its tables when something else is chosen', async (path, choice) => {
    const relay = await relayTo(gateway);
    const { page } = await open(path, { at: relay.url });
    await settled(page);
    const text = () => page.locator('.content table').allTextContents();
    const before = await text();
    await relay.away();
    await page.locator('.choice').getByText(choice, { exact: true }).first().click();
    await bar(page);
    expect(await text()).toEqual(before);
    expect(await page.getByText(UNREACHABLE).count()).toBe(1);
    await relay.back();
    await page.locator('.outdated').waitFor({ state: 'detached' });
    await settled(page);
    await eventually(async () => expect(await text()).not.toEqual(before));
  });

  it('a page that was never shown says it once, and appears by itself', async () => {
    const relay = await relayTo(gateway);
    const { page } = await open('/explore/operators', { at: relay.url });
    await settled(page);
    await page.getByRole('link', { name: 'Blocks' }).first().click();
    await page.getByRole('heading', { name: 'Blocks' }).waitFor(); // its files are loaded
    await page.goBack();
    await settled(page);
    await relay.away();
    await page.evaluate(() => history.pushState(null, '', '/explore/blocks?outcome=missed'));
    await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
    await page.getByRole('heading', { name: 'The gateway cannot be reached' }).waitFor();
    expect(await page.getByText('The gateway cannot be reached').count()).toBe(1);
    await relay.back();
    await page.getByRole('heading', { name: 'Blocks' }).waitFor();
  });

  it.each([502, 503, 504])(
    'a proxy that answers %i for it is told from a failure of the gateway',
    async (status) => {
      const { page } = await open('/explore/operators');
      await settled(page);
      await page.route('**/graphql', (route) =>
        route.fulfill({ status, contentType: 'text/html', body: '<html><body>Bad gateway</body></html>' }),
      );
      await page.locator('.choice').getByText('7 d', { exact: true }).click();
      await bar(page);
      await page.unroute('**/graphql');
      await page.locator('.outdated').waitFor({ state: 'detached' });
    },
  );
});
