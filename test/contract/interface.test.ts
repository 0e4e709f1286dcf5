import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { interfacePage } from '../support/interface-page.ts';
import { titlesIn } from '../support/titles.ts';
import { rules } from './rules.ts';

const sourceOf = (file: string) => new URL(`../${file}.test.ts`, import.meta.url);

describe('docs/interface.md', () => {
  it('has every rule with its test', async () => {
    await expect(interfacePage()).toMatchFileSnapshot('../../docs/interface.md');
  });

  it.each(rules)('names an existing test for the rule $name', ({ test: [file, title] }) => {
    expect(titlesIn(readFileSync(sourceOf(file), 'utf8')).has(title)).toBe(true);
  });

  it('has each rule once', () => {
    expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
  });
});
