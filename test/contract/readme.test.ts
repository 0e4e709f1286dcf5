import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { Settings } from '../../src/config.ts';
import { routes } from '../../src/resources/index.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** What the settings object gives for an empty environment, as a person would write it. */
function defaultOf(field: z.ZodType): string {
  const value = field.parse(undefined);
  if (value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return Array.isArray(value) ? value.join(',') : String(value);
}

describe('the README', () => {
  it('has every setting with its default and meaning', () => {
    const rows = Object.entries(Settings.shape).map(([name, field]) => {
      const description = (field as z.ZodType).description;
      return `| \`${name}\` | ${defaultOf(field as z.ZodType)} | ${description} |`;
    });
    const table = ['| setting | default | meaning |', '|---|---|---|', ...rows].join('\n');
    expect(readme).toContain(table);
  });

  it('names every REST path', () => {
    for (const { path, method = 'GET' } of routes) {
      const shown = path.replace(/:(\w+)/g, '{$1}').replace(/^\/v1\/tags/, '/v1/eth/tags'); // the same paths, shorter
      expect(readme).toContain(`\`${method} ${shown}\``);
    }
  });
});
