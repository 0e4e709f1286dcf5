import { statSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { noBrowser } from '../../support/browser.ts';
import { BUILDER, importBuilders } from '../../support/builders.ts';
import { csvIn, type Opened, saved, settled, useExplorer } from '../../support/explorer.ts';

const { gateway, open } = useExplorer();
beforeAll(() => importBuilders(gateway));
// An event of the set of the sample.
beforeAll(() =>
  gateway.database.pool.query({
    text: `insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
      select set_id, validator_index, validator_pubkey, now(), '-infinity' from private_sets join slashings using (network)
      order by slashing_epoch desc limit 1`,
    values: [],
  }),
);

const SET = '/explore/sets/5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';
const rewardNetworks = ['avalanche', 'babylon', 'cardano', 'celestia', 'polkadot', 'polygon', 'solana'];
const pages = [
  ...['/', '/?network=hoodi'],
  ...['/explore/operators', '/explore/operators?class=withdrawal-address&range=30d'],
  '/explore/operators/pool/Alder%20Liquid',
  '/explore/operators/pool/Alder%20Liquid?tab=performance&granularity=hour&calendar=utc',
  ...['rewards', 'validators', 'events'].map((tab) => `/explore/operators/pool/Alder%20Liquid?tab=${tab}`),
  `/explore/compare?${['Alder Liquid', 'Cedar Exchange'].map((name) => `id=${btoa(`Operator:mainnet:pool:${name}`)}`).join('&')}`,
  ...['/explore/blocks', '/explore/blocks/12927614'],
  ...['/explore/validators', '/explore/validators?range=30d&order=MISSED'],
  ...['/explore/validators/854', '/explore/validators/39361', '/explore/validators/854?granularity=month'],
  ...['/explore/builders', `/explore/builders/${BUILDER.pubkey}`],
  ...['/explore/slashings', '/explore/consolidations', '/explore/solana'],
  ...rewardNetworks.map((network) => `/explore/rewards/${network}`),
  ...['/explore/sets', SET, `${SET}?granularity=week&calendar=chain`, `${SET}/report?month=2025-10`],
  ...['performance', 'rewards', 'validators', 'events'].map((tab) => `${SET}?tab=${tab}`),
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

const files = 'dist/web';
/** Compressed script that a page has loaded so far, in bytes. */
async function scriptOf(page: Page): Promise<number> {
  const paths = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname),
  );
  const scripts = paths.filter((path) => path.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(2);
  return scripts.reduce((sum, path) => sum + statSync(`${files}${path}.gz`).size, 0);
}

/** The document and variables that a link opens in GraphiQL. */
function opens(href: string | null) {
  const given = new URLSearchParams(href?.replace(/^\/graphql#/, ''));
  return { query: given.get('query'), variables: JSON.parse(given.get('variables') ?? 'null') };
}

/** The document of a card, which its menu hands on. */
async function cardOf(page: Page, figure: Locator, title: string) {
  await figure.getByRole('button', { name: `Share ${title}`, exact: true }).click();
  const link = figure.getByRole('link', { name: `${title}: open in GraphiQL`, exact: true });
  const card = opens(await link.getAttribute('href'));
  await page.keyboard.press('Escape');
  return card;
}

/** The part of a response that another response also has, by the fields of the other one. */
const within = (whole: any, part: any): any => {
  if (Array.isArray(part)) return part.map((one, index) => within(whole?.[index], one));
  if (typeof part !== 'object' || part === null) return whole;
  return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, within(whole?.[key], one)]));
};

/** Cards that show all that their page asks for. */
const ofAll = ['Rewards by slot', 'Slots'];
/** Cards whose rows are not of the document of their page. */
const ofTheTab = ['What the views of this session cost'];

/** Runs the document of a card: it asks for a part of what its page asks for, and for all rows of the card. */
async function checkCard(card: ReturnType<typeof opens>, whole: any, title: string, isAlone: boolean) {
  const { data, errors } = await gateway.graphql(card.query ?? '', card.variables);
  expect(errors, title).toBeUndefined();
  if (ofTheTab.includes(title)) return;
  expect(within(whole, data), title).toEqual(data);
  const fields = (of: unknown) => JSON.stringify(of).length;
  if (!isAlone && !ofAll.includes(title)) expect(fields(data), title).toBeLessThan(fields(whole));
}

/** A table with as many rows as its CSV file, also behind a picture; or a sentence that says that there are none. */
async function checkFigure({ page }: Opened, figure: Locator, whole: unknown, isAlone: boolean) {
  const title = await figure.getByRole('heading').first().innerText();
  await checkCard(await cardOf(page, figure, title), whole, title, isAlone);
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
  // The table leaves out columns that no row has a figure for.
  const filled = head?.filter((_, at) => lines.some((line) => line[at] !== '')).length;
  const shown = await table.locator('thead th').count();
  expect(shown, title).toBeGreaterThanOrEqual(filled as number);
  expect(shown, title).toBeLessThanOrEqual(head?.length as number);
  expect(new Set(head).size, `heads of ${title}`).toBe(head?.length);
  expect(lines.length, `rows of ${title}`).toBe(await table.locator('tbody tr').count());
  expect(lines.length, title).toBeGreaterThan(0);
  return isPicture;
}

describe.skipIf(noBrowser)('every figure of the explorer', () => {
  it.each(pages)('has a table, a CSV file of its rows, and the query of it alone: %s', async (path) => {
    const opened = await shown(path);
    const { page, complaints, sent } = opened;
    expect(await scriptOf(page), 'bytes of compressed script for the first view').toBeLessThan(300_000);
    const [{ query, variables }] = sent as [Opened['sent'][0]];
    const { data } = await gateway.graphql(query, variables);
    const figures = await page.locator('figure').all();
    const kinds = [];
    for (const figure of figures) kinds.push(await checkFigure(opened, figure, data, figures.length === 1));
    expect(kinds.filter((kind) => kind !== undefined).length).toBeGreaterThan(0);
    // No picture is outside of a figure: small trend lines are cells of a table, or repeat one of the plots.
    expect(await page.locator('main svg:not(figure svg):not([aria-hidden])').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('is handed on from its menu: as a link, as curl, as REST, and in GraphiQL, by keyboard', async () => {
    const opened = await shown('/explore/operators/pool/Alder%20Liquid?tab=performance&range=7d');
    const { page, sent } = opened;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const title = 'Missed and wrong votes';
    const figure = page.getByRole('figure', { name: title, exact: true });
    const { rows } = await csvOf(page, figure);
    await figure.getByRole('button', { name: `Share ${title}` }).press('Enter');
    await figure.getByRole('button', { name: 'Copy link' }).waitFor();
    expect(await opened.violations()).toEqual([]);
    const copied = async (name: string) => {
      await figure.getByRole('button', { name, exact: true }).press('Enter');
      await figure
        .getByRole('status')
        .getByText(/^Copied: /)
        .waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const link = await copied('Copy link');
    const curl = await copied('Copy as curl');
    expect(curl).not.toContain('sgt_');
    const { query, variables } = JSON.parse(/--data '(.*)'/s.exec(curl)?.[1] ?? '');
    const { data } = await gateway.graphql(query, variables);
    expect(Object.keys(data)).toEqual(['operator']);
    const missed = rows.slice(1).map((row) => row[1]);
    expect(data.operator.attestations.nodes.map((row: any) => row.sumMissedAttestations)).toEqual(missed);
    expect(Object.keys(data.operator)).toEqual(['attestations']);
    expect(await copied('Copy as GraphQL')).toMatch(
      /^query operatorQuery[\s\S]+# {\n# {3}"network": "MAINNET",/,
    );
    const address = new URL(/'([^']+)'/.exec(await copied('Copy as REST'))?.[1] ?? '');
    const { json } = await gateway.get(address.pathname + address.search);
    expect(json.results.map((row: any) => String(row.sumMissedAttestations))).toEqual(missed);
    const [graphiql] = await Promise.all([
      page.context().waitForEvent('page'),
      figure.getByRole('link', { name: `${title}: open in GraphiQL` }).press('Enter'),
    ]);
    await graphiql.getByRole('tab', { name: sent[0]?.operationName as string }).waitFor();
    await graphiql.getByRole('button', { name: /execute query/i }).click();
    await graphiql.waitForFunction(() =>
      /"data":/.test(document.querySelector('.result-window')?.textContent ?? ''),
    );
    const other = await open(link.slice(gateway.url.length), { viewport: { width: 390, height: 600 } });
    await settled(other.page);
    expect(decodeURIComponent(new URL(link).hash)).toBe('#card:missed-and-wrong-votes');
    await other.page.waitForFunction(() => {
      const { top = -1 } = document.querySelector('figure[data-linked]')?.getBoundingClientRect() ?? {};
      return top >= 0 && top < 300;
    });
  });
});
