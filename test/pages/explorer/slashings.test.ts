import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { isPage, settled, useExplorer } from '../../support/explorer.ts';

const explorer = useExplorer();
const rowsOf = (page: any) => page.getByRole('figure', { name: 'Slashed validators' }).locator('tbody tr');

isPage(explorer, '/explore/slashings', { heading: 'Slashings', statements: 4 });

describe.skipIf(noBrowser)('the slashings', () => {
  it('are filtered by operator and date, and ordered by penalty, on the server', async () => {
    const { page, sent } = await explorer.open('/explore/slashings?from=2021-01-01&to=2022-12-31');
    await rowsOf(page).first().waitFor();
    const all = await rowsOf(page).count();
    await page.getByLabel('Operator', { exact: true }).fill('Sample Pool Alder');
    await page.keyboard.press('Enter');
    await page.waitForURL(/operator=Sample/);
    await page.getByRole('link', { name: 'Penalties (ETH)' }).click();
    await page.waitForURL(/order=PENALTY/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({
      where: { operator: { idType: 'POOL', operatorId: 'Sample Pool Alder' } },
      fromDate: '2021-01-01',
      toDate: '2022-12-31',
      orderBy: { field: 'PENALTY', direction: 'DESC' },
    });
    const rows = await rowsOf(page).allInnerTexts();
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThan(all);
    for (const row of rows) expect(row).toContain('Sample Pool Alder');
    await page.getByRole('link', { name: 'Clear' }).click();
    await page.waitForURL((url: URL) => !url.searchParams.has('from'));
  });

  it('are counted by month, and by operator of the class that is chosen', async () => {
    const { page } = await explorer.open('/explore/slashings');
    const months = page.getByRole('figure', { name: 'Slashings by month' });
    await months.getByText('Table').click();
    const numbers = await months.locator('tbody tr td:nth-child(2)').allInnerTexts();
    expect(numbers.map(Number).reduce((sum, number) => sum + number, 0)).toBe(200);
    const operators = page.getByRole('figure', { name: 'By operator' });
    await operators.getByText('Sample Pool Alder').waitFor();
    await page.getByLabel('Class').selectOption('node-operator');
    await page.waitForURL(/class=node-operator/);
    await operators
      .getByText(/Sample Operator/)
      .first()
      .waitFor();
  });

  it('say that none fits', async () => {
    const { page } = await explorer.open('/explore/slashings?from=2100-01-01');
    await page.getByText('No slashing fits.').first().waitFor();
  });
});
