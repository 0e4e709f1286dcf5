import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeAccount, storeUsage } from '../../support/accounts.ts';
import { noBrowser } from '../../support/browser.ts';
import { pasteInto, refusal, useExplorer } from '../../support/explorer.ts';

const { gateway, open } = useExplorer();
const MANY = 2_500;
let known: number[];
beforeAll(async () => {
  const { rows } = await gateway.database.pool.query({
    text: `select validator_index as index from validators where network = 'mainnet' order by 1 limit ${MANY}`,
    values: [],
  });
  known = rows.map(({ index }) => index as number);
});

const isMutation = (body: { query: string } | null) => body?.query.startsWith('mutation') === true;
/** Answers the mutations of a page that `refused` says, by their number, instead of the gateway. */
async function refuse(page: Page, refused: (number: number) => ReturnType<typeof refusal> | undefined) {
  let number = 0;
  await page.route('**/graphql', (route) => {
    const answer = isMutation(route.request().postDataJSON()) ? refused(++number) : undefined;
    return answer ? route.fulfill(answer) : route.fallback();
  });
}
const overRate = (seconds = 1) => refusal('RATE_LIMITED', 429, { 'retry-after': String(seconds) });

async function paste(page: Page, name: string) {
  await page.getByLabel('Name').fill(name);
  await pasteInto(page.getByRole('textbox', { name: 'Validators' }), known.join('\n'));
  await page.getByRole('button', { name: 'Make a set of 2,500 validators' }).click();
}
const madeOf = async (page: Page, name: string) => {
  await page.getByRole('heading', { level: 1, name }).waitFor();
  return page.locator('.tile', { hasText: 'Validators' }).locator('.value').innerText();
};
const sizes = (sent: { query: string; variables: any }[]) =>
  sent.filter(isMutation).map(({ variables }) => variables.input.validators.length);

describe.skipIf(noBrowser)('a pasted list of thousands', () => {
  it('waits when a batch is over the rate, says how much is sent, and goes on by itself', async () => {
    const { token } = await makeAccount(gateway);
    const { page, sent, violations } = await open('/explore/sets', { token });
    let limited = true;
    await refuse(page, (number) => (number >= 2 && limited ? overRate() : undefined));
    await paste(page, 'Waited');
    await page.getByText('Waiting for the rate limit, 1,000 of 2,500 sent').waitFor();
    expect(await violations()).toEqual([]);
    limited = false;
    expect(await madeOf(page, 'Waited')).toBe('2,500');
    const [first, ...others] = sizes(sent);
    expect(first).toBe(1000);
    expect(others.slice(-2)).toEqual([1000, 500]);
  });

  it('is taken by a gateway that allows one request a second', async () => {
    const { token } = await makeAccount(gateway, { rateLimit: 1 });
    const { page } = await open('/explore/sets', { token });
    await paste(page, 'Slow');
    expect(await madeOf(page, 'Slow')).toBe('2,500');
  });

  it('can be cancelled while it waits: what was added is told, and the rest can be sent later', async () => {
    const { token } = await makeAccount(gateway);
    const { page, sent } = await open('/explore/sets', { token });
    let limited = true;
    await refuse(page, (number) => (number >= 3 && limited ? overRate(30) : undefined));
    await paste(page, 'Cancelled');
    await page.getByText('Waiting for the rate limit, 2,000 of 2,500 sent').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page
      .getByText('The set was made. 2,000 of 2,500 validators were added; 500 were not. You stopped it.')
      .waitFor();
    await page.getByRole('link', { name: 'Cancelled' }).waitFor();
    limited = false;
    await page.getByRole('button', { name: 'Send the other 500' }).click();
    expect(await madeOf(page, 'Cancelled')).toBe('2,500');
    expect(sizes(sent)).toEqual([1000, 1000, 500, 500]);
  });

  it('ends after a minute over the rate, and tells that nothing was done', async () => {
    const { token } = await makeAccount(gateway);
    const { page } = await open('/explore/sets', { token });
    await page.getByRole('heading', { name: 'New set' }).waitFor();
    await page.clock.install();
    await refuse(page, () => overRate(7));
    await paste(page, 'Never');
    await page.getByText('Waiting for the rate limit, 0 of 2,500 sent').waitFor();
    const alert = page.getByRole('alert');
    await expect
      .poll(async () => {
        await page.clock.runFor(5_000);
        return alert.count();
      })
      .toBe(1);
    expect(await alert.innerText()).toBe(
      'The set was not made. The token was over its rate for a minute. Other programs may be using it.',
    );
  });

  it('ends when the units are used up: what was added is told, and the page stays', async () => {
    const { name, token } = await makeAccount(gateway, { unitAllowance: 1_000 });
    const { page } = await open('/explore/sets', { token });
    await page.getByRole('heading', { name: 'New set' }).waitFor();
    await storeUsage(gateway, name, new Date().toISOString().slice(0, 7), 1_000 - 133); // a batch costs 66
    await paste(page, 'Used up');
    const alert = page.getByRole('alert');
    await alert
      .getByText(/^The set was made\. 2,000 of 2,500 validators were added; 500 were not\. .*compute units/)
      .waitFor();
    await page.getByText('This page shows what was stored before').waitFor();
    expect(await page.getByRole('textbox', { name: 'Validators' }).inputValue()).toBe(known.join('\n'));
    await storeUsage(gateway, name, new Date().toISOString().slice(0, 7), 0);
    await page.getByRole('button', { name: 'Request it again' }).click();
    await page.getByRole('link', { name: 'Used up' }).waitFor();
    await page.getByRole('button', { name: 'Send the other 500' }).click();
    expect(await madeOf(page, 'Used up')).toBe('2,500');
  });

  it('ends when the connection is lost: it tells of which validators it is not known', async () => {
    const { token } = await makeAccount(gateway);
    const { page } = await open('/explore/sets', { token });
    let number = 0;
    await page.route('**/graphql', async (route) => {
      if (!isMutation(route.request().postDataJSON()) || ++number !== 2) return route.fallback();
      await route.fetch(); // the gateway does it, and its answer is lost
      return route.abort();
    });
    await paste(page, 'Lost');
    await page
      .getByText(
        'The set was made. 1,000 of 2,500 validators were added; for 1,000 it is not known, and they can be sent again without harm; 500 were not. The gateway cannot be reached.',
      )
      .waitFor();
    await page.getByRole('button', { name: 'Send the other 1,500' }).click();
    expect(await madeOf(page, 'Lost')).toBe('2,500');
  });
});
