import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../support/accounts.ts';
import { noBrowser } from '../../support/browser.ts';
import { isPage, useExplorer } from '../../support/explorer.ts';

const explorer = useExplorer();
const { gateway, open } = explorer;

isPage(explorer, '/explore/account', { heading: 'Account', statements: 0 });

describe.skipIf(noBrowser)('the account', () => {
  it('shows the tier, the rate, and the units that were used and are left, as the gateway counts them', async () => {
    const { token } = await makeAccount(gateway, { tier: 'build', used: 250_000 });
    const { page, violations } = await open('/explore/account', { token, locale: 'en-GB' });
    const tile = (name: string) => page.locator('.tile', { hasText: name }).locator('.value');
    await tile('Tier').waitFor();
    expect(await tile('Tier').innerText()).toBe('Build');
    expect(await tile('Rate').innerText()).toBe('10 requests a second');
    expect(await tile('Units used').innerText()).toBe('250,000');
    expect(await tile('Units left').innerText()).toBe('750,000');
    await page
      .getByText(/250,000 of 1,000,000 units were used this month \(UTC\); 750,000 are left/)
      .waitFor();
    await page.getByText(/The next period begins 1 .* UTC/).waitFor();
    expect(await violations()).toEqual([]);
  });

  it('lists what each view of this session cost, and asks anew each time it is shown', async () => {
    const { token } = await makeAccount(gateway, { tier: 'build' });
    const { page, sent } = await open('/explore/sets', { token });
    await page.getByRole('heading', { name: 'My sets' }).waitFor();
    const nav = page.getByRole('navigation', { name: 'Pages', exact: true });
    const account = async () => {
      await page.getByRole('button', { name: 'Account' }).click();
      await page.getByRole('link', { name: 'Account and usage' }).click();
    };
    await account();
    const rows = page.getByRole('figure', { name: 'What the views' }).locator('tbody tr');
    await rows.nth(1).waitFor();
    const [newest, older] = await rows.allInnerTexts();
    expect(newest).toMatch(/^\/explore\/account\taccountQuery\t.* UTC\t0$/);
    expect(older).toMatch(/^\/explore\/sets\tsetsQuery\t.* UTC\t[1-9]\d*$/);
    const spent = page.locator('.tile', { hasText: 'Units of this session' }).locator('.value');
    expect(await spent.innerText()).toBe(older?.split('\t').at(-1));
    await nav.getByRole('link', { name: 'Ethereum' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await account();
    await rows.nth(2).waitFor();
    expect(sent.filter(({ operationName }) => operationName === 'accountQuery')).toHaveLength(2);
  });

  it('tells a token that it is over its rate, and shows the page when there is room again', async () => {
    const { token, authorization } = await makeAccount(gateway, { tier: 'build', rateLimit: 1 });
    const opened = await open('/explore', { token });
    const burst = () =>
      Promise.all([1, 2, 3].map(() => gateway.graphql('{ viewer { account } }', {}, { authorization })));
    await opened.page.route('**/graphql', async (route) => {
      await burst();
      await route.continue();
      await opened.page.unroute('**/graphql');
    });
    await opened.page.goto(`${gateway.url}/explore/account`);
    await opened.page.getByRole('heading', { name: 'Too many requests' }).waitFor();
    await opened.page.getByRole('heading', { name: 'Account' }).waitFor();
  });

  it('tells an account without units so, when its next period begins, and how much was used', async () => {
    const { token } = await makeAccount(gateway, { tier: 'starter', used: 100_000 });
    for (const path of [
      '/explore/account',
      '/explore/sets',
      '/explore/solana',
      '/explore/rewards/polkadot',
    ]) {
      const { page, violations, close } = await open(path, { token });
      await page.getByRole('heading', { name: 'No compute units left' }).waitFor();
      await page
        .getByText(/100,?000/)
        .first()
        .waitFor();
      expect(await violations()).toEqual([]);
      await close();
    }
  });
});
