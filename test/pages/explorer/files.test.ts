import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/config/index.ts';
import { gatewayForTest, useGateway } from '../../support/gateway.ts';

const gateway = useGateway({ template: 'empty' });
const folder = fileURLToPath(new URL('../../../dist/web/assets/explorer/', import.meta.url));
const scripts = () => readdirSync(folder).filter((name) => name.endsWith('.js'));
const page = () => gateway.fetch('/', { headers: { accept: 'text/html' } });
const assetsOf = (html: string) =>
  [...html.matchAll(/(?:href|src)="\.(\/assets\/[^"]+)"/g)].map(([, path]) => path as string);

/** A script with those that it imports at once. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const text = readFileSync(folder + name, 'utf8');
  for (const [, other] of text.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g))
    withImports(other as string, found);
  return found;
}
const compressed = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + statSync(`${folder}${name}.gz`).size, 0);
const named = (start: RegExp) => scripts().filter((name) => start.test(name));

describe('the files of the explorer', () => {
  // The first view of every page, with its plots, is measured in figures.test.ts.
  it('have the overview before its plots in 210 kB of compressed script', async () => {
    const ofPage = assetsOf((await page()).text)
      .map((path) => path.replace('/assets/explorer/', ''))
      .filter((name) => /^(?!first-(?!overview-)).*\.js$/.test(name)); // of scripts of first figures, only the overview's
    const overview = named(/^overview-/);
    expect([ofPage.length > 0, overview.length]).toEqual([true, 1]);
    const first = [...ofPage, ...overview].flatMap((name) => [...withImports(name)]);
    expect(compressed(new Set(first))).toBeLessThan(210_000);
  });

  it('are named by the page, which is not stored; its one script, for the first figures, is allowed by its hash', async () => {
    const { status, headers, text } = await page();
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    const policy = headers.get('content-security-policy') as string;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe/);
    const inline = [...text.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)];
    expect(inline).toHaveLength(1);
    const hash = createHash('sha256')
      .update(inline[0]?.[1] as string)
      .digest('base64');
    expect(policy).toContain(`script-src 'self' 'sha256-${hash}'`);
    expect(gzipSync(text).length).toBeLessThan(10_000);
    expect(text).not.toMatch(/https?:/);
    expect(assetsOf(text).length).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['deflate', null],
  ])(
    'are sent to who accepts %s as they were compressed, to be kept for a year',
    async (accepted, coding) => {
      for (const path of assetsOf((await page()).text)) {
        const { status, headers, text } = await gateway.fetch(path, {
          headers: { 'accept-encoding': accepted },
        });
        expect([status, headers.get('content-encoding'), headers.get('cache-control')]).toEqual([
          200,
          coding,
          'public, max-age=31536000, immutable',
        ]);
        expect(headers.get('vary')).toMatch(/accept-encoding/i);
        expect(text).toBe(readFileSync(folder + path.split('/').at(-1), 'utf8'));
      }
    },
  );

  it('are 404 by any other name', async () => {
    for (const path of ['/assets/explorer/none.js', '/assets/explorer/', '/assets/explorer/..%2findex.html'])
      expect((await gateway.fetch(path)).status, path).toBe(404);
  });

  it('answer every path below /explore with the page', async () => {
    for (const [path, root] of [
      ['/explore', './'],
      ['/explore/', '../'],
      ['/explore/operators/pool/A%20b?network=hoodi', '../../../'],
    ] as const)
      expect((await gateway.fetch(path)).text.replaceAll(`"${root}`, '"./')).toBe((await page()).text);
  });

  it('have the title and the colours of the settings, which the policy of the page allows', async () => {
    const settings = readSettings({ EXPLORER_TITLE: 'A & "B"', EXPLORER_COLORS: '#0B6E5B, #5fd9c0' });
    const { EXPLORER_TITLE, EXPLORER_COLORS } = settings;
    const { fetch } = await gatewayForTest({
      template: 'empty',
      settings: { EXPLORER_TITLE, EXPLORER_COLORS },
    });
    const { text, headers } = await fetch('/', { headers: { accept: 'text/html' } });
    expect(text).toContain('<title>A &amp; &quot;B&quot;</title>');
    expect(text).toContain('name="application-name" content="A &amp; &quot;B&quot;"');
    const style = /<style>(.*)<\/style>/.exec(text)?.[1] ?? '';
    expect(style).toBe(':root{--accent:light-dark(#0b6e5b,#5fd9c0)}');
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toContain(`'sha256-${hash}'`);
  });

  it.each([
    [{ EXPLORER_TITLE: 'x'.repeat(41) }, '1 to 40 characters without line breaks are needed'],
    [{ EXPLORER_TITLE: 'a\nb' }, '1 to 40 characters without line breaks are needed'],
    [{ EXPLORER_COLORS: '#0b6e5b' }, 'two colours like #3d4ed8,#9aa8ff are needed'],
    [{ EXPLORER_COLORS: 'green,#5fd9c0' }, 'two colours like #3d4ed8,#9aa8ff are needed'],
    [{ EXPLORER_COLORS: '#ffd400,#5fd9c0' }, '#ffd400 has a contrast of 1.2 on the light background'],
    [{ EXPLORER_COLORS: '#0b6e5b,#0b6e5b' }, 'on the dark background #1c222e, but 4.5 is needed'],
  ])('are refused a title or colours that cannot be read: %j', (given, message) => {
    expect(() => readSettings(given)).toThrow(message);
  });

  it('are left out with EXPLORER=off: / lists the paths, /explore is 404', async () => {
    const { fetch } = await gatewayForTest({ template: 'empty', settings: { EXPLORER: false } });
    const { text } = await fetch('/', { headers: { accept: 'text/html' } });
    expect(text).toContain('<a href="./graphql">');
    expect(assetsOf(text)).toEqual([]);
    expect((await fetch('/explore')).status).toBe(404);
  });
});
