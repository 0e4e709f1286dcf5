import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { BID_SLOTS, BUILDER, importBuilders } from '../../support/builders.ts';
import { isPage, settled, useExplorer } from '../../support/explorer.ts';

const explorer = useExplorer();
beforeAll(() => importBuilders(explorer.gateway));
const rowsOf = (page: Page, name: string) => page.getByRole('figure', { name }).locator('tbody tr');

isPage(explorer, '/explore/builders', { heading: 'Builders', statements: 2 });
isPage(explorer, `/explore/builders/${BUILDER.pubkey}`, { heading: 'Builder 1', statements: 3 });

describe.skipIf(noBrowser)('the builders', () => {
  it('are filtered and ordered on the server, and lead to their pages', async () => {
    const { page, sent } = await explorer.open('/explore/builders?status=present');
    await rowsOf(page, 'Builders').first().waitFor();
    await page.getByRole('link', { name: /^Index/ }).click(); // an arrow may follow
    await page.waitForURL(/order=INDEX/);
    await page.getByRole('link', { name: /^Index/ }).click();
    await page.waitForURL(/direction=ASC/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({
      where: { exited: false },
      orderBy: { field: 'INDEX', direction: 'ASC' },
    });
    const first = rowsOf(page, 'Builders').first();
    expect((await first.innerText()).split('\t')[0]).toBe('1');
    await first.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Builder 1' }).waitFor();
  });

  it('are found by their execution address', async () => {
    const { page } = await explorer.open('/explore/builders');
    await page.getByLabel('Execution address').fill('dd'.repeat(20));
    await page.keyboard.press('Enter');
    await page.waitForURL(/address=dd/);
    await settled(page);
    expect(await rowsOf(page, 'Builders').count()).toBe(5);
  });

  it('show the blocks with their bids, which say how the bids ended', async () => {
    const { page } = await explorer.open(`/explore/builders/${BUILDER.pubkey}`);
    const rows = rowsOf(page, 'Blocks with its bid');
    await rows.first().waitFor();
    const texts = await rows.allInnerTexts();
    expect(texts.map((text) => text.split('\t').slice(3))).toEqual([
      ['full', '0.07', 'paid'],
      ['empty', '0.07', 'not paid'],
    ]);
  });

  it('that are not known have a page that says so', async () => {
    const { page } = await explorer.open(`/explore/builders/0x${'ee'.repeat(48)}`);
    await page.getByText('This builder is not stored on mainnet.').waitFor();
  });
});

describe.skipIf(noBrowser)('a block of Gloas', () => {
  const facts = async (slot: number | undefined) => {
    const { page } = await explorer.open(`/explore/blocks/${slot}`);
    await page.getByText('Payload', { exact: true }).waitFor();
    return (await page.locator('dl.facts > div').allInnerTexts()).map((text) =>
      text.replace(/\s*\n\s*/, ': '),
    );
  };

  it('tells its payload, and the bid with its builder', async () => {
    expect(await facts(BID_SLOTS[0])).toEqual(
      expect.arrayContaining([
        'Payload: empty',
        'Bid of: builder 1',
        'Bid: 0.07 ETH',
        'Payment: not paid',
        'Promised in the payload: 0.003 ETH',
        'Execution outcome: missed',
      ]),
    );
    expect(await facts(BID_SLOTS[1])).toEqual(
      expect.arrayContaining(['Payload: full', 'Payment: paid', 'Execution outcome: proposed']),
    );
  });

  it("of the proposer's own payload has no builder", async () => {
    const own = await facts(BID_SLOTS[2]);
    expect(own).toEqual(expect.arrayContaining(['Payload: full', 'Bid of: the proposer itself']));
    expect(own.filter((fact) => fact.startsWith('Payment'))).toEqual([]);
  });

  it('without its payload is found in the list of blocks', async () => {
    const { page, sent } = await explorer.open('/explore/blocks');
    await page.getByText('Empty payload', { exact: true }).click();
    await page.waitForURL(/payload=empty/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({ where: { payload: 'EMPTY' } });
    const [row] = await rowsOf(page, 'Slots').allInnerTexts();
    expect(row).toContain(String(BID_SLOTS[0]));
    expect(row?.split('\t').slice(2, 4)).toEqual(['proposed', 'empty']);
  });
});
