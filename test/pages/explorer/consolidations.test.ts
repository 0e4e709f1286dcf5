import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { isPage, settled, useExplorer } from '../../support/explorer.ts';

const explorer = useExplorer();

isPage(explorer, '/explore/consolidations', { heading: 'Consolidations', statements: 18 });

describe.skipIf(noBrowser)('the consolidations', () => {
  it('are filtered by operator, and ordered by balance, on the server', async () => {
    const { page, sent } = await explorer.open('/explore/consolidations?operator=Alder%20Liquid&size=100');
    const figure = page.getByRole('figure', { name: 'Processed' });
    await figure.getByRole('link', { name: 'Moved (ETH)' }).click();
    await page.waitForURL(/order=CONSOLIDATED_BALANCE/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({
      operatorId: 'Alder Liquid',
      operatorClass: 'POOL',
      orderBy: { field: 'CONSOLIDATED_BALANCE', direction: 'DESC' },
    });
    const rows = await figure.locator('tbody tr').allInnerTexts();
    expect(rows.length).toBeGreaterThan(50);
    for (const row of rows) expect(row).toContain('Alder Liquid');
  });

  it('have their queue, which is walked apart from the processed ones', async () => {
    const { page } = await explorer.open('/explore/consolidations');
    const queue = page.getByRole('figure', { name: 'Pending queue' });
    await queue.getByText('1 to 20 of 25').waitFor();
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
    await page.getByRole('group', { name: 'Window of the capacity' }).getByText('30 days').click();
    await page.waitForURL(/window=30d/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({ idType: 'NODE_OPERATOR', window: 'THIRTY_DAYS' });
  });

  it('are plotted from the whole list with the churn that they used, by the period that is chosen', async () => {
    const { page, sent } = await explorer.open('/explore/consolidations?calendar=utc', { locale: 'en-GB' });
    const { data } = await explorer.gateway.graphql('{ consolidations { totalCount } }');
    const figure = page.getByRole('figure', { name: 'Consolidated over time' });
    await figure.locator('.plot rect').first().waitFor();
    await page.getByText('Months', { exact: true }).click();
    await page.waitForURL(/granularity=month/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({ granularity: 'MONTH', utc: true, first: 50 });
    await figure.getByText('Table').click();
    const numbers = await figure.locator('tbody tr td:nth-child(3)').allInnerTexts();
    const sum = numbers.reduce((all, number) => all + Number(number.replaceAll(',', '')), 0);
    expect(sum).toBe(data.consolidations.totalCount);
    expect(await figure.locator('tbody tr').first().innerText()).toMatch(/^May 2025/);
    const capacity = page.getByRole('figure', { name: 'Capacity over time' });
    await capacity.getByText('Table').click();
    expect(await capacity.locator('tbody tr td:nth-child(5)').first().innerText()).toMatch(/%$/);
  });

  it('have the capacity of every operator, page by page', async () => {
    const { page } = await explorer.open('/explore/consolidations?window=all&class=deposit-address');
    const parts = page.getByRole('figure', { name: 'Capacity by operator' });
    const first = await parts.locator('tbody tr').first().innerText();
    await parts.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(/parts-after=/);
    await parts.getByRole('link', { name: 'Previous' }).waitFor();
    expect(await parts.locator('tbody tr').first().innerText()).not.toBe(first);
    expect(page.url()).not.toMatch(/totals-after/);
  });

  it('say that none fits', async () => {
    const { page } = await explorer.open('/explore/consolidations?from=2100-01-01');
    await page.getByText('No consolidation fits.').first().waitFor();
  });
});
