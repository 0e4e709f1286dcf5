import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { isPage, settled, useExplorer } from '../../support/explorer.ts';
import { importBlocks } from '../../support/live-rows.ts';

const explorer = useExplorer();
const slots = (page: any) => page.getByRole('figure', { name: 'Slots' }).locator('tbody tr');

isPage(explorer, '/explore/blocks', { heading: 'Blocks', statements: 6 });
isPage(explorer, '/explore/blocks/12927614', { heading: 'Block 12927614', statements: 8 });

describe.skipIf(noBrowser)('the blocks', () => {
  it('are filtered by outcome, proposer and operator on the server, by the URL', async () => {
    const { page, sent } = await explorer.open('/explore/blocks');
    await page.getByRole('heading', { name: 'Blocks' }).waitFor();
    await page.getByText('Missed', { exact: true }).click();
    await page.waitForURL(/outcome=missed/);
    await page.getByLabel('Operator', { exact: true }).fill('Alder Liquid');
    await page.keyboard.press('Enter');
    await page.waitForURL(/operator=Alder/);
    await settled(page);
    // The search for the name may be sent later than the page.
    expect(sent.findLast(({ variables }) => variables && 'where' in variables)?.variables).toMatchObject({
      where: { outcome: 'MISSED', operator: { idType: 'POOL', operatorId: 'Alder Liquid' } },
    });
    for (const row of await slots(page).allInnerTexts()) expect(row).toContain('missed');
    await page.goto(`${explorer.gateway.url}/explore/blocks?proposer=1913835`);
    await slots(page).first().waitFor();
    for (const row of await slots(page).allInnerTexts()) expect(row).toContain('1913835');
  });

  it('are walked forward and back, each page with the next slots', async () => {
    const { page } = await explorer.open('/explore/blocks');
    const first = slots(page).first();
    await page.getByText('12927615', { exact: true }).last().waitFor();
    await page.getByRole('link', { name: 'Next' }).click();
    await slots(page).getByText('12927595').waitFor();
    expect(await first.innerText()).toContain('12927595');
    await page.getByText('As of when the page was opened.').waitFor();
    await page.getByRole('link', { name: 'Previous' }).click();
    await slots(page).getByText('12927615').waitFor();
  });

  it('say that none fits, that an operator is unknown, and that a proposer is not one', async () => {
    const { page } = await explorer.open('/explore/blocks?from=2100-01-01');
    await page.getByText('No stored slot fits.').first().waitFor();
    await page.goto(`${explorer.gateway.url}/explore/blocks?operator=nobody`);
    await page.getByText('No pool has “nobody” in its name.').first().waitFor();
    await page.goto(`${explorer.gateway.url}/explore/blocks?proposer=me`);
    await page
      .getByText('proposer is “me”, but must be the index or the public key of a validator.')
      .waitFor();
  });

  it('are not filtered by a proposer that is none, which the field tells', async () => {
    const { page } = await explorer.open('/explore/blocks');
    await settled(page);
    const field = page.getByLabel('Proposer');
    await field.fill('amber');
    await field.press('Enter');
    expect(await field.evaluate((input: HTMLInputElement) => input.validationMessage)).toBe(
      'It must be the index or the public key of a validator.',
    );
    await field.blur();
    expect(new URL(page.url()).search).toBe('');
    await field.fill('1913835');
    await field.press('Enter');
    await page.waitForURL(/proposer=1913835/);
  });

  it('say of a day that no calendar has that it is none', async () => {
    const { page } = await explorer.open('/explore/blocks?from=2025-02-31');
    await page.getByText('from is “2025-02-31”, but must be a date like 2026-03-31.').waitFor();
  });

  it('are requested again when the gateway refuses the revision from which the page would follow them', async () => {
    const { page, sent } = await explorer.open('/explore/blocks');
    await page.getByText(/^Live/).waitFor();
    let first = true;
    await page.route('**/graphql', async (route) => {
      if (!first || !route.request().postData()?.includes('blocksQuery')) return route.continue();
      first = false;
      const response = await route.fetch();
      const body = await response.json();
      body.extensions.revision.blocks = 2_000_000_000;
      await route.fulfill({ response, json: body });
    });
    const before = sent.length;
    await page.reload();
    await page.getByText(/^Live/).waitFor();
    expect(sent.slice(before).filter(({ operationName }) => operationName === 'blocksQuery')).toHaveLength(2);
  });

  it('appear without a reload when another process imports one, and only where they fit', async () => {
    const { page } = await explorer.open('/explore/blocks');
    const { page: filtered } = await explorer.open('/explore/blocks?outcome=missed');
    const rows = slots(page);
    for (const one of [page, filtered]) await one.getByText(/^Live/).waitFor();
    const slot = Number((await rows.first().innerText()).split('\t')[0]) + 1;
    const others = await slots(filtered).count();
    await page.evaluate(() => Object.assign(window, { same: true }));
    await importBlocks(explorer.gateway, [slot]);
    await rows.getByText(String(slot)).waitFor();
    expect(await rows.count()).toBe(21);
    expect(await rows.first().innerText()).toContain(String(slot));
    await page.getByText('1 to 21 of 2,049').waitFor();
    expect(await page.evaluate(() => 'same' in window)).toBe(true);
    expect(await slots(filtered).count()).toBe(others);
  });
});

describe.skipIf(noBrowser)('a block', () => {
  it('has its sync committee, a cell and a row for each seat', async () => {
    const { page } = await explorer.open('/explore/blocks/12927614');
    await page.getByText(/of 512 seats signed/).waitFor();
    const figure = page.getByRole('figure', { name: 'Sync committee' });
    await figure.getByText('Table').click();
    expect(await figure.locator('tbody tr').count()).toBe(512);
    expect(await figure.locator('.plot rect').count()).toBe(512);
  });

  it('leads to its neighbours', async () => {
    const { page } = await explorer.open('/explore/blocks/12927614');
    await page.getByRole('link', { name: 'Next slot' }).click();
    await page.getByRole('heading', { name: 'Block 12927615' }).waitFor();
    await page.getByRole('link', { name: 'Previous slot' }).waitFor();
  });

  it('that was missed has what its proposer lost, and no transactions', async () => {
    const missed = await explorer.gateway.graphql(
      '{ blocks(where: { outcome: MISSED }, first: 1) { nodes { consensusSlot } } }',
    );
    const [{ consensusSlot }] = missed.data.blocks.nodes;
    const { page } = await explorer.open(`/explore/blocks/${consensusSlot}`);
    await page.getByText('Missed rewards').waitFor();
    await page.getByText('A slot without a block has none.').waitFor();
  });

  it('that is not stored, or no slot, is not found', async () => {
    const { page } = await explorer.open('/explore/blocks/5');
    await page.getByText('Slot 5 is not stored on mainnet.').waitFor();
    await page.goto(`${explorer.gateway.url}/explore/blocks/last`);
    await page.getByText('last is not a slot.').waitFor();
  });
});
