import { request } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleQueries } from '../../src/http/examples.ts';
import { noBrowser, openBrowser, type Visit, visit } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

const developmentToken = 'sgt_the-development-token';
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ developmentToken });
});
afterAll(() => gateway.close());

describe('the example queries', () => {
  it.each(
    exampleQueries.map(({ query, variables }) => [
      /^(?:query|mutation) (\w+)/m.exec(query)?.[1],
      query,
      variables,
    ]),
  )('%s runs without errors', async (_name, query, variables) => {
    const { status, errors, data } = await gateway.graphql(query as string, variables as object);
    expect({ status, errors }).toEqual({ status: 200, errors: undefined });
    for (const answer of Object.values<any>(data)) {
      expect((answer.nodes ?? answer.edges ?? [answer].flat()).filter(Boolean)).not.toEqual([]);
    }
  });
});

/** The page as a browser gets it that was sent here with these headers. */
const pageFor = (headers: Record<string, string>) =>
  new Promise<{ headers: Record<string, unknown>; text: string }>((done, fail) => {
    const sent = request(
      `${gateway.url}/graphql`,
      { headers: { accept: 'text/html', ...headers } },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        answer.on('end', () => done({ headers: answer.headers, text }));
      },
    );
    sent.on('error', fail).end();
  });

describe('the development token', () => {
  const host = () => new URL(gateway.url).host;

  it.each(['127.0.0.1', 'localhost', 'localhost:4000', '[::1]:4000'])(
    'is in the page asked for as %s',
    async (name) => {
      expect((await pageFor({ host: name })).text).toContain(developmentToken);
    },
  );

  it.each([
    'attacker.example',
    'attacker.example:4000',
    'localhost.attacker.example',
    '127.0.0.1.attacker.example',
    'attacker.example/localhost',
    '192.168.1.7',
  ])('is not in the page asked for as %s, so that a rebound name reads nothing', async (name) => {
    expect((await pageFor({ host: name })).text).not.toContain(developmentToken);
  });

  it.each(['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'])(
    'is not in the page that a proxy asked for, as its %s tells',
    async (name) => {
      const { text } = await pageFor({ host: host(), [name]: '203.0.113.7' });
      expect(text).not.toContain(developmentToken);
    },
  );

  it('is not for pages of other sites to read: the page has no Access-Control-Allow-Origin', async () => {
    const { headers } = await pageFor({ host: host(), origin: 'http://attacker.example' });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers['cache-control']).toBe('no-store');
  });
});

describe.skipIf(noBrowser)(`GraphiQL in a browser${noBrowser ? `: ${noBrowser}` : ''}`, () => {
  let browser: Browser;
  let opened: Visit;
  let prefilled: Gateway;
  beforeAll(async () => {
    browser = await openBrowser();
    prefilled = await startGateway({ developmentToken: true });
    opened = await visit(browser, `${prefilled.url}/graphql`);
    await opened.page.getByRole('tab').first().waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await prefilled?.close();
  });

  it('opens with one tab for each example', async () => {
    const names = exampleQueries.map(({ query }) => /^(?:query|mutation) (\w+)/m.exec(query)?.[1]);
    const tabs = await opened.page.getByRole('tab').allInnerTexts();
    for (const name of names) expect(tabs).toContain(name);
  });

  it('shows the answer when run is pressed, with the token filled in', async () => {
    await opened.page.getByRole('button', { name: /execute query/i }).click();
    const answer = opened.page.locator('.result-window');
    await opened.page.waitForFunction(() =>
      /totalCount/.test(document.querySelector('.result-window')?.textContent ?? ''),
    );
    expect(await answer.innerText()).not.toContain('errors');
  });

  it('knows the schema', async () => {
    await opened.page.getByRole('button', { name: /show documentation explorer/i }).click();
    await opened.page.getByText('A GraphQL schema provides a root type').waitFor();
    expect(await opened.page.locator('.graphiql-doc-explorer').innerText()).toMatch(/query:\s*Query/);
  });

  it('goes to the tab that is clicked on a first visit, and stays on it when loaded anew', async () => {
    const { page, close } = await visit(browser, `${prefilled.url}/graphql`);
    await page.getByRole('tab').first().waitFor();
    const names = await page.getByRole('tab').allInnerTexts();
    const active = () => page.locator('.graphiql-tab-active').innerText();
    for (const name of names.slice(1, 4)) {
      const box = await page.getByRole('tab').filter({ hasText: name }).first().boundingBox();
      if (!box) throw new Error(`${name} is not shown.`);
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      await eventually(async () => expect(await active()).toBe(name), 30_000);
    }
    // Kept half a second after it was opened.
    await page.waitForFunction(() => {
      const kept = localStorage.getItem('graphiql:tabState');
      return localStorage.getItem('graphiql:headers') && kept && JSON.parse(kept).activeTabIndex === 3;
    });
    await page.reload();
    await page.getByRole('tab').first().waitFor();
    expect([await active(), await page.getByRole('tab').count()]).toEqual([names[3], names.length]);
    await close();
  });

  it('asks nobody but the gateway', () => {
    expect([...opened.hosts]).toEqual([new URL(prefilled.url).host]);
  });

  it('keeps to its content security policy, without an error in the console', () => {
    expect(opened.complaints).toEqual([]);
  });

  it('shows where a token belongs when there is none to fill in', async () => {
    const plain = await startGateway();
    const { page, close } = await visit(browser, `${plain.url}/graphql`);
    await page.getByRole('tab').first().waitFor();
    await page.getByRole('button', { name: 'Headers', exact: true }).click();
    await page.getByText('Bearer <token>').first().waitFor();
    await close();
    await plain.close();
  });
});
