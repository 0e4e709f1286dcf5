import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { NoDeprecatedCustomRule, parse, validate } from 'graphql';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newPageCode } from '../../src/accounts/page-codes.ts';
import { schema } from '../../src/graphql/run/schema.ts';
import { exampleQueries } from '../../src/http/pages/examples.ts';
import { noBrowser, openBrowser, type Visit, visit } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { useGateway } from '../support/gateway.ts';
import { importBlocks } from '../support/live-rows.ts';
import { subscribe } from '../support/subscribe.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway();

const isSubscription = ({ query }: { query: string }) => /^subscription/m.test(query);

describe('the example subscriptions', () => {
  it.each(
    exampleQueries
      .filter(isSubscription)
      .map(({ query, variables }) => [/^subscription (\w+)/m.exec(query)?.[1], query, variables]),
  )('%s sends an event without errors', async (_name, query, variables) => {
    expect(validate(schema, parse(query as string), [NoDeprecatedCustomRule])).toEqual([]);
    const stream = await subscribe(gateway, query as string, variables as object);
    expect((await stream.next()).errors).toBeUndefined();
  });
});

describe('the example queries', () => {
  it.each(
    exampleQueries
      .filter((example) => !isSubscription(example))
      .map(({ query, variables }) => [/^(?:query|mutation) (\w+)/m.exec(query)?.[1], query, variables]),
  )('%s runs without errors, and uses nothing deprecated', async (_name, query, variables) => {
    expect(validate(schema, parse(query as string), [NoDeprecatedCustomRule])).toEqual([]);
    const { status, errors, data } = await gateway.graphql(query as string, variables as object);
    expect({ status, errors }).toEqual({ status: 200, errors: undefined });
    for (const answer of Object.values<any>(data)) {
      expect((answer.nodes ?? answer.edges ?? [answer].flat()).filter(Boolean)).not.toEqual([]);
    }
  });
});

/** The page as a browser gets it from a server that was sent these headers. */
const pageFor = (headers: Record<string, string>, port = new URL(gateway.url).port) =>
  new Promise<{ headers: Record<string, unknown>; text: string }>((done, fail) => {
    const options = { port, path: '/graphql', headers: { accept: 'text/html', ...headers } };
    const sent = request(options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      answer.on('end', () => done({ headers: answer.headers, text }));
    });
    sent.on('error', fail).end();
  });

/** A proxy on this machine that speaks HTTP/1.1 and says nothing of itself or of who asks; its port. */
async function silentProxy(): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const { host, port } = new URL(gateway.url);
    const onward = request({ port, method, path, headers: { ...headers, host } }, (answer) => {
      outgoing.writeHead(answer.statusCode as number, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return String((server.address() as AddressInfo).port);
}

describe('the page /graphql', () => {
  const TOKEN = /sgt_[\w-]{40}/;
  const own = () => new URL(gateway.url).host;

  it.each<[string, () => Record<string, string>]>([
    ['a browser on this machine', () => ({ host: own() })],
    ['localhost', () => ({ host: 'localhost' })],
    ['another name', () => ({ host: 'attacker.example' })],
    ['a proxy that tells of itself', () => ({ host: own(), 'x-forwarded-for': '203.0.113.7' })],
  ])('holds no token and no code for %s', async (_name, headers) => {
    const code = await newPageCode(gateway.database.pool);
    const { text } = await pageFor(headers());
    expect(text).toContain('id="root"');
    expect(text).not.toMatch(TOKEN);
    expect(text).not.toContain(gateway.token);
    expect(text).not.toContain(code);
  });

  it('holds no token for a proxy on this machine that forwards nothing and speaks HTTP/1.1', async () => {
    const { text } = await pageFor({}, await silentProxy());
    expect(text).toContain('id="root"');
    expect(text).not.toMatch(TOKEN);
  });

  it('is not for pages of other sites to read: it has no Access-Control-Allow-Origin', async () => {
    const { headers } = await pageFor({ host: own(), origin: 'http://attacker.example' });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers['cache-control']).toBe('no-store');
  });
});

describe('POST /page-token', () => {
  const newCode = () => newPageCode(gateway.database.pool);
  const exchange = (body: unknown, headers: Record<string, string> = {}) =>
    gateway.fetch('/page-token', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const refused = {
    detail: [
      {
        loc: ['body', 'code'],
        msg: 'is unknown, used or expired; "npx stakegraph open" prints a link with another',
        type: 'value_error',
      },
    ],
  };

  it('gives the development token for a code once, and never to be kept', async () => {
    const code = await newCode();
    const first = await exchange({ code });
    expect([first.status, first.json]).toEqual([200, { token: gateway.token }]);
    expect(first.headers.get('cache-control')).toBe('no-store');
    const second = await exchange({ code });
    expect([second.status, second.json]).toEqual([400, refused]);
  });

  it('gives it to one of several that send the same code at once', async () => {
    const code = await newCode();
    const answers = await Promise.all([1, 2, 3, 4].map(() => exchange({ code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  });

  it('refuses an unknown and an expired code alike', async () => {
    expect((await exchange({ code: 'x'.repeat(24) })).json).toEqual(refused);
    const code = await newCode();
    await gateway.database.pool.query({ text: `update page_codes set expires_at = now()`, values: [] });
    expect((await exchange({ code })).json).toEqual(refused);
  });

  it('asks the database for at most 100 codes a second', async () => {
    gateway.statements.length = 0;
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: 400 }, () => exchange({ code: 'y'.repeat(24) })));
    const seconds = Math.ceil((performance.now() - began) / 1_000) + 1;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400, 429]));
    expect(gateway.statements.length).toBeLessThanOrEqual(100 * seconds);
    await setTimeout(1_000); // the tests that follow try codes too
  });

  it.each([[{}], [{ code: 7 }], [{ code: '' }], [{ code: 'short' }], [[]], [null]])(
    'refuses the body %j and names what is needed',
    async (body) => {
      const { status, json } = await exchange(body);
      expect([status, json.detail[0]]).toMatchObject([
        400,
        { loc: ['body', 'code'], msg: 'the code of a link is needed' },
      ]);
    },
  );

  it.each(['cross-site', 'same-site', 'none'])(
    'is refused to a page whose browser says %s, and the code stays good',
    async (site) => {
      const code = await newCode();
      const { status, text } = await exchange({ code }, { 'sec-fetch-site': site });
      expect([status, text]).toEqual([403, expect.not.stringContaining('sgt_')]);
      expect((await exchange({ code }, { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    },
  );

  it('takes JSON alone, and has no CORS header for a page of another origin', async () => {
    const code = await newCode();
    const origin = 'http://attacker.example';
    const form = await exchange({ code }, { origin, 'content-type': 'text/plain' });
    expect(form.status).toBe(415);
    const { status, headers } = await exchange({ code }, { origin });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, null]);
  });

  it('bounds how many codes strangers may try: 429, and again after a second', async () => {
    const limited = [];
    for (let round = 0; round < 20 && limited.length === 0; round += 1) {
      const tries = Array.from({ length: 50 }, () => exchange({ code: 'y'.repeat(24) }));
      limited.push(...(await Promise.all(tries)).filter(({ status }) => status === 429));
    }
    expect(limited[0]?.headers.get('retry-after')).toBe('1');
    await eventually(async () => expect((await exchange({ code: await newCode() })).status).toBe(200), 5_000);
  });

  it('is 405 with another method', async () => {
    const { status, headers } = await gateway.fetch('/page-token');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe.skipIf(noBrowser)(`GraphiQL in a browser${noBrowser ? `: ${noBrowser}` : ''}`, () => {
  let browser: Browser;
  let opened: Visit;
  const link = async () => `${gateway.url}/graphql#${await newPageCode(gateway.database.pool)}`;
  const kept = (of: Visit, storage: 'localStorage' | 'sessionStorage') =>
    of.page.evaluate((name) => JSON.stringify({ ...window[name as 'localStorage'] }), storage);
  const answered = (of: Visit) =>
    of.page.waitForFunction(() =>
      /totalCount/.test(document.querySelector('.result-window')?.textContent ?? ''),
    );
  const execute = (of: Visit) => of.page.getByRole('button', { name: /execute query/i }).click();
  beforeAll(async () => {
    browser = await openBrowser();
    opened = await visit(browser, await link());
    await opened.page.getByRole('tab').first().waitFor();
  });
  afterAll(async () => {
    await browser?.close();
  });

  const names = exampleQueries.map(
    ({ query }) => /^(?:query|mutation|subscription) (\w+)/m.exec(query)?.[1] as string,
  );

  it('opens with a few tabs, and has a list of all examples', async () => {
    expect(await opened.page.getByRole('tab').allInnerTexts()).toEqual(names.slice(0, 3));
    const list = await opened.page.getByLabel('Examples').locator('option').allInnerTexts();
    expect(list).toHaveLength(1 + exampleQueries.length);
  });

  it('opens an example of the list in a tab of its own, once', async () => {
    const { page, close } = await visit(browser, await link());
    await page.getByRole('tab').first().waitFor();
    await page.waitForFunction(() => localStorage.getItem('graphiql:tabState'));
    for (const _time of [1, 2]) {
      const example = page.getByLabel('Examples').selectOption(`${names.length - 1}`);
      await Promise.all([page.waitForEvent('load'), example]);
      await page.locator('.graphiql-tab-active', { hasText: names.at(-1) as string }).waitFor();
      expect(await page.getByRole('tab').count()).toBe(4);
    }
    await close();
  });

  it('has the history of executed queries, without any with a token or too long, and opens one of it', async () => {
    const { page, close } = await visit(browser, await link());
    await page.getByRole('tab').first().waitFor();
    await page.getByRole('button', { name: /execute query/i }).click();
    const list = page.getByLabel('History').locator('option');
    await eventually(async () => expect(await list.allInnerTexts()).toEqual(['History…', names[0]]), 30_000);
    const sent = [gateway.token, 'x'.repeat(60_000)].map((text) =>
      JSON.stringify({ query: '{ __typename }', variables: { text } }),
    );
    await page.evaluate(
      (bodies) => Promise.all(bodies.map((body) => fetch('/graphql', { method: 'POST', body }))),
      sent,
    );
    expect(await list.allInnerTexts()).toEqual(['History…', names[0]]);
    expect(await page.evaluate(() => localStorage.getItem('stakegraph:history'))).not.toContain('sgt_');
    await page.getByRole('tab').nth(1).click();
    await page.locator('.graphiql-tab-active', { hasText: names[1] as string }).waitFor();
    await page.waitForURL((url) => url.searchParams.get('query')?.includes(names[1] as string) ?? false);
    await page.getByLabel('History').selectOption('0');
    await page.locator('.graphiql-tab-active', { hasText: names[0] as string }).waitFor();
    await close();
  });

  it('fits into 390 px: nothing is wider than the window, and a query runs', async () => {
    const { page, close } = await visit(browser, await link());
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('tab').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    const run = await page.getByRole('button', { name: /execute query/i }).boundingBox();
    const result = await page.locator('.result-window').boundingBox();
    for (const box of [run, result]) expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
    expect(result?.width).toBeGreaterThan(250);
    await close();
  });

  it('takes the code out of the address bar and the history', async () => {
    expect(opened.page.url()).not.toContain('#');
    expect(await opened.page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
  });

  it('shows the answer when run is pressed, with the token of the link', async () => {
    await execute(opened);
    await answered(opened);
    expect(await opened.page.locator('.result-window').innerText()).not.toContain('errors');
  });

  it('shares the token with /docs and other open tabs, and stores nothing of it in localStorage', async () => {
    const context = opened.page.context();
    expect(await kept(opened, 'sessionStorage')).toContain(gateway.token);
    await opened.page.waitForFunction(() => localStorage.getItem('graphiql:tabState'));
    for (const path of ['/graphql', '/docs']) {
      const other = await context.newPage();
      await other.goto(`${gateway.url}${path}`);
      await other.getByText('Requests carry a token.').waitFor();
      await other.close();
    }
    expect(await kept(opened, 'localStorage')).not.toContain('sgt_');
  });

  it('takes the token of a tab that is too busy to answer at once', async () => {
    const { page, close } = await visit(browser, await link());
    await page.getByText('Requests carry a token.').waitFor();
    for (const path of ['/docs', '/explore/account']) {
      const other = await page.context().newPage();
      const busy = page.evaluate(() => {
        const end = Date.now() + 4_000;
        while (Date.now() < end);
      });
      await other.goto(gateway.url + path);
      await busy;
      await other.waitForFunction(() => sessionStorage.getItem('stakegraph:token'));
      await other.close();
    }
    await close();
  });

  it('runs a subscription: a block appears when another process imports one, and the history has it', async () => {
    const { page, close } = await visit(browser, await link());
    await page.getByRole('tab').first().waitFor();
    await page.waitForFunction(() => localStorage.getItem('graphiql:tabState'));
    const at = names.indexOf('NewBlocks');
    const example = page.getByLabel('Examples').selectOption(`${at}`);
    await Promise.all([page.waitForEvent('load'), example]);
    await page.locator('.graphiql-tab-active', { hasText: 'NewBlocks' }).waitFor();
    await execute({ page } as Visit);
    const shows = (text: string) =>
      page.waitForFunction(
        (part) => document.querySelector('.result-window')?.textContent?.includes(part),
        text,
      );
    await shows('"revision"');
    await importBlocks(gateway, [4_242]);
    await shows('4242');
    expect(await page.getByLabel('History').locator('option').allInnerTexts()).toContain('NewBlocks');
    await close();
  });

  it('loses the token when all tabs are closed, and in all tabs when one forgets it', async () => {
    const { page, close } = await visit(browser, await link());
    const context = page.context();
    await page.getByText('Requests carry a token.').waitFor();
    const other = await context.newPage();
    await other.goto(`${gateway.url}/docs`);
    await other.getByText('Requests carry a token.').waitFor();
    await other.getByRole('button', { name: 'Forget' }).click();
    for (const tab of [page, other]) await tab.getByText('Requests need a token.').waitFor();

    await page.getByLabel('Access token').fill(gateway.token);
    await page.getByRole('button', { name: 'Use', exact: true }).click();
    for (const tab of [page, other]) await tab.getByText('Requests carry a token.').waitFor();
    await Promise.all([page.close(), other.close()]);
    const next = await context.newPage();
    await next.goto(`${gateway.url}/graphql`);
    await next.getByText('Requests need a token.').waitFor();
    await close();
  });

  slow('keeps a token that is typed into the headers of a query out of localStorage', async () => {
    const of = await visit(browser, await link());
    await of.page.getByRole('tab').first().waitFor();
    await of.page.getByRole('button', { name: 'Headers', exact: true }).click();
    await of.page.locator('.graphiql-editor-tool .monaco-editor:visible').first().click();
    await of.page.keyboard.insertText(`{"Authorization": "Bearer ${gateway.token}"}`);
    await execute(of);
    await answered(of);
    await of.page.waitForTimeout(1_000); // GraphiQL keeps its tabs after half a second
    expect(await kept(of, 'localStorage')).not.toContain('sgt_');
    await of.close();
  });

  slow('removes a token that an earlier version left in localStorage', async () => {
    const of = await visit(browser, `${gateway.url}/docs`);
    const headers = JSON.stringify({ Authorization: `Bearer ${gateway.token}` });
    await of.page.evaluate((headers) => {
      const tab = { id: 'a', title: 'Old', query: '{ __typename }', variables: null, operationName: null };
      const tabs = [{ ...tab, headers, hash: null, response: null }];
      localStorage.setItem('graphiql:headers', headers);
      localStorage.setItem('graphiql:shouldPersistHeaders', 'true');
      localStorage.setItem('graphiql:tabState', JSON.stringify({ tabs, activeTabIndex: 0 }));
    }, headers);
    await of.page.goto(`${gateway.url}/graphql`);
    await of.page.getByRole('tab', { name: 'Old' }).waitFor();
    expect(await kept(of, 'localStorage')).not.toContain('sgt_');
    await of.close();
  });

  slow('says of a link that was used before how to get another, and takes one in the same tab', async () => {
    const used = await link();
    await (await visit(browser, used)).page.getByText('Requests carry a token.').waitFor();
    const { page, close } = await visit(browser, used);
    await page.getByText('"npx stakegraph open" prints another').waitFor();
    const fresh = await link();
    await page.evaluate((url) => location.assign(url), fresh);
    await page.getByText('Requests carry a token.').waitFor();
    await close();
  });

  it('asks for a token where there is no code, and forgets it when told to', async () => {
    const of = await visit(browser, `${gateway.url}/graphql`);
    await of.page.getByLabel('Access token').fill(gateway.token);
    await of.page.getByRole('button', { name: 'Use', exact: true }).click();
    await of.page.getByText('Requests carry a token.').waitFor();
    await execute(of);
    await answered(of);
    await of.page.getByRole('button', { name: 'Forget' }).click();
    await of.page.getByText('Requests need a token.').waitFor();
    expect(await kept(of, 'sessionStorage')).not.toContain('sgt_');
    await of.close();
  });

  it('knows the schema', async () => {
    await opened.page.getByRole('button', { name: /show documentation explorer/i }).click();
    await opened.page.getByText('A GraphQL schema provides a root type').waitFor();
    expect(await opened.page.locator('.graphiql-doc-explorer').innerText()).toMatch(/query:\s*Query/);
  });

  slow('goes to the tab that is clicked on a first visit, and stays on it when loaded anew', async () => {
    const { page, close } = await visit(browser, await link());
    await page.getByRole('tab').first().waitFor();
    const active = () => page.locator('.graphiql-tab-active').innerText();
    for (const name of names.slice(1, 3)) {
      const box = await page.getByRole('tab').filter({ hasText: name }).first().boundingBox();
      if (!box) throw new Error(`${name} is not shown.`);
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      await eventually(async () => expect(await active()).toBe(name), 30_000);
    }
    // Kept half a second after it was opened.
    await page.waitForFunction(() => {
      const kept = localStorage.getItem('graphiql:tabState');
      return kept && JSON.parse(kept).activeTabIndex === 2;
    });
    await page.reload();
    await page.getByRole('tab').first().waitFor();
    expect([await active(), await page.getByRole('tab').count()]).toEqual([names[2], 3]);
    await close();
  });

  it('asks nobody but the gateway', () => {
    expect([...opened.hosts]).toEqual([new URL(gateway.url).host]);
  });

  it('keeps to its content security policy, without an error in the console', () => {
    expect(opened.complaints).toEqual([]);
  });
});
