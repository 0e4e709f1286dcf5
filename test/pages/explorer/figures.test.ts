import { parse } from 'csv-parse/sync';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { BUILDER, importBuilders } from '../../support/builders.ts';
import { csvIn, type Opened, saved, settled, useExplorer } from '../../support/explorer.ts';

const { gateway, open } = useExplorer();
beforeAll(() => importBuilders(gateway));

const SET = '/explore/sets/5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';
const rewardNetworks = ['avalanche', 'babylon', 'cardano', 'celestia', 'polkadot', 'polygon', 'solana'];
const pages = [
  ...['/', '/?network=hoodi'],
  ...['/explore/operators', '/explore/operators?class=withdrawal-address&range=30d'],
  '/explore/operators/pool/Alder%20Liquid',
  '/explore/operators/pool/Alder%20Liquid?tab=performance&granularity=hour&calendar=utc',
  ...['rewards', 'validators', 'events'].map((tab) => `/explore/operators/pool/Alder%20Liquid?tab=${tab}`),
  ...['/explore/blocks', '/explore/blocks/12927614'],
  ...['/explore/validators/854', '/explore/validators/39361', '/explore/validators/854?granularity=month'],
  ...['/explore/builders', `/explore/builders/${BUILDER.pubkey}`],
  ...['/explore/slashings', '/explore/consolidations', '/explore/solana'],
  ...rewardNetworks.map((network) => `/explore/rewards/${network}`),
  ...['/explore/sets', SET, `${SET}?granularity=week&calendar=utc`, `${SET}/report?month=2025-10`],
  '/explore/account',
];

async function shown(path: string) {
  const opened = await open(path);
  await opened.page.getByRole('heading', { level: 1 }).waitFor();
  await settled(opened.page);
  return opened;
}

async function csvOf(page: Page, figure: Locator): Promise<{ name: string; rows: string[][] }> {
  const file = await saved(page, figure.getByRole('button', { name: /^CSV of / }));
  const text = await csvIn(file);
  return { name: file.suggestedFilename(), rows: parse(text, { relax_column_count: false }) };
}

/** The document and variables that a link opens in GraphiQL. */
function opens(href: string | null) {
  const given = new URLSearchParams(href?.replace(/^\/graphql#/, ''));
  return { query: given.get('query'), variables: JSON.parse(given.get('variables') ?? 'null') };
}

/** A table with as many rows as its CSV file, also behind a picture; or a sentence that says that there are none. */
async function checkFigure({ page, sent }: Opened, figure: Locator) {
  const title = await figure.getByRole('heading').first().innerText();
  const link = figure.getByRole('link', { name: `${title}: open in GraphiQL`, exact: true });
  const [{ query, variables }] = sent as [Opened['sent'][0]];
  expect(opens(await link.getAttribute('href')), title).toEqual({ query, variables });
  if ((await figure.locator('.empty').count()) > 0) {
    expect(await figure.getByRole('button', { name: /^CSV of / }).count(), title).toBe(0);
    return undefined;
  }
  const isPicture = (await figure.locator('.plot').count()) > 0;
  if (isPicture) await figure.getByText('Table', { exact: true }).click();
  const table = figure.locator('table');
  expect(await table.isVisible(), `the table of ${title}`).toBe(true);
  const { name, rows } = await csvOf(page, figure);
  const [head, ...lines] = rows;
  expect(name, title).toMatch(/^[a-z0-9-]+\.csv$/);
  expect(head, title).toHaveLength(await table.locator('thead th').count());
  expect(new Set(head).size, `heads of ${title}`).toBe(head?.length);
  expect(lines.length, `rows of ${title}`).toBe(await table.locator('tbody tr').count());
  expect(lines.length, title).toBeGreaterThan(0);
  return isPicture;
}

describe.skipIf(noBrowser)('every figure of the explorer', () => {
  it.each(pages)('has a table, a CSV file of its rows, and its query: %s', async (path) => {
    const opened = await shown(path);
    const { page, complaints } = opened;
    const figures = await page.locator('figure').all();
    const kinds = [];
    for (const figure of figures) kinds.push(await checkFigure(opened, figure));
    expect(kinds.filter((kind) => kind !== undefined).length).toBeGreaterThan(0);
    // No picture is outside of a figure: small trend lines are cells of a table, or repeat one of the plots.
    expect(await page.locator('main svg:not(figure svg):not([aria-hidden])').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it.each(pages)('opens a query in GraphiQL that runs there: %s', async (path) => {
    const { page, sent } = await shown(path);
    const [{ operationName }] = sent as [Opened['sent'][0]];
    const link = page.getByRole('link', { name: /: open in GraphiQL$/ }).first();
    const { query, variables } = opens(await link.getAttribute('href'));
    const { errors, status } = await gateway.graphql(query ?? '', variables);
    expect([status, errors]).toEqual([200, undefined]);
    const [graphiql] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await graphiql.getByRole('tab', { name: operationName }).waitFor();
    await graphiql.getByRole('button', { name: /execute query/i }).click();
    await graphiql.waitForFunction(() =>
      /"data":/.test(document.querySelector('.result-window')?.textContent ?? ''),
    );
  });
});
