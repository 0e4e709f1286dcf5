import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newPageCode } from '../../../src/accounts/page-codes.ts';
import { noBrowser } from '../../support/browser.ts';
import { refusal, settled, useExplorer } from '../../support/explorer.ts';
import { gatewayForTest } from '../../support/gateway.ts';
import { scratch } from '../../support/scratch.ts';

const { gateway, open } = useExplorer();
function documentsFile() {
  const file = join(mkdtempSync(join(scratch, 'stakegraph-documents-')), 'documents.json');
  writeFileSync(file, JSON.stringify({ own: '{ viewer { account } }' }));
  return file;
}

describe.skipIf(noBrowser)('the token of the explorer', () => {
  it('is that of the link, which works once; it is shared with GraphiQL in another tab', async () => {
    const { page } = await open(`/#${await newPageCode(gateway.database.pool)}`, { token: null });
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toBe(`${gateway.url}/`);
    const other = await page.context().newPage();
    await other.goto(`${gateway.url}/graphql`);
    await other.getByText('Requests carry a token.').waitFor();
    await other.getByRole('button', { name: 'Forget' }).click();
    await page.getByRole('heading', { name: 'An access token is needed' }).waitFor();
  });

  it('is asked for where no code is given, kept in the tab only, and forgotten when told to', async () => {
    const opened = await open('/?range=90d', { token: null });
    const { page, sent } = opened;
    await page.getByRole('heading', { name: 'An access token is needed' }).waitFor();
    expect(sent).toEqual([]);
    expect(await opened.violations()).toEqual([]);
    await page.getByLabel('Access token').fill(gateway.token);
    await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('sgt_');
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'An access token is needed' }).waitFor();
  });

  it('is asked for on a gateway of another name, which holds none', async () => {
    const port = new URL(gateway.url).port;
    const { page, complaints, hosts } = await open('/', {
      token: null,
      at: `http://stakegraph.localhost:${port}`,
    });
    await page.getByRole('heading', { name: 'An access token is needed' }).waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await page.getByLabel('Access token').fill(gateway.token);
    await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect([complaints, [...hosts]]).toEqual([[], [`stakegraph.localhost:${port}`]]);
  });

  it('is asked for again when it is not valid', async () => {
    const { page } = await open('/', { token: 'sgt_wrong' });
    await page.getByRole('heading', { name: 'The access token is not valid' }).waitFor();
  });

  it('is not held by the page, whoever asks and by whatever name', async () => {
    for (const host of [new URL(gateway.url).host, 'stakegraph.example']) {
      const { text } = await gateway.fetch('/explore/operators', { headers: { host, accept: 'text/html' } });
      expect(text).toContain('id="root"');
      expect(text).not.toMatch(/sgt_/);
    }
  });
});

describe.skipIf(noBrowser)('a page of the explorer without data', () => {
  it('over the rate: counts down and tries again by itself', async () => {
    const opened = await open('/', { token: null });
    const { page } = opened;
    let limited = true;
    await page.route('**/graphql', (route) =>
      limited ? route.fulfill(refusal('RATE_LIMITED', 429, { 'retry-after': '3' })) : route.continue(),
    );
    await page.getByLabel('Access token').fill(gateway.token);
    await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Too many requests' }).waitFor();
    await page.getByText(/Trying again in \d s/).waitFor();
    expect(await opened.violations()).toEqual([]);
    limited = false;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it.each([
    ['ALLOWANCE_USED', 402, 'No compute units left'],
    ['UNAVAILABLE', 503, 'Something went wrong'],
    ['NOT_FOUND', 200, 'Not found'],
    ['BAD_INPUT', 200, 'The address of this page is not valid'],
  ])('%s: says so, with the message of the gateway', async (code, status, heading) => {
    const opened = await open('/explore', { token: null });
    const { page } = opened;
    await page.route('**/graphql', (route) => route.fulfill(refusal(code, status)));
    await page.evaluate((token) => sessionStorage.setItem('stakegraph:token', token), gateway.token);
    await page.goto(`${gateway.url}/`);
    await page.getByRole('heading', { name: heading }).waitFor();
    await page.getByText(`The message of ${code}.`).waitFor();
    expect(await opened.violations()).toEqual([]);
  });

  it('that cannot reach the gateway: says so, and shows the data when tried again', async () => {
    const { page } = await open('/explore');
    await page.route('**/graphql', (route) => route.abort());
    await page.goto(`${gateway.url}/`);
    await page.getByRole('heading', { name: 'The gateway cannot be reached' }).waitFor();
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('that does not exist: says so', async () => {
    const { page } = await open('/explore/nothing');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
  });
});

describe.skipIf(noBrowser)('with TRUSTED_ONLY', () => {
  const trusting = useExplorer({ settings: { TRUSTED_ONLY: true, TRUSTED_DOCUMENTS: documentsFile() } });

  it('the documents of the explorer are answered, and no other', async () => {
    const { page } = await trusting.open('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const { errors } = await trusting.gateway.graphql('{ networkOverview { window } }');
    expect(errors?.[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe.skipIf(noBrowser)('the frame of the explorer', () => {
  it('remembers the theme that was chosen over the one of the system', async () => {
    const { page } = await open('/', { colorScheme: 'light' });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const light = await background();
    await page.getByRole('button', { name: 'Use the dark theme' }).click();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole('button', { name: 'Use the light theme' }).waitFor();
    expect(await background()).toBe(dark);
  });

  it.each([390, 1024, 2560])(
    'at %i px has its head in one row, as wide as the content, and networks as places',
    async (width) => {
      const { page } = await open('/', { viewport: { width, height: 900 } });
      await settled(page);
      const [head, content] = await page.evaluate(() =>
        ['.top', 'main'].map((name) => document.querySelector(name)?.getBoundingClientRect() as DOMRect),
      );
      expect(head?.height).toBeLessThan(64);
      expect(content?.width).toBe(head?.width);
      const pages = page.getByRole('navigation', { name: 'Pages', exact: true });
      const menu = page.getByRole('button', { name: 'Networks and pages' });
      expect(await menu.isVisible()).toBe(width < 1024);
      if (width < 1024) await menu.press('Enter');
      await pages.getByRole('link', { name: 'Solana' }).press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Solana' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/explore/solana');
      expect(await pages.isVisible()).toBe(width >= 1024); // the drawer closes
    },
  );

  it.each(['/', 'Control+k', 'Meta+k'])('moves to the search by %s, but not out of a field', async (key) => {
    const { page } = await open('/explore/operators');
    await settled(page);
    const search = page.getByRole('combobox', { name: /^Search/ });
    const hasFocus = () => search.evaluate((input) => input === document.activeElement);
    await page.getByLabel('Tag').focus();
    await page.keyboard.press('/');
    expect([await hasFocus(), await page.getByLabel('Tag').inputValue()]).toEqual([false, '/']);
    await page.locator('main').focus();
    await page.keyboard.press(key);
    expect([await hasFocus(), await search.inputValue()]).toEqual([true, '']);
  });

  it('groups what is found by kind, with the class and the share of stake', async () => {
    const { page } = await open('/');
    await settled(page);
    await page.getByRole('combobox', { name: /^Search/ }).fill('cedar');
    const operators = page.getByRole('group', { name: 'Operators' });
    await operators.getByRole('option', { name: /^Cedar Exchange pool \d+\.\d+%$/ }).waitFor();
    const groups = await page.getByRole('listbox').getByRole('group').all();
    for (const group of groups) expect(await group.getByRole('option').count()).toBeGreaterThan(0);
  });

  it('needs no scrolling sideways at 320 px', async () => {
    const { page } = await open('/', { viewport: { width: 320, height: 800 } });
    const answer = await gateway.get('/v0/eth/blocks?size=1');
    for (const path of [
      '/',
      '/explore/operators',
      '/explore/operators/pool/Alder%20Liquid',
      `/explore/blocks/${answer.json.data[0].consensusSlot}`,
      '/explore/slashings',
      '/explore/consolidations',
      '/explore/solana',
      '/explore/account',
    ]) {
      await page.goto(gateway.url + path);
      await settled(page);
      expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, 320]);
    }
  });

  it('is walked by keyboard: the first stop skips to the content', async () => {
    const { page } = await open('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
  });

  it('tells what the last query cost', async () => {
    const { page } = await open('/');
    await page.getByText(/The last query cost \d+ units/).waitFor();
  });

  it('finds a block by its slot: the list has no violation, and Enter opens what is chosen', async () => {
    const opened = await open('/?network=mainnet');
    const { page } = opened;
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const slot = await page
      .getByRole('figure', { name: 'Newest blocks' })
      .getByRole('link', { name: /^\d+$/ })
      .first()
      .innerText();
    await page.getByRole('combobox', { name: /^Search/ }).fill(slot);
    await page.getByRole('option', { name: `${slot} proposed` }).waitFor();
    expect(await opened.violations()).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === `/explore/blocks/${slot}`);
    expect(new URL(page.url()).search).toBe('?network=mainnet');
  });

  it('opens what was typed last, also where Enter comes before it is found', async () => {
    const opened = await open('/?network=mainnet');
    const { page } = opened;
    const slots = page.getByRole('figure', { name: 'Newest blocks' }).locator('a[href*="/blocks/"]');
    await slots.nth(1).waitFor();
    const [first, second] = [await slots.nth(0).innerText(), await slots.nth(1).innerText()];
    const search = page.getByRole('combobox', { name: /^Search/ });
    await search.fill(first);
    await page.getByRole('option', { name: `${first} proposed` }).waitFor();
    await search.fill(second);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === `/explore/blocks/${second}`);
  });

  it('opens the operators of a tag that is found', async () => {
    const { page } = await open('/?network=mainnet&range=7d');
    await page.getByRole('combobox', { name: /^Search/ }).fill('custodi');
    await page.getByRole('option', { name: /^custodian operators with/ }).click();
    await page.waitForURL((url) => url.pathname === '/explore/operators');
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('tag'), searchParams.get('network')]).toEqual(['custodian', 'mainnet']);
    await page.getByRole('figure').first().locator('tbody tr').first().waitFor();
  });

  it('opens by Enter only what begins with the text, or was chosen by an arrow', async () => {
    const { page } = await open('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const search = page.getByRole('combobox', { name: /^Search/ });
    await search.fill('edar exch');
    const cedar = page.getByRole('option', { name: /^Cedar Exchange pool/ });
    await cedar.waitFor();
    await search.press('Enter');
    expect(await cedar.isVisible()).toBe(true);
    expect(new URL(page.url()).pathname).toBe('/');
    await search.press('Escape');
    expect(await cedar.isVisible()).toBe(false);
    await search.press('ArrowDown');
    await cedar.waitFor();
    await search.press('ArrowDown');
    await search.press('Enter');
    await page.waitForURL(/explore\/operators\/[a-z-]+\/.*Cedar/);
    await search.fill('cedar exch');
    await cedar.waitFor();
    await search.press('Enter');
    await page.waitForURL(/explore\/operators\/pool\/Cedar%20Exchange/);
  });

  it('says "Sample data" in its head, until other data was loaded into all that the page shows', async () => {
    const own = await gatewayForTest();
    const { page } = await open('/explore/slashings', { at: own.url, token: own.token });
    const note = page.getByRole('complementary', { name: 'Sample data' });
    await note.getByRole('button').click();
    await note.getByText('docs/importing.md').waitFor();
    const run = (text: string) => own.database.pool.query({ text, values: [] });
    await run(`update dataset_origins set origin = 'import'`);
    await run('select raise_revision(name) from datasets');
    await expect
      .poll(async () => {
        await page.reload();
        await page.getByRole('figure', { name: 'By operator' }).waitFor();
        return note.count();
      })
      .toBe(0);
  });

  it('says "Sample data" also on a page that shows none, if the gateway has some', async () => {
    const { page } = await open('/explore/account');
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    expect(await page.getByRole('complementary', { name: 'Sample data' }).isVisible()).toBe(true);
  });

  it('says that no validator has an index', async () => {
    const { page } = await open('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('combobox', { name: /^Search/ }).fill('999999999');
    await page.getByText('No validator has this index.').waitFor();
  });

  it('searches while one types, and says when nothing is found', async () => {
    const { page, sent } = await open('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('combobox', { name: /^Search/ }).fill('zzzzqq');
    await page.getByText('Nothing is found for zzzzqq.').waitFor();
    expect(sent.at(-1)?.variables).toEqual({ text: 'zzzzqq', network: 'MAINNET' });
  });
});
