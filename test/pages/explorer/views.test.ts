import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.ts';
import { noBrowser } from '../../support/browser.ts';
import { isPage, settled, useExplorer } from '../../support/explorer.ts';

const explorer = useExplorer();
const { gateway, open } = explorer;

isPage(explorer, '/explore/views', { heading: 'Saved views', statements: 1 });

describe.skipIf(noBrowser)('saved views', () => {
  it('keep the address of a page under a name, by keyboard, and open it elsewhere', async () => {
    const { token } = await makeAccount(gateway, { tier: 'free' });
    const path = '/explore/operators?class=node-operator&range=7d';
    const { page, violations } = await open(`${path}&after=WyJ4Il0`, { token });
    await page.getByRole('button', { name: 'Saved views' }).press('Enter');
    const card = page.locator('#views');
    await card.getByText('Your account has saved no page yet.').waitFor();
    const name = card.getByRole('textbox', { name: 'Name' });
    await name.fill(' ');
    await name.press('Enter');
    await card.getByRole('alert').getByText('name must be a text of 1 to 100 characters').waitFor();
    expect(await violations()).toEqual([]);
    await name.fill('Node operators of the week');
    await name.press('Enter');
    await card.getByRole('status').getByText('Saved as Node operators of the week.').waitFor();
    const link = card.getByRole('link', { name: 'Node operators of the week' });
    await link.waitFor();
    expect(await violations()).toEqual([]);
    await name.press('Enter');
    await card.getByRole('alert').getByText('which another saved view of the account has').waitFor();
    // Another tab of the account, and another page.
    const other = await open('/explore/blocks', { token });
    await settled(other.page);
    await other.page.getByRole('button', { name: 'Saved views' }).click();
    await other.page
      .locator('#views')
      .getByRole('link', { name: 'Node operators of the week' })
      .press('Enter');
    await other.page.getByRole('heading', { level: 1, name: 'Operators' }).waitFor();
    // Without the place in the list, which belongs to a revision of it.
    await other.page.waitForURL((url) => url.pathname + url.search === path);
    expect(await other.page.locator('#views').isVisible()).toBe(false);
  });

  it('are renamed and deleted, once asked, and are those of the account', async () => {
    const { token, authorization } = await makeAccount(gateway);
    for (const [name, path] of [
      ['First', '/?range=1y'],
      ['Second', `/explore/slashings?operator=${'x'.repeat(300)}`],
    ])
      await gateway.graphql(
        'mutation ($input: CreateSavedViewInput!) { createSavedView(input: $input) { userErrors { code } } }',
        { input: { name, path } },
        { authorization },
      );
    const { page, violations } = await open('/', { token, viewport: { width: 320, height: 800 } });
    await settled(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.locator('#account').getByRole('link', { name: 'Saved views' }).click();
    const rows = page.locator('main li');
    await rows.nth(1).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Rename First' }).press('Enter');
    await page.getByRole('textbox', { name: 'Name' }).fill('Second');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('which another saved view of the account has').waitFor();
    expect(await violations()).toEqual([]);
    await page.getByRole('textbox', { name: 'Name' }).fill('A year');
    await page.getByRole('button', { name: 'Save the name' }).click();
    await page.getByRole('link', { name: 'A year' }).waitFor();
    await page.getByRole('button', { name: 'Delete Second' }).click();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await page.getByRole('button', { name: 'Delete Second' }).click();
    await page.getByRole('button', { name: 'Delete the view' }).click();
    await page.waitForFunction(() => document.querySelectorAll('main li').length === 1);
    await page.getByRole('link', { name: 'A year' }).click();
    await page.waitForURL((url) => url.search === '?range=1y');
    const other = await open('/explore/views');
    await other.page.getByText('Your account has saved no page yet.').waitFor();
  });

  it('need a token, which their button says', async () => {
    const { page, violations } = await open('/', { token: null, viewport: { width: 320, height: 800 } });
    await page.getByRole('heading', { name: 'An access token is needed' }).waitFor();
    await page.getByRole('button', { name: 'Saved views' }).press('Enter');
    await page.getByText('Views are saved on the gateway, for the account of your token.').waitFor();
    expect(await violations()).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  });
});
