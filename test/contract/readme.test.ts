import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { tierLimits, tierSets } from '../../src/accounts/tiers.ts';
import { readSettings, Settings } from '../../src/config/index.ts';
import { limits } from '../../src/graphql/run/limits.ts';
import { refusalStatus } from '../../src/kernel/refusal.ts';
import { routes } from '../../src/resources/index.ts';
import { commandFaults, curlRequests, npmScripts } from '../support/documented-commands.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { brokenLinks } from '../support/links.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].concat(
  readdirSync(new URL('docs', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
);
const withoutSpace = (json: string) => json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');

describe('the README', () => {
  const readme = read('README.md');

  it('has at most 120 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
  });

  it('names every REST path', () => {
    const chains =
      /^\/v1\/(avalanche|babylon|cardano|celestia|polkadot|polygon|solana)(?=\/(validators|network\/rewards))/;
    const missing = routes.flatMap(({ path, method = 'GET' }) => {
      const shown = path.replace(/:(\w+)/g, '{$1}').replace(/^\/v1\/tags/, '/v1/eth/tags');
      const [, chain] = chains.exec(shown) ?? [];
      const names = [
        `\`${method} ${shown.replace(chains, '/v1/{chain}')}\``,
        ...(chain ? [`\`${chain}\``] : []),
      ];
      return names.filter((name) => !readme.includes(name));
    });
    expect(missing).toEqual([]);
  });
});

describe('the pages', () => {
  it.each(pages)('%s has no broken link', (page) => {
    expect(brokenLinks(page, read)).toEqual([]);
  });

  it.each(pages.filter((page) => page !== 'CHANGELOG.md'))(
    '%s names only existing commands and options',
    (page) => {
      expect(commandFaults(read(page))).toEqual([]);
      const { scripts } = JSON.parse(read('package.json'));
      expect(npmScripts(read(page)).filter((name) => !(name in scripts))).toEqual([]);
    },
  );

  it('are each linked from the README', () => {
    const readme = read('README.md');
    const linked = pages.filter((page) => page.startsWith('docs/') && !readme.includes(`](${page})`));
    expect(linked).toEqual(['docs/performance-trials.md']); // docs/performance.md links it
  });
});

describe('documented requests', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({ settings: { CACHE: true } }); // the metrics of the cache are there with it only
  });
  afterAll(() => gateway.close());

  const documented = pages.flatMap((page) =>
    curlRequests(read(page)).map((request) => [`${page}: ${request.path}`, request] as const),
  );

  it.each(documented)('%s has the documented response', async (_name, { path, headers, body, response }) => {
    const answer = await gateway.fetch(path, {
      headers: Object.fromEntries(
        headers.map(([name, value]) => [name, value.replace('$(cat .data/token)', gateway.token)]),
      ),
      ...(body && { method: 'POST', body }),
    });
    expect([200, 201], answer.text).toContain(answer.status);
    if (response) expect(withoutSpace(answer.text)).toBe(withoutSpace(response));
  });

  it('are in the README for both APIs, with responses', () => {
    const shown = curlRequests(read('README.md')).filter(({ response }) => response);
    expect(shown.map(({ path }) => path.split('/')[1])).toEqual(['v0', 'graphql']);
  });

  it('for metrics are answered with every documented metric', async () => {
    const { text } = await gateway.fetch('/metrics');
    const names = [...read('docs/operations.md').matchAll(/^\| (`stakegraph_.*?) \|/gm)].flatMap(([, cell]) =>
      [...(cell as string).matchAll(/`(\w+)`/g)].map(([, name]) => name as string),
    );
    const ofIndex = ['head_epoch', 'finalized_epoch', 'indexed_epoch', 'behind_seconds'].concat([
      'missing_epochs',
      'unknown_fork_epoch',
      'node_errors_total',
      'reconcile_failures_total',
    ]);
    const ofReplica = ['up', 'lag_seconds', 'statements_total'].map((name) => `read_replica_${name}`);
    const ofDisk = ['disk_bytes', 'disk_free_bytes'];
    const optional = [...ofDisk, 'redis_up', ...ofReplica, ...ofIndex.map((name) => `index_${name}`)].map(
      (name) => `stakegraph_${name}`,
    );
    expect(names.filter((name) => !text.includes(`# TYPE ${name} `))).toEqual(optional);
    const served = [...text.matchAll(/^# TYPE (stakegraph_\w+) /gm)].map(([, name]) => name as string);
    expect(served.filter((name) => !names.includes(name))).toEqual([]);
  });
});

/** The value of a setting in an empty environment, as a person would write it. */
function defaultOf(field: z.ZodType): string {
  const value = field.parse(undefined);
  if (value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return Array.isArray(value) ? value.join(',') : String(value);
}

describe('documented tables', () => {
  it('have every setting with its default and meaning', () => {
    const rows = Object.entries(Settings.shape).map(([name, field]) => {
      const description = (field as z.ZodType).description;
      return `| \`${name}\` | ${defaultOf(field as z.ZodType)} | ${description} |`;
    });
    const table = ['| setting | default | meaning |', '|---|---|---|', ...rows].join('\n');
    expect(read('docs/operations.md')).toContain(table);
  });

  it('have the limits of each tier', () => {
    const { rates, units } = tierLimits(readSettings({}));
    const number = (value: number | undefined) => value?.toLocaleString('en') ?? 'no limit';
    const period = { free: " for the account's life", enterprise: '' } as Record<string, string>;
    const rows = (Object.keys(rates) as (keyof typeof rates)[]).map(
      (tier) => `| ${tier} | ${number(rates[tier])} | ${number(units[tier])}${period[tier] ?? ' a month'} |`,
    );
    expect(read('docs/accounts.md')).toContain(rows.join('\n'));
    const { build, growth } = tierSets;
    expect(read('docs/private-sets.md')).toContain(`${build} for build, ${growth} for growth`);
  });

  it('have the limits of a GraphQL document, and its error codes', () => {
    const page = read('docs/graphql.md');
    const shown = Object.entries({ ...limits, bytes: `${limits.bytes / 1e6} MB` }).map(([, limit]) =>
      limit.toLocaleString('en'),
    );
    expect(shown.filter((limit) => !page.includes(`| ${limit}`))).toEqual([]);
    const errors = page.split('\n## ').find((section) => section.startsWith('Errors\n')) ?? '';
    const codes = [...errors.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(0);
    expect(
      codes.filter((code) => !['BAD_QUERY', 'INTERNAL', ...Object.keys(refusalStatus)].includes(`${code}`)),
    ).toEqual([]);
  });
});

describe('the license', () => {
  it('is the one of package.json', () => {
    expect(JSON.parse(read('package.json')).license).toBe('MIT');
    expect(read('LICENSE')).toMatch(/^MIT License\n\nCopyright \(c\) \d{4} stakegraph authors\n/);
  });

  it('and generated files have existing paths', () => {
    const paths = [...read('.gitattributes').matchAll(/^([^#\s]\S*) linguist-generated$/gm)].map(
      ([, path]) => path,
    );
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) expect(read(path as string).length, path).toBeGreaterThan(0);
  });
});
