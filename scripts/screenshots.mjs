// Takes the pictures of the README from the sample data, after npm run build:
//   node scripts/screenshots.mjs [overview] [operator]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const pictures = {
  overview: '/',
  operator: '/explore/operators/pool/Alder%20Liquid',
};
const folder = 'docs/images';
const wanted = process.argv.slice(2);

const data = mkdtempSync(join(tmpdir(), 'stakegraph-pictures-'));
const env = { ...process.env, DATA_DIR: data, PORT: '0', LOG_LEVEL: 'warn' };
const gateway = spawn(process.execPath, ['dist/main.js', 'serve'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  let banner = '';
  while (!/curl/.test(banner)) banner += (await once(gateway.stdout, 'data'))[0];
  const [, link] = /Explorer +(\S+)/.exec(banner);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, locale: 'en-US' });
  await page.goto(link);
  await page.locator('.figure svg').first().waitFor();
  mkdirSync(folder, { recursive: true });
  for (const [name, path] of Object.entries(pictures)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    await page.goto(new URL(path, link).href);
    await page.locator('.figure svg').first().waitFor();
    await page.waitForTimeout(1_000); // streams stay open: the network is never idle
    await page.screenshot({ path: join(folder, `explorer-${name}.png`) });
  }
  await browser.close();
} finally {
  gateway.kill();
  await once(gateway, 'close');
  rmSync(data, { recursive: true, force: true });
}
