import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noBrowser, openBrowser, type Visit, visit } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';

const gateway = useGateway();

const linksOf = (text: string) =>
  [...text.matchAll(/(?:href|src)="(?!data:)([^"]+)"/g)].map((match) => match[1] as string);

const page = async (path: string) => {
  const answer = await gateway.fetch(path, { headers: { accept: 'text/html' } });
  return { ...answer, links: linksOf(answer.text) };
};

describe('/ without the explorer', () => {
  it('is a page whose links all answer', async () => {
    const plain = await gatewayForTest({ settings: { EXPLORER: false } });
    const { status, text } = await plain.fetch('/', { headers: { accept: 'text/html' } });
    const links = linksOf(text);
    expect(status).toBe(200);
    const paths = ['/graphql', '/docs', '/openapi.json', '/health', '/ready', '/metrics'];
    expect(links).toEqual(paths.map((place) => `.${place}`));
    for (const place of paths) expect((await page(place)).status, place).toBe(200);
  });

  it('tells programs the same places in JSON', async () => {
    const { json } = await gateway.fetch('/');
    expect(json).toMatchObject({
      graphql: '/graphql',
      docs: '/docs',
      openapi: '/openapi.json',
      ready: '/ready',
    });
  });
});

describe.each(['/graphql', '/docs'])('the page %s', (path) => {
  it('takes scripts and styles from the gateway alone', async () => {
    const { links, text, headers } = await page(path);
    const others = new Set(links.filter((link) => !link.startsWith('./assets/')));
    expect([...others].sort()).toEqual(['./', './docs', './graphql']);
    expect(text).not.toMatch(/https?:\/\/(?!127\.0\.0\.1)/);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).not.toContain("script-src 'self' 'unsafe-inline'");
  });

  it('has assets that are sent compressed, and kept for good under names that change with them', async () => {
    const assets = (await page(path)).links.filter((link) => link.startsWith('./assets/'));
    expect(assets).toHaveLength(2);
    for (const link of assets) {
      const asset = link.slice(1);
      const { headers } = await gateway.fetch(asset, { headers: { 'accept-encoding': 'br' } });
      expect([headers.get('content-encoding'), headers.get('cache-control')], asset).toEqual([
        ...['br', 'public, max-age=31536000, immutable'],
      ]);
    }
  });

  it('has assets that pages of another version find, and ask for again', async () => {
    const [link] = (await page(path)).links.filter((link) => link.startsWith('./assets/'));
    const other = (link as string).slice(1).replace(/\.[\w-]+(?=\.\w+$)/, '.of-another-version');
    const first = await gateway.fetch(other);
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'public, no-cache']);
    const known = { 'if-none-match': first.headers.get('etag') as string };
    expect((await gateway.fetch(other, { headers: known })).status).toBe(304);
  });

  it('has the title and the colours of the explorer', async () => {
    const settings = { EXPLORER_TITLE: 'Ada & Co', EXPLORER_COLORS: { light: '#123456', dark: '#abcdef' } };
    const branded = await gatewayForTest({ settings });
    const { text } = await branded.fetch(path, { headers: { accept: 'text/html' } });
    expect(text).toContain('Ada &amp; Co</a>');
    expect(text).toMatch(/<title>[^<]* · Ada &amp; Co<\/title>/);
    expect(text).toContain('--accent:light-dark(#123456,#abcdef)');
  });
});

it('/docs names every path in its text, before a script has come', async () => {
  const { text } = await page('/docs');
  const { json } = await gateway.fetch('/openapi.json');
  for (const [path, methods] of Object.entries<object>(json.paths))
    for (const method of Object.keys(methods))
      expect(text).toContain(`<code>${method.toUpperCase()} ${path}</code>`);
});

describe.skipIf(noBrowser)(`/docs in a browser${noBrowser ? `: ${noBrowser}` : ''}`, () => {
  let browser: Browser;
  let docs: Visit;
  beforeAll(async () => {
    browser = await openBrowser();
    docs = await visit(browser, `${gateway.url}/docs`);
    await docs.page.locator('.opblock').first().waitFor();
  });
  afterAll(() => browser?.close());

  it('shows every documented path', async () => {
    const { json } = await gateway.fetch('/openapi.json');
    const shown = await docs.page
      .locator('.opblock-summary [data-path]')
      .evaluateAll((all) => all.map((one) => (one.getAttribute('data-path') ?? '') as string));
    // Once for each of its methods
    const documented = Object.entries<object>(json.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(() => path),
    );
    expect(shown.sort()).toEqual(documented.sort());
  });

  it('tries a path out with the token', async () => {
    const { page } = docs;
    await page.getByLabel('Access token').fill(gateway.token);
    await page.getByRole('button', { name: 'Use', exact: true }).click();
    await page.getByText('Requests carry a token.').waitFor();
    await page.locator('.opblock').first().waitFor();
    const block = page.locator('.opblock', { has: page.locator('[data-path="/v0/eth/operators"]') });
    await block.locator('.opblock-summary-control').click();
    await block.getByRole('button', { name: 'Try it out' }).click();
    await block.locator('tr[data-param-name=window] select').selectOption('7d');
    await block.getByRole('button', { name: 'Execute' }).click();
    const status = block.locator('.live-responses-table .response-col_status').nth(1);
    await status.waitFor();
    expect(await status.innerText()).toMatch(/^200/);
  });

  it('filters by path, summary and tag', async () => {
    const { page } = docs;
    const shown = () => page.locator('.opblock-summary [data-path]').count();
    const all = await shown();
    for (const [phrase, some] of [
      ['chainDailyRewards', 2],
      ['sync committee', 1],
      ['polkadot', 2],
    ] as const) {
      await page.locator('.operation-filter-input').fill(phrase);
      await eventually(async () => expect(await shown()).toBe(some), 30_000);
    }
    await page.locator('.operation-filter-input').fill('');
    await eventually(async () => expect(await shown()).toBe(all), 30_000);
  });

  it('is dark where the reader prefers that', async () => {
    const background = () =>
      docs.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    for (const [colorScheme, color] of [
      ['dark', 'rgb(28, 32, 34)'],
      ['light', 'rgba(0, 0, 0, 0)'],
    ] as const) {
      await docs.page.emulateMedia({ colorScheme });
      await eventually(async () => expect(await background()).toBe(color));
    }
  });

  it('asks nobody but the gateway', () => {
    expect([...docs.hosts]).toEqual([new URL(gateway.url).host]);
  });

  it('keeps to its content security policy, without an error in the console', () => {
    expect(docs.complaints).toEqual([]);
  });
});
