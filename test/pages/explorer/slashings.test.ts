import { once } from 'node:events';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { isPage, settled, useExplorer } from '../../support/explorer.ts';
import { importSlashings } from '../../support/live-rows.ts';

const explorer = useExplorer();
const rowsOf = (page: Page) => page.getByRole('figure', { name: 'Slashed validators' }).locator('tbody tr');

isPage(explorer, '/explore/slashings', { heading: 'Slashings', statements: 6 });

describe.skipIf(noBrowser)('the slashings', () => {
  it('are filtered by operator and date, and ordered by penalty, on the server', async () => {
    const { page, sent } = await explorer.open('/explore/slashings?from=2021-01-01&to=2022-12-31&size=200');
    await rowsOf(page).first().waitFor();
    const all = await rowsOf(page).count();
    await page.getByLabel('Operator', { exact: true }).fill('Alder Liquid');
    await page.keyboard.press('Enter');
    await page.waitForURL(/operator=Alder/);
    await page.getByRole('link', { name: 'Penalties (ETH)' }).click();
    await page.waitForURL(/order=PENALTY/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({
      where: { operator: { idType: 'POOL', operatorId: 'Alder Liquid' } },
      fromDate: '2021-01-01',
      toDate: '2022-12-31',
      orderBy: { field: 'PENALTY', direction: 'DESC' },
    });
    const rows = await rowsOf(page).allInnerTexts();
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThan(all);
    for (const row of rows) expect(row).toContain('Alder Liquid');
    await page.getByRole('link', { name: 'Clear' }).click();
    await page.waitForURL(
      ({ searchParams }: URL) => !searchParams.has('operator') && searchParams.has('from'),
    );
  });

  it('keep a filter whose rows are loading when a link is clicked', async () => {
    const { page, sent } = await explorer.open('/explore/slashings');
    await rowsOf(page).first().waitFor();
    const answers = new AbortController();
    await page.route('**/graphql', async (route) => {
      if (!answers.signal.aborted) await once(answers.signal, 'abort');
      await route.continue();
    });
    await page.getByLabel('Operator', { exact: true }).fill('Alder Liquid');
    await page.keyboard.press('Enter');
    await page.waitForURL(/operator=Alder/);
    await page.getByRole('link', { name: 'Penalties (ETH)' }).click();
    await page.waitForURL(/operator=Alder.*order=PENALTY/);
    answers.abort();
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({
      where: { operator: { idType: 'POOL', operatorId: 'Alder Liquid' } },
      orderBy: { field: 'PENALTY', direction: 'DESC' },
    });
  });

  it('are plotted from the whole list, by the period that is chosen, whatever the page shows', async () => {
    const { page, sent } = await explorer.open('/explore/slashings', { locale: 'en-GB' });
    const { data } = await explorer.gateway.graphql('{ slashings { totalCount } }');
    for (const name of ['Slashings over time', 'Penalties over time']) {
      const figure = page.getByRole('figure', { name });
      await figure.locator('.plot rect').first().waitFor();
      await figure.getByText('Table').click();
      const numbers = await figure.locator('tbody tr td:nth-child(2)').allInnerTexts();
      expect(numbers.map(Number).reduce((sum, number) => sum + number, 0)).toBe(data.slashings.totalCount);
    }
    expect(await rowsOf(page).count()).toBe(50);
    await page.getByText('Years', { exact: true }).click();
    await page.waitForURL(/granularity=year/);
    await settled(page);
    expect(sent.at(-1)?.variables).toMatchObject({ granularity: 'YEAR', first: 50 });
    const years = page.getByRole('figure', { name: 'Slashings over time' }).locator('tbody tr');
    await years.first().getByText('2020', { exact: true }).waitFor();
  });

  it('are counted by whole numbers on the axis, however few there are', async () => {
    const { data } = await explorer.gateway.graphql('{ slashings(first: 1) { nodes { date } } }');
    const [{ date }] = data.slashings.nodes;
    const { page } = await explorer.open(`/explore/slashings?from=${date}&to=${date}`);
    const plot = page.getByRole('figure', { name: 'Slashings over time' }).locator('.plot');
    await plot.locator('rect').first().waitFor();
    const levels = (await plot.locator('g[text-anchor="end"] text').allTextContents()).map(Number);
    expect(levels.length).toBeGreaterThan(1);
    expect(levels.filter((level) => !Number.isInteger(level))).toEqual([]);
  });

  it('of the page are counted by operator of the class that is chosen, whose events in the range are a link away', async () => {
    const { page } = await explorer.open('/explore/slashings?from=2022-01-01&to=2022-12-31&size=200');
    const operators = page.getByRole('figure', { name: 'By operator' });
    const row = operators.locator('tbody tr', { hasText: 'Alder Liquid' });
    const number = await row.locator('td').first().innerText();
    await row.getByRole('link', { name: 'Alder Liquid' }).press('Enter');
    await page.waitForURL(/pool\/Alder%20Liquid\?tab=events&from=2022-01-01&to=2022-12-31/);
    await settled(page);
    const slashed = page.locator('.tile', { hasText: 'Slashed validators' }).locator('.value');
    expect(await slashed.innerText()).toBe(number);
    await page.goBack();
    await page.getByLabel('Class').selectOption('node-operator');
    await page.waitForURL(/class=node-operator/);
    await operators
      .getByText(/^[A-Z][a-z]+ [A-Z][a-z]+$/)
      .first()
      .waitFor();
  });

  it('appear without a reload when another process imports one, and only where they fit', async () => {
    const { page } = await explorer.open('/explore/slashings?size=50&direction=ASC');
    const { page: filtered } = await explorer.open('/explore/slashings?from=2022-01-01');
    for (const one of [page, filtered]) await one.getByText(/^Live/).waitFor();
    const totalOf = (one: Page) => one.locator('.tile', { hasText: 'Slashed validators' }).locator('.value');
    const [all, some] = [Number(await totalOf(page).innerText()), await totalOf(filtered).innerText()];
    await page.evaluate(() => Object.assign(window, { same: true }));
    await importSlashings(explorer.gateway, [3]);
    await rowsOf(page).getByRole('link', { name: '3', exact: true }).waitFor();
    await eventually(async () => expect(await totalOf(page).innerText()).toBe(String(all + 1)));
    expect(await page.evaluate(() => 'same' in window)).toBe(true);
    await page.getByText(/^Live/).waitFor();
    expect(await totalOf(filtered).innerText()).toBe(some);
  });

  it('say that none fits, and that an operator is unknown', async () => {
    const { page } = await explorer.open('/explore/slashings?from=2100-01-01');
    await page.getByText('No slashing fits.').first().waitFor();
    await page.goto(`${explorer.gateway.url}/explore/slashings?class=node-operator&operator=nobody`);
    await page.getByText('No node operator has “nobody” in its name.').first().waitFor();
  });
});
