import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { isPage, settled, useExplorer } from '../../support/explorer.ts';

const explorer = useExplorer();

isPage(explorer, '/explore/consolidations', { heading: 'Consolidations', statements: 14 });

describe.skipIf(noBrowser)('the consolidations', () => {
  it('are filtered by operator, and ordered by balance, on the server', async () => {
    const { page, sent } = await explorer.open('/explore/consolidations?operator=Sample%20Pool%20Alder');
    const figure = page.getByRole('figure', { name: 'Processed' });
    await figure.getByRole('link', { name: 'Moved (ETH)' }).click();
    await page.waitForURL(/order=CONSOLIDATED_BALANCE/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({
      operatorId: 'Sample Pool Alder',
      operatorClass: 'POOL',
      orderBy: { field: 'CONSOLIDATED_BALANCE', direction: 'DESC' },
    });
    const rows = await figure.locator('tbody tr').allInnerTexts();
    expect(rows.length).toBeGreaterThan(50);
    for (const row of rows) expect(row).toContain('Sample Pool Alder');
  });

  it('have their queue, which is walked apart from the processed ones', async () => {
    const { page } = await explorer.open('/explore/consolidations');
    const queue = page.getByRole('figure', { name: 'Pending queue' });
    await queue.getByText('25 in all').waitFor();
    await queue.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(/queue-after=/);
    await queue.getByRole('link', { name: 'Previous' }).waitFor();
    expect(await queue.locator('tbody tr').count()).toBe(5);
  });

  it('have the churn used in each window, and by operators of the class that is chosen', async () => {
    const { page, sent } = await explorer.open('/explore/consolidations');
    const churn = page.getByRole('figure', { name: 'Churn used' });
    await churn.getByText('Table').click();
    expect(await churn.locator('tbody tr').count()).toBe(4);
    await page.getByLabel('Class').selectOption('node-operator');
    await page.waitForURL(/class=node-operator/);
    await page.getByText('30 days', { exact: true }).first().click();
    await page.waitForURL(/window=30d/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({ idType: 'NODE_OPERATOR', window: 'THIRTY_DAYS' });
  });

  it('say that none fits', async () => {
    const { page } = await explorer.open('/explore/consolidations?from=2100-01-01');
    await page.getByText('No consolidation fits.').first().waitFor();
  });
});
