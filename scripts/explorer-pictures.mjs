// Opens pages of the explorer of a gateway on new sample data, in Chromium, for scripts that take pictures.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Until figures and plots are there. Streams stay open, so the network is never idle. */
const settled = (page) =>
  page.waitForFunction(
    () =>
      document.querySelector('main')?.getAttribute('aria-busy') === 'false' &&
      [...document.querySelectorAll('.plot')].every((plot) => plot.querySelector('svg')),
  );

/** Ends the script with a sentence, not a stack. */
export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

export async function withExplorer(work) {
  if (!existsSync(chromiumPath))
    fail(
      `Chromium is not at ${chromiumPath}: install it (on Debian: apt-get install chromium), or name it in CHROMIUM.`,
    );
  if (!existsSync('dist/main.js')) fail('dist/main.js is missing: run npm run build first.');
  const data = mkdtempSync(join(tmpdir(), 'stakegraph-pictures-'));
  const env = { ...process.env, DATA_DIR: data, PORT: '0', LOG_LEVEL: 'warn' };
  const gateway = spawn(process.execPath, ['dist/main.js', 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let browser;
  try {
    let banner = '';
    while (!/curl/.test(banner)) banner += (await once(gateway.stdout, 'data'))[0];
    const { origin } = new URL(/Explorer +(\S+)/.exec(banner)[1]);
    const token = readFileSync(join(data, 'token'), 'utf8').trim();
    browser = await chromium.launch({
      executablePath: chromiumPath,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
    const graphql = async (query) => {
      const response = await fetch(`${origin}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      const { data, errors } = await response.json();
      if (errors) throw new Error(errors[0].message);
      return data;
    };
    /** The caller closes its context. */
    const open = async (path, options) => {
      const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options });
      await context.addInitScript((given) => sessionStorage.setItem('stakegraph:token', given), token);
      const page = await context.newPage();
      await page.goto(origin + path);
      await settled(page);
      return page;
    };
    await work({ open, browser, graphql });
  } finally {
    await browser?.close();
    gateway.kill();
    await once(gateway, 'close');
    rmSync(data, { recursive: true, force: true });
  }
}
