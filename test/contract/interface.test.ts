import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { everything, testsOf } from '../support/interface.ts';
import { interfacePage } from '../support/interface-page.ts';
import { ABOUT_REFUSAL } from '../support/interface-reporter.ts';
import { titlesIn } from '../support/titles.ts';
import shown from './interface-tests.json' with { type: 'json' };
import { rules } from './rules.ts';

const tests = testsOf(shown);
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

// `npm run docs` runs the tests and records what they request.
describe('test/contract/interface-tests.json', () => {
  it('names a test for everything', () => {
    const missing = everything().filter((item) => !tests.has(item));
    expect(missing, 'Write a test that requests it, then npm run docs').toEqual([]);
  });

  it('names for each refusal a test about refusals', () => {
    const others = [...tests].filter(
      ([item, { title }]) => item.includes(' refuses ') && !ABOUT_REFUSAL.test(title),
    );
    expect(others.map(([item, { file, title }]) => `${item}: ${file} ${title}`)).toEqual([]);
  });

  it('names nothing that is not in the interface', () => {
    const known = new Set(everything());
    expect([...tests.keys()].filter((item) => !known.has(item))).toEqual([]);
  });

  it.each(Object.entries(shown))('names existing tests: %s', (file, titles) => {
    expect(existsSync(sourceOf(file))).toBe(true);
    const source = titlesIn(readFileSync(sourceOf(file), 'utf8'));
    expect(Object.keys(titles).filter((title) => !source.has(title))).toEqual([]);
  });
});
