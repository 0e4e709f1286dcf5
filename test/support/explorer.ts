import { readFile } from 'node:fs/promises';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Download, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { noBrowser, openBrowser, type Visit, visit } from './browser.ts';
import { type startGateway, useGateway } from './gateway.ts';

type Sent = { query: string; operationName: string; variables: Record<string, unknown> };

export type Opened = Visit & {
  /** The GraphQL documents that the page sent, in order. */
  sent: Sent[];
  /** What axe complains of in the page as it is now, by these rules or by all. */
  violations(...rules: string[]): Promise<string[]>;
};

/** The token of the gateway is in the tab, unless `token` is another or null. */
type OpenOptions = BrowserContextOptions & { token?: string | null; at?: string };

/** A gateway on sample data and a browser, for all tests of a file. */
export function useExplorer(...options: Parameters<typeof startGateway>) {
  const gateway = useGateway(...options);
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  /** Opens a path in a context of its own, which the caller closes. */
  async function openUntilClosed(
    path: string,
    { token = gateway.token, at = gateway.url, ...context }: OpenOptions = {},
  ): Promise<Opened> {
    const sent: Sent[] = [];
    gateway.statements.length = 0;
    const visited = await visit(browser, at + path, context, async (page) => {
      page.on('request', (request) => {
        // Streams are no documents of a page: they come after it.
        const isStream = request.headers().accept === 'text/event-stream';
        if (request.method() === 'POST' && new URL(request.url()).pathname === '/graphql' && !isStream)
          sent.push(request.postDataJSON());
      });
      if (token !== null)
        await page.addInitScript((value) => sessionStorage.setItem('stakegraph:token', value), token);
    });
    const violations = async (...rules: string[]) => {
      await visited.page.evaluate(axe.source);
      const { violations } = await visited.page.evaluate(
        (only) =>
          (window as unknown as { axe: typeof axe }).axe.run(only.length > 0 ? { runOnly: only } : {}),
        rules,
      );
      return violations.flatMap(({ id, help, nodes }) =>
        nodes.map(({ html, any }) => `${id}: ${help}\n  ${html}\n  ${any[0]?.message ?? ''}`),
      );
    };
    return { ...visited, sent, violations };
  }

  /** Opens a path in a context of its own until the test ends. */
  async function open(path: string, options?: OpenOptions): Promise<Opened> {
    const opened = await openUntilClosed(path, options);
    onTestFinished(opened.close);
    return opened;
  }
  return { gateway, open, openUntilClosed };
}

/** The text of a CSV file, after the byte order mark that each has for Excel. */
export async function csvIn(file: Download): Promise<string> {
  const bytes = await readFile(await file.path());
  expect(bytes.subarray(0, 3), file.suggestedFilename()).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(3));
}

/** Waits until a page has its data and its plots. Its network may never be idle, because streams stay open. */
export const settled = (page: Page) =>
  page.waitForFunction(
    () =>
      document.querySelector('main')?.getAttribute('aria-busy') === 'false' &&
      [...document.querySelectorAll('.plot')].every((plot) => plot.querySelector('svg')),
  );

/** How many files each page has saved without a pause. */
const burst = new WeakMap<Page, number>();

/** The file that a button saves. Chromium drops the eleventh of a burst, so there is a pause before that. */
export async function saved(page: Page, button: Locator): Promise<Download> {
  const before = burst.get(page) ?? 0;
  if (before === 8) await page.waitForTimeout(3_000);
  burst.set(page, (before % 8) + 1);
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return file;
}

/** Pastes a text from the clipboard. Chromium takes 13 s to type the 2,500 lines that it pastes at once. */
export async function pasteInto(field: Locator, text: string) {
  const page = field.page();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await field.press('ControlOrMeta+A');
  await field.press('ControlOrMeta+V');
}

/** A response of the gateway to a GraphQL request that it refuses. */
export const refusal = (code: string, status: number, headers: Record<string, string> = {}) => ({
  status,
  headers,
  contentType: 'application/json',
  body: JSON.stringify({ errors: [{ message: `The message of ${code}.`, extensions: { code } }] }),
});

/** The longest page of a list; larger numbers are slots and the like. */
const MAX_PAGE = 1_000;

/** Variables that ask for two rows of each list. */
const fewer = (variables: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      typeof value === 'number' && value > 2 && value <= MAX_PAGE ? 2 : value,
    ]),
  );

const widths = [390, 1280, 2560];

/**
 * What holds for every page: its heading appears after one document, of few statements; axe has no complaint in either
 * theme; nothing leaves the machine; no width of the screen makes it scroll sideways. The tests share one visit.
 */
export function isPage(
  { gateway, openUntilClosed }: ReturnType<typeof useExplorer>,
  path: string,
  expected: { heading: string | RegExp; statements: number },
) {
  describe.skipIf(noBrowser)(`the page ${path}${noBrowser ? `: ${noBrowser}` : ''}`, () => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await openUntilClosed(path, { reducedMotion: 'reduce' });
      await opened.page.getByRole('heading', { level: 1, name: expected.heading }).waitFor();
      await settled(opened.page);
    });
    afterAll(() => opened?.close());

    it.each(['light', 'dark'] as const)(
      'has no violation that axe finds in the %s theme',
      async (colorScheme) => {
        await opened.page.emulateMedia({ colorScheme });
        await settled(opened.page);
        // Themes differ in their colours only.
        const rules = colorScheme === 'dark' ? ['color-contrast'] : [];
        expect(await opened.violations(...rules)).toEqual([]);
      },
    );

    it.each(widths)('fits into %i px', async (width) => {
      await opened.page.setViewportSize({ width, height: 900 });
      await expect
        .poll(() => opened.page.evaluate(() => document.documentElement.scrollWidth))
        .toBeLessThanOrEqual(width);
    });

    it('asks nobody but the gateway, and keeps to its content security policy', () => {
      expect([...opened.hosts]).toEqual([new URL(gateway.url).host]);
      expect(opened.complaints).toEqual([]);
    });

    it(`sends one document, which runs at most ${expected.statements} statements`, async () => {
      expect(opened.sent.map(({ operationName }) => operationName)).toHaveLength(1);
      const [{ query, variables }] = opened.sent as [Sent];
      await opened.close(); // its streams run statements too
      gateway.statements.length = 0;
      await gateway.graphql(query, variables);
      const statements = [...gateway.statements];
      expect(statements.length, statements.join(' ')).toBeLessThanOrEqual(expected.statements);
      gateway.statements.length = 0;
      await gateway.graphql(query, fewer(variables));
      expect([...gateway.statements].sort(), 'with two rows of each list').toEqual(statements.sort());
    });
  });
}
