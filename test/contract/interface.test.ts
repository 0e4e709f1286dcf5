import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { everything, testsOf } from '../support/interface.ts';
import { interfacePage } from '../support/interface-page.ts';
import { titlesIn } from '../support/titles.ts';
import shown from './interface-tests.json' with { type: 'json' };
import { rules } from './rules.ts';

const tests = testsOf(shown);
const sourceOf = (file: string) => new URL(`../${file}.test.ts`, import.meta.url);

// `npm run docs` runs the tests and takes up what they ask for.
describe('docs/interface.md', () => {
  it('is what the routes, the rules and the tests say', async () => {
    await expect(interfacePage(shown)).toMatchFileSnapshot('../../docs/interface.md');
  });

  it('names a test for everything', () => {
    const missing = everything().filter((item) => !tests.has(item));
    expect(missing, 'Write a test that asks for it, then npm run docs').toEqual([]);
  });

  it('names nothing that is not in the interface', () => {
    const known = new Set(everything());
    expect([...tests.keys()].filter((item) => !known.has(item))).toEqual([]);
  });

  it.each(Object.entries(shown))('names tests that are there: %s', (file, titles) => {
    expect(existsSync(sourceOf(file))).toBe(true);
    const source = titlesIn(readFileSync(sourceOf(file), 'utf8'));
    expect(Object.keys(titles).filter((title) => !source.has(title))).toEqual([]);
  });

  it.each(rules)('names a test that is there for the rule $name', ({ test: [file, title] }) => {
    expect(titlesIn(readFileSync(sourceOf(file), 'utf8')).has(title)).toBe(true);
  });

  it('has each rule once', () => {
    expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
  });
});
