import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { settled, useExplorer } from '../../support/explorer.ts';

const { open } = useExplorer();

/** Pages with paged tables, and the name of one. */
const tables = [
  ['/explore/operators', 'Pools'],
  ['/explore/blocks?size=50', 'Slots'],
  ['/explore/slashings?size=50', 'Slashed validators'],
  ['/explore/consolidations', 'Processed'],
  ['/explore/solana', 'Stake authorities'],
] as const;

const frameOf = (page: Page, title: string | RegExp) =>
  page.locator('figure', { has: page.getByRole('heading', { name: title }) }).locator('> .scroll');

/** Where the parts of a table are in the window. */
const places = (frame: Locator) =>
  frame.evaluate((element) => {
    const table = element.querySelector('table') as HTMLTableElement;
    const [top = 0] = [document.querySelector('.top')].map((head) =>
      head && getComputedStyle(head).position === 'sticky' ? head.getBoundingClientRect().bottom : 0,
    );
    const of = (one: Element | null | undefined) => one?.getBoundingClientRect() as DOMRect;
    return {
      hiddenRows: element.scrollHeight - element.clientHeight,
      isWide: table.offsetWidth > element.clientWidth + 1,
      frame: of(element),
      head: of(table.tHead?.rows[0]?.cells[0]),
      first: of(table.tBodies[0]?.rows[0]?.cells[0]),
      below: top,
      fades: getComputedStyle(element).maskImage !== 'none',
    };
  });

describe.skipIf(noBrowser)('a paged table', () => {
  const cases = [390, 1280, 1920].flatMap((width) =>
    tables.map(([path, title]) => [width, path, title] as const),
  );

  it.each(cases)(
    'at %i px shows all rows of %s, with heads and first column in sight',
    async (width, path, title) => {
      const { page } = await open(path, { viewport: { width, height: 800 } });
      await settled(page);
      const frame = frameOf(page, title).first();
      const before = await places(frame);
      expect(before.hiddenRows).toBeLessThanOrEqual(1);
      expect(before.fades).toBe(before.isWide);
      if (width === 390) expect(before.isWide).toBe(true);
      // The rows pass below the heads of the columns.
      const way = before.frame.top + before.frame.height / 2;
      await page.evaluate((y) => scrollTo(0, scrollY + y), way);
      await eventually(async () => {
        const { head, below, frame: moved } = await places(frame);
        expect(moved.top).toBeLessThan(below);
        expect(Math.abs(head.top - below)).toBeLessThanOrEqual(2);
      });
      if (!before.isWide) return;
      await frame.evaluate((element) => (element.scrollLeft = element.scrollWidth));
      await eventually(async () => {
        const after = await places(frame);
        expect(Math.abs(after.head.left - after.frame.left)).toBeLessThanOrEqual(1);
        expect(Math.abs(after.first.left - after.frame.left)).toBeLessThanOrEqual(1);
        expect(after.fades).toBe(false); // nothing more is to the right
      });
    },
  );
});

describe.skipIf(noBrowser)('the filter by operator', () => {
  const operator = (page: Page) => page.getByRole('combobox', { name: 'Operator', exact: true });

  it.each(['blocks', 'slashings', 'consolidations'])(
    'of %s finds a part of a name in any case',
    async (name) => {
      const { page } = await open(`/explore/${name}`);
      await settled(page);
      await operator(page).fill('ALDER');
      await operator(page).press('Enter');
      await page.waitForURL((url) => url.searchParams.get('operator') === 'Alder Liquid');
      await settled(page);
      expect(await operator(page).inputValue()).toBe('Alder Liquid');
      await operator(page).fill('dar exch'); // begins within a word
      await page.locator('datalist option[value="Cedar Exchange"]').waitFor({ state: 'attached' });
      await operator(page).press('Enter');
      await page.waitForURL((url) => url.searchParams.get('operator') === 'Cedar Exchange');
    },
  );

  it.each(['blocks', 'slashings', 'consolidations'])('of %s does so in an address, too', async (name) => {
    const { page } = await open(`/explore/${name}?operator=der%20liq&class=node-operator`);
    await page.waitForURL((url) => url.searchParams.get('operator')?.includes('Alder') === true);
    await settled(page);
    await page.locator('search.filters').waitFor();
  });

  it('takes the class of what is found, and says that none has such a name', async () => {
    const { page } = await open('/explore/slashings?class=deposit-address');
    await settled(page);
    await operator(page).fill('alder liquid');
    await page.locator('datalist option[value="Alder Liquid"]').waitFor({ state: 'attached' });
    await operator(page).press('Enter');
    await page.waitForURL((url) => url.search === '?operator=Alder+Liquid');
    await operator(page).fill('nobody');
    await operator(page).press('Enter');
    await page.getByText('No pool has “nobody” in its name.').first().waitFor();
  });
});
