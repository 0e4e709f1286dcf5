import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Why the pages cannot be tested in a browser here; undefined when they can. */
export const noBrowser = existsSync(executablePath)
  ? undefined
  : `there is no ${executablePath} (apt-get install chromium, or set CHROMIUM)`;

/** Chromium without a screen, which by itself speaks to nobody. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

export type Visit = { page: Page; hosts: Set<string>; complaints: string[]; close(): Promise<void> };

/**
 * A page in a context of its own, with the hosts that it asked, and all that the browser complained of: errors of
 * scripts, of the console (the content security policy speaks there), and requests that failed.
 */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  before: (page: Page) => Promise<unknown> = async () => undefined,
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const hosts = new Set<string>();
  const complaints: string[] = [];
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (!['data:', 'blob:'].includes(protocol)) hosts.add(host);
  });
  page.on('websocket', (socket) => hosts.add(new URL(socket.url()).host));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => complaints.push(`${request.url()} ${request.failure()?.errorText}`));
  await before(page);
  await page.goto(url);
  return { page, hosts, complaints, close: () => context.close() };
}
