import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { csvIn, saved, settled, useExplorer } from '../../support/explorer.ts';

const { gateway, open } = useExplorer();
const figure = (page: Page, name: string) => page.getByRole('figure', { name, exact: true });
const alder = '/explore/operators/pool/Alder%20Liquid?tab=performance';

const day = new Intl.DateTimeFormat('en-US', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The first and the last date of the table of a figure, as the axis writes them. */
async function ends(page: Page, name: string) {
  const file = await saved(page, page.getByRole('button', { name: `CSV of ${name}`, exact: true }));
  const dates = (await csvIn(file)).trimEnd().split('\r\n').slice(1);
  return [dates[0], dates.at(-1)]
    .map((line) => line?.slice(0, 10) ?? '')
    .sort()
    .map((date) => day.format(new Date(date)));
}

/** What the tips of all plots of a page say. */
const tips = (page: Page) =>
  page
    .locator('.plot')
    .evaluateAll((plots) =>
      plots.map((plot) => [...plot.querySelectorAll('tspan')].map((line) => line.textContent)[0]),
    );

describe.skipIf(noBrowser)('plots over time', () => {
  it.each([390, 1280])(
    'at %i px go straight from point to point, and name the first and the last date',
    async (width) => {
      const { page } = await open('/?range=90d', { viewport: { width, height: 900 }, locale: 'en-US' });
      for (const name of ['Staked', 'Rewards']) {
        const plot = figure(page, name).locator('.plot svg').first();
        await plot.waitFor();
        const labels = await plot.locator('g text').allTextContents();
        const [first, last] = await ends(page, name);
        expect(labels, name).toEqual(expect.arrayContaining([first, last]));
      }
      const lines = await page
        .locator('.plot path')
        .evaluateAll((paths) => paths.map((path) => path.getAttribute('d') ?? ''));
      expect(lines.filter((path) => path.length > 500).length).toBeGreaterThan(2);
      expect(lines.filter((path) => path.length > 500 && /[CSQA]/.test(path))).toEqual([]);
    },
  );

  it('point at the same period, and a part that is dragged over becomes the range of the page', async () => {
    const { page, sent } = await open(`${alder}&range=90d`, { locale: 'en-US' });
    await settled(page);
    const plot = figure(page, 'Effectiveness').locator('.plot');
    const { x, y } = (await plot.boundingBox()) as { x: number; y: number };
    await page.mouse.move(x + 300, y + 100);
    // The script of it is loaded when the pointer comes.
    await eventually(async () => {
      await page.mouse.move(x + 299, y + 101);
      await page.mouse.move(x + 300, y + 100);
      const [first, ...others] = await tips(page);
      expect(first).toMatch(/2025/);
      expect(others).toEqual([first, first]);
    }, 30_000);
    const before = page.url();
    const drag = async () => {
      await page.mouse.move(x + 300, y + 100);
      await page.mouse.down();
      await page.mouse.move(x + 500, y + 110, { steps: 4 });
    };
    await drag();
    await page.locator('.band').waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect([await page.locator('.band').count(), page.url()]).toEqual([0, before]);
    await drag();
    await page.mouse.up();
    await page.waitForURL(/tab=performance&from=2025-\d\d-\d\d&to=2025-\d\d-\d\d$/);
    await settled(page);
    const { searchParams } = new URL(page.url());
    const [from, to] = [searchParams.get('from'), searchParams.get('to')];
    expect(sent.at(-1)?.variables).toMatchObject({ fromDate: from, toDate: to });
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe(from);
    expect(await ends(page, 'Effectiveness')).toEqual(
      [from, to].map((date) => day.format(new Date(date as string))),
    );
    await page.mouse.move(0, 0);
    await expect.poll(() => tips(page)).toEqual([undefined, undefined, undefined]);
    await page.goBack();
    await page.getByLabel('90 d').and(page.locator(':checked')).waitFor();
  });

  it('mark slashings and outages with links to what happened, by keyboard too', async () => {
    const { data } = await gateway.graphql(`{ operator(operatorId: "Alder Liquid", idType: POOL) {
      attestations(first: 1) { nodes { date totalUniqueAttestations } }
      utc: attestations(utc: true, first: 1) { nodes { date totalUniqueAttestations } }
      slashings(first: 1) { nodes { date validatorIndex } } } }`);
    const [{ date, validatorIndex }] = data.operator.slashings.nodes;
    const { page } = await open(`${alder}&from=${date}&to=${date}`, { locale: 'en-US' });
    const slashing = figure(page, 'Effectiveness').getByRole('link', { name: /was slashed on/ });
    await slashing.waitFor();
    expect(await slashing.getAttribute('aria-label')).toContain(`Validator ${validatorIndex} was slashed`);
    await slashing.press('Enter');
    await page.waitForURL((url) => url.search === `?tab=events&from=${date}&to=${date}`);
    await figure(page, 'Slashings')
      .getByRole('link', { name: String(validatorIndex) })
      .waitFor();
    // No day of the sample for tests has an outage.
    for (const [calendar, [newest]] of [
      ['', data.operator.attestations.nodes],
      ['&calendar=utc', data.operator.utc.nodes],
    ] as const) {
      await page.route('**/graphql', async (route) => {
        const response = await route.fetch();
        const text = (await response.text()).replace(
          /("sumMissedAttestations":)"\d+"/,
          (_, key) => `${key}"${newest.totalUniqueAttestations}"`,
        );
        await route.fulfill({ response, body: text });
      });
      await page.goto(`${gateway.url}${alder}${calendar}`);
      const link = figure(page, 'Missed and wrong votes').getByRole('link', {
        name: /^50\.00% of attestations/,
      });
      await link.waitFor();
      await page.unrouteAll({ behavior: 'wait' });
      await link.press('Enter');
      const { date: on } = newest;
      await page.waitForURL((url) => url.search === `?tab=performance&from=${on}&to=${on}${calendar}`);
    }
  });

  it('of the network mark slashings, by day and by week', async () => {
    const { data } = await gateway.graphql(`{
      slashingHistory(first: 1) { nodes { date slashingCount } } }`);
    const [{ date, slashingCount }] = data.slashingHistory.nodes;
    const { page } = await open(`/?from=${date}&to=${date}`, { locale: 'en-US' });
    const mark = figure(page, 'Rewards').getByRole('link', { name: /slashed/ });
    await mark.waitFor();
    expect(await mark.getAttribute('aria-label')).toMatch(new RegExp(`^${slashingCount} validators? w`));
    await figure(page, 'Participation').getByText('Slashings, or more than 10% missed').waitFor();
    await mark.press('Enter');
    // The list has UTC dates, and the chain day ends at noon of the next one.
    const next = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
    await page.waitForURL(
      (url) => url.pathname + url.search === `/explore/slashings?from=${date}&to=${next}`,
    );
    await page.goto(`${gateway.url}/?range=all`);
    await figure(page, 'Participation')
      .getByRole('link', { name: /slashed/ })
      .first()
      .waitFor();
  });

  it('are saved as pictures that stand alone, by keyboard', async () => {
    const opened = await open(alder, { locale: 'en-US' });
    const { page } = opened;
    await settled(page);
    await page.getByRole('button', { name: 'Share Effectiveness' }).press('Enter');
    const save = (kind: string) => page.getByRole('button', { name: `Save as ${kind}` });
    await save('PNG').waitFor();
    expect(await opened.violations()).toEqual([]);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('.share-menu') !== null)).toBe(true);
    const png = await readFile(await (await saved(page, save('PNG'))).path());
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(png.readUInt32BE(16)).toBeGreaterThan(1_000); // its width
    const file = await saved(page, save('SVG'));
    expect(file.suggestedFilename()).toBe('effectiveness.svg');
    const svg = await readFile(await file.path(), 'utf8');
    expect(svg).toContain('>Effectiveness</text>');
    expect(svg).toMatch(/stakegraph, data as of .* UTC/);
    expect(svg).not.toMatch(/var\(|currentColor/);
    await page.keyboard.press('Escape');
    await save('PNG').waitFor({ state: 'detached' });
    expect(opened.complaints).toEqual([]);
  });
});
