import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newPageCode } from '../../src/accounts/page-codes.ts';
import { noBrowser, openBrowser, type Visit, visit } from '../support/browser.ts';
import { settled } from '../support/explorer.ts';
import { type Gateway, gatewayForTest } from '../support/gateway.ts';
import { BLOCKS, importBlocks, slotsOf } from '../support/live-rows.ts';
import { nginxWith, noNginx } from '../support/nginx.ts';
import { project } from '../support/process.ts';
import { subscribe } from '../support/subscribe.ts';

const PATH = '/stake';
const missing = noBrowser ?? noNginx;
const page = readFileSync(join(project, 'docs/deployment.md'), 'utf8');
const documented = /# Below a path\n[\s\S]*?```nginx\n([\s\S]*?)```/.exec(page)?.[1] as string;
const HEADER = `proxy_set_header X-Forwarded-Prefix ${PATH};`;

/** The documented locations before a gateway; `removes` the path, or `sends` the header, or does not. */
function locations({ url }: Gateway, { removes, sends }: { removes: boolean; sends: boolean }): string {
  for (const part of [HEADER, 'proxy_pass http://127.0.0.1:4000;']) expect(documented).toContain(part);
  return documented
    .replace('proxy_pass http://127.0.0.1:4000;', `proxy_pass ${url}${removes ? '/' : ''};`)
    .replace(HEADER, sends ? HEADER : '');
}

const told = { PUBLIC_URL: `https://host.example${PATH}` };
const trusting = { TRUST_PROXY: ['127.0.0.1'] };
const setups = [
  ['PUBLIC_URL tells, and the proxy removes it', { removes: true, sends: false }, told],
  ['PUBLIC_URL tells, and the proxy passes it on', { removes: false, sends: false }, told],
  ['X-Forwarded-Prefix tells, and the proxy removes it', { removes: true, sends: true }, trusting],
  ['X-Forwarded-Prefix tells, and the proxy passes it on', { removes: false, sends: true }, trusting],
] as const;

/** The browser sees no other difference between them; `http/base` tests all. */
const forBrowser = [setups[0], setups[3]] as const;

const pages = [
  ['/', 'Overview'],
  ['/explore/operators?range=7d', 'Operators'],
  ['/explore/operators/pool/Alder%20Liquid', 'Alder Liquid'],
  ['/explore/blocks', 'Blocks'],
  ['/explore/slashings', 'Slashings'],
  ['/explore/consolidations', 'Consolidations'],
  ['/explore/validators/854', /854/],
  ['/explore/solana', /Solana/],
  ['/explore/rewards/cardano', /Cardano/],
  ['/explore/sets', 'My sets'],
  ['/explore/account', 'Account'],
] as const;

/** A page that is left ends its requests. */
const isNoEnd = (complaint: string) => !complaint.endsWith('net::ERR_ABORTED');

const heading = (opened: Page, name: string | RegExp) =>
  opened.getByRole('heading', { level: 1, name }).first().waitFor();

async function visitor(front: string, token: string): Promise<(path: string) => Promise<Visit>> {
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  return (path) =>
    visit(browser, front + path, {}, (opened) =>
      opened.addInitScript((value) => sessionStorage.setItem('stakegraph:token', value), token),
    );
}

/** The addresses of the links that the page has now, plots included. */
const linksOf = (opened: Page) =>
  opened.locator('a').evaluateAll((all) =>
    all.map((one) => {
      const href = one.getAttribute('href') ?? one.getAttributeNS('http://www.w3.org/1999/xlink', 'href');
      return new URL(href ?? '', location.href).href;
    }),
  );

describe.skipIf(missing)(`below a path${missing ? `: ${missing}` : ''}`, () => {
  it.each(forBrowser)('the explorer works: %s', async (_name, proxy, settings) => {
    const gateway = await gatewayForTest({ settings });
    const front = await nginxWith(locations(gateway, proxy));
    const open = await visitor(front, gateway.token);
    const { page: opened, hosts, complaints } = await open(PATH);
    await heading(opened, 'Overview');
    for (const [path, name] of pages) {
      await opened.goto(front + PATH + path); // as after a reload
      await heading(opened, name);
      await settled(opened);
      for (const href of await linksOf(opened)) expect(href, path).toMatch(`${front}${PATH}/`);
    }
    // By links, which do not reload the page.
    await opened.goto(`${front}${PATH}/`);
    await opened.getByRole('link', { name: 'Operators' }).first().click();
    await opened.waitForURL((url) => url.pathname === `${PATH}/explore/operators`);
    await settled(opened);
    await opened.locator('.plot a').first().click();
    await opened.waitForURL(/\/stake\/explore\/operators\/pool\/./);
    await settled(opened);
    await opened.getByRole('combobox', { name: /^Search/ }).fill('cedar exch');
    await opened.getByRole('option', { name: /^Cedar Exchange pool/ }).click();
    await opened.waitForURL((url) => url.pathname === `${PATH}/explore/operators/pool/Cedar%20Exchange`);
    await opened.goBack();
    await opened.waitForURL(/\/stake\/explore\/operators\/pool\/(?!.*Cedar)/);
    expect([[...hosts], complaints.filter(isNoEnd)]).toEqual([[new URL(front).host], []]);
  });

  it.each(forBrowser)('GraphiQL and /docs work, and link each other: %s', async (_name, proxy, settings) => {
    const gateway = await gatewayForTest({ settings });
    const front = await nginxWith(locations(gateway, proxy));
    const open = await visitor(front, gateway.token);
    const { page: opened, hosts, complaints } = await open(`${PATH}/explore/blocks`);
    await settled(opened);
    await opened.getByRole('link', { name: 'GraphiQL', exact: true }).last().click();
    await opened.waitForURL((url) => url.pathname === `${PATH}/graphql`);
    await opened.getByRole('tab').first().waitFor();
    await opened.getByRole('button', { name: /execute query/i }).click();
    await opened.locator('.graphiql-response', { hasText: 'totalCount' }).waitFor();
    await opened.getByRole('link', { name: 'REST reference' }).click();
    await opened.waitForURL((url) => url.pathname === `${PATH}/docs`);
    const block = opened.locator('.opblock', { has: opened.locator('[data-path="/v0/eth/blocks"]') });
    await block.locator('.opblock-summary-control').click();
    await block.getByRole('button', { name: 'Try it out' }).click();
    await block.getByRole('button', { name: 'Execute' }).click();
    await block.locator('.live-responses-table .response-col_status', { hasText: /^200/ }).first().waitFor();
    expect(await block.locator('.request-url').innerText()).toContain(`${front}${PATH}/v0/eth/blocks`);
    await opened.getByRole('link', { name: 'Explorer' }).click();
    await heading(opened, 'Overview');
    expect([[...hosts], complaints.filter(isNoEnd)]).toEqual([[new URL(front).host], []]);
  });

  it('the link that is printed at the start signs in', async () => {
    const gateway = await gatewayForTest({ settings: told });
    const front = await nginxWith(locations(gateway, setups[1][1]));
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    for (const [path, sign] of [
      ['/', 'Newest blocks'],
      ['/graphql', 'Requests carry a token.'],
    ] as const) {
      const code = await newPageCode(gateway.database.pool);
      const { page: opened, close } = await visit(browser, `${front}${PATH}${path}#${code}`);
      await opened.getByText(sign).first().waitFor();
      await close();
    }
  });

  it.each(setups)('each event of a subscription arrives: %s', async (_name, proxy, settings) => {
    const gateway = await gatewayForTest({ template: 'empty', settings });
    const front = await nginxWith(locations(gateway, proxy));
    const events = await subscribe({ url: front + PATH, token: gateway.token }, BLOCKS, {});
    expect(slotsOf(await events.next())).toEqual([]);
    await importBlocks(gateway, [1]);
    expect(slotsOf(await events.next())).toEqual([1]);
  });

  it('pages work where the proxy removes it and tells nobody, and at the address within the machine', async () => {
    const gateway = await gatewayForTest();
    const front = await nginxWith(locations(gateway, { removes: true, sends: false }));
    const open = await visitor(front, gateway.token);
    const { page: opened, complaints } = await open(`${PATH}/explore/operators/pool/Alder%20Liquid`);
    await heading(opened, 'Alder Liquid');
    await settled(opened);
    expect(complaints).toEqual([]);
    const of = await gatewayForTest({ settings: told });
    const within = await (await visitor(of.url, of.token))('/explore/blocks');
    await heading(within.page, 'Blocks');
    await settled(within.page);
    expect(within.complaints).toEqual([]);
  });

  it('/metrics is not public, in whatever way it is written', async () => {
    for (const [_name, proxy, settings] of setups) {
      const gateway = await gatewayForTest({ template: 'empty', settings });
      const front = await nginxWith(locations(gateway, proxy));
      for (const start of ['/stake/', '/stake//', '/stake/./', '/stake/stake/', '/stake/stake/stake/'])
        for (const name of ['metrics', '%6detrics', 'metrics/', 'metrics?x']) {
          const answer = await fetch(front + start + name);
          expect(await answer.text(), start + name).not.toContain('stakegraph_');
        }
    }
  });
});
