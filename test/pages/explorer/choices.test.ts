import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { BUILDER, importBuilders } from '../../support/builders.ts';
import { saved, settled, useExplorer } from '../../support/explorer.ts';

const { open, gateway } = useExplorer();
beforeAll(() => importBuilders(gateway));

/** What fields of a page are filled with, by their names. */
const texts: Record<string, string> = {
  name: 'cedar',
  tag: 'custodian',
  min: '5000',
  operator: 'Alder Liquid',
  from: '2025-10-01',
  to: '2025-10-20',
  address: `0x${'dd'.repeat(20)}`,
};

/** What a form does with the text in it: a choice that is no view of the page, so the URL does not have it. */
const ofForms = ['What to do with the list'];

/** Something to choose on a page: its values, which of them is chosen, and how another one is. */
type Control = {
  name: string;
  values: string[];
  chosen: string;
  choose: (value: string) => Promise<unknown>;
};

async function radios(page: Page): Promise<Control[]> {
  const groups = await page.locator('main fieldset.choice').all();
  return Promise.all(
    groups.map(async (group) => ({
      name: await group.locator('legend').innerText(),
      values: await group.locator('label').allInnerTexts(),
      chosen: await group.locator('label:has(input:checked)').innerText(),
      choose: (value) => group.getByText(value, { exact: true }).click(),
    })),
  );
}

async function selects(page: Page): Promise<Control[]> {
  return Promise.all(
    (await page.locator('select').all()).map(async (select) => {
      const values = await select
        .locator('option')
        .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
      return {
        name: (await select.evaluate((one: HTMLSelectElement) => one.labels[0]?.innerText)) ?? 'select',
        values: values.filter((value) => !value.startsWith('/')), // those are other pages
        chosen: await select.inputValue(),
        choose: (value) => select.selectOption(value),
      };
    }),
  );
}

async function fields(page: Page): Promise<Control[]> {
  const found = await page.locator('main form.field input').all();
  return Promise.all(
    found.map(async (field) => {
      const name = (await field.getAttribute('name')) as string;
      return {
        name,
        values: ['', texts[name]].filter((text) => text !== undefined),
        chosen: await field.inputValue(),
        choose: async (value) => {
          await field.fill(value);
          await field.press('Enter');
        },
      };
    }),
  );
}

async function orders(page: Page): Promise<Control[]> {
  const heads = page.locator('main thead th:has(a)');
  const values = await heads.locator('a').allInnerTexts();
  const chosen = await page.locator('main thead th[aria-sort] a').allInnerTexts();
  if (chosen[0] === undefined) return [];
  const choose = (value: string) => heads.getByRole('link', { name: value, exact: true }).first().click();
  return [{ name: 'order', values, chosen: chosen[0], choose }];
}

/** The first page of each list and the one after it. */
async function turns(page: Page): Promise<Control[]> {
  const pagers = page.locator('main nav.pager', { has: page.getByRole('link', { name: 'Next' }) });
  const names = await pagers.evaluateAll((navs) => navs.map((nav) => nav.getAttribute('aria-label') ?? ''));
  return names.map((name) => ({
    name,
    values: ['First', 'Next'],
    chosen: 'First',
    choose: (value) => page.getByRole('navigation', { name, exact: true }).getByText(value).click(),
  }));
}

async function months(page: Page): Promise<Control[]> {
  const field = page.getByLabel('Month', { exact: true }).and(page.locator('input'));
  if ((await field.count()) === 0 || (await field.getAttribute('type')) !== 'month') return [];
  const chosen = await field.inputValue();
  return [{ name: 'month', values: [chosen, '2025-09'], chosen, choose: (value) => field.fill(value) }];
}

async function compared(page: Page): Promise<Control[]> {
  const field = page.getByLabel('Compare with');
  if ((await field.count()) === 0) return [];
  const choose = async (value: string) => {
    if (value === '')
      return page
        .getByRole('link', { name: /from the comparison$/ })
        .last()
        .click();
    await field.fill(value);
    const option = page.locator(`datalist option[value^="${value} ("]`).first();
    await option.waitFor({ state: 'attached' });
    return field.fill((await option.getAttribute('value')) as string);
  };
  return [{ name: 'compared', values: ['', 'Cedar Exchange'], chosen: '', choose }];
}

/**
 * What the page says once it is followed, without its plots, which draw the rows of its tables, and without the time of a
 * print.
 */
async function textOf(page: Page) {
  await page.waitForFunction(() => !document.querySelector('main [data-live="false"]'));
  return page.locator('main').evaluate((main) => {
    const copy = main.cloneNode(true) as HTMLElement;
    for (const one of copy.querySelectorAll('.plot, .print-only')) one.remove();
    return [...copy.querySelectorAll('*')]
      .filter(({ children }) => children.length === 0)
      .map(({ textContent }) => textContent)
      .filter((text) => text !== '');
  });
}

async function csvOf(page: Page): Promise<string[]> {
  const files: string[] = [];
  for (const button of await page.getByRole('button', { name: /^CSV of/ }).all()) {
    files.push(await readFile(await (await saved(page, button)).path(), 'utf8'));
  }
  return files;
}

async function choose(page: Page, { name, choose }: Control, value: string) {
  const before = page.url();
  await choose(value);
  if (ofForms.includes(name)) expect(page.url()).toBe(before);
  else await page.waitForURL((url) => url.href !== before);
  await settled(page);
}

/** All that can be chosen in a page; `selects` also has the network, which is in the frame around it. */
const controlsOf = async (page: Page) => [
  ...(await radios(page)),
  ...(await selects(page)),
  ...(await fields(page)),
  ...(await orders(page)),
  ...(await turns(page)),
  ...(await months(page)),
  ...(await compared(page)),
];

/** If a control has more values, the first ones and the last one are tried. */
const MOST_VALUES = 4;

/**
 * Chooses each value and then again the one before, and compares what was shown with a reload at the same URL: always
 * after the way back, and for two values of each control after the way there, because a reload takes seconds.
 */
async function walk(path: string) {
  const { page } = await open(path);
  await settled(page);
  const fresh = (await open(path)).page;
  await settled(fresh);
  const seen: { url: string; after: string; shown: string[] }[] = [];
  const look = async (after: string) => seen.push({ url: page.url(), after, shown: await textOf(page) });
  for (const control of await controlsOf(page)) {
    const others = control.values.filter((one) => one !== control.chosen);
    const some = others.filter((_, index) => index < MOST_VALUES - 1 || index === others.length - 1);
    for (const value of some) {
      await choose(page, control, value);
      if (!ofForms.includes(control.name) && (value === some[0] || value === some.at(-1)))
        await look(`${control.name}: ${value}`);
      await choose(page, control, control.chosen);
      await look(`${control.name}: ${value}, ${control.chosen}`);
    }
  }
  const csv = await csvOf(page);
  await fresh.goto(page.url());
  await settled(fresh);
  expect(csv).toEqual(await csvOf(fresh));
  expect(seen.length).toBeGreaterThan(0);
  for (const url of new Set(seen.map((one) => one.url))) {
    await fresh.goto(url);
    await settled(fresh);
    const shown = await textOf(fresh);
    for (const one of seen) if (one.url === url) expect(one).toEqual({ ...one, shown });
  }
}

const SET = '/explore/sets/5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';
const walked = [
  ['the overview', '/'],
  ['the operators', '/explore/operators'],
  ['an operator', '/explore/operators/pool/Alder%20Liquid'],
  ['the performance of an operator', '/explore/operators/pool/Alder%20Liquid?tab=performance'],
  ['the rewards of an operator', '/explore/operators/pool/Alder%20Liquid?tab=rewards'],
  ['the validators of an operator', '/explore/operators/pool/Alder%20Liquid?tab=validators'],
  ['the events of an operator', '/explore/operators/pool/Alder%20Liquid?tab=events'],
  ['a comparison', `/explore/compare?id=${btoa('Operator:mainnet:pool:Alder Liquid')}`],
  ['the blocks', '/explore/blocks'],
  ['a block', '/explore/blocks/12927614'],
  ['the ranking of validators', '/explore/validators?range=7d'],
  ['a validator', '/explore/validators/39361'],
  ['the builders', '/explore/builders'],
  ['the slashings', '/explore/slashings'],
  ['the consolidations', '/explore/consolidations'],
  ['Solana', '/explore/solana'],
  ['rewards of another network', '/explore/rewards/polkadot'],
  ['the sets', '/explore/sets'],
  ['a set', SET],
  ['the performance of a set', `${SET}?tab=performance`],
  ['the rewards of a set', `${SET}?tab=rewards`],
  ['the validators of a set', `${SET}?tab=validators`],
  ['the events of a set', `${SET}?tab=events`],
  ['the report of a set', `${SET}/report?month=2025-10`],
] as const;

/** Pages without a choice: what the account shows, and its views, are of every network. */
const withoutChoice = ['/explore/account', '/explore/views', `/explore/builders/${BUILDER.pubkey}`];

const routes = [...(await readFile('web/src/routes.tsx', 'utf8')).matchAll(/\bpath: '([^']+)'/g)].map(
  ([, path]) => path as string,
);
const isOf = (route: string, path: string) =>
  new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`).test(path.replace(/\?.*/, ''));

describe('the pages of the router', () => {
  it('are each walked, unless they have no choice', () => {
    expect(routes.length).toBeGreaterThan(10);
    const known = [...walked.map(([, path]) => path), ...withoutChoice];
    expect(routes.filter((route) => !known.some((path) => isOf(route, path)))).toEqual([]);
    expect(known.filter((path) => !routes.some((route) => isOf(route, path)))).toEqual([]);
  });

  it.skipIf(noBrowser).each(withoutChoice)('that are not walked have no choice: %s', async (path) => {
    const { page } = await open(path);
    await settled(page);
    const names = (await controlsOf(page)).map(({ name }) => name.split('\n')[0]);
    expect(names.filter((name) => name !== 'Chain')).toEqual([]);
  });
});

describe.skipIf(noBrowser)(
  'a choice made again shows what a reload shows, in its tables and in CSV, on',
  () => {
    it.each(walked)('%s', (_name, path) => walk(path));
  },
);
