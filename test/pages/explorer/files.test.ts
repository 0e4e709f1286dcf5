import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
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
  it('have at most 300 kB of compressed script for the first view, with its plots', () => {
    const first = [...named(/^index-/), ...named(/^overview-/)].flatMap((name) => [...withImports(name)]);
    const before = compressed(new Set(first));
    const plots = named(/^(dist|src|plot|index)[.-]/i).flatMap((name) => [...withImports(name)]);
    expect(named(/^overview-/)).toHaveLength(1);
    expect(before).toBeLessThan(200_000);
    expect(compressed(new Set([...first, ...plots]))).toBeLessThan(300_000);
  });

  it('are named by the page, which is not stored and has no script of its own', async () => {
    const { status, headers, text } = await page();
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    const policy = headers.get('content-security-policy') as string;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe/);
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)/);
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

  it('are left out with EXPLORER=off: / lists the paths, /explore is 404', async () => {
    const { fetch } = await gatewayForTest({ template: 'empty', settings: { EXPLORER: false } });
    const { text } = await fetch('/', { headers: { accept: 'text/html' } });
    expect(text).toContain('<a href="./graphql">');
    expect(assetsOf(text)).toEqual([]);
    expect((await fetch('/explore')).status).toBe(404);
  });
});
