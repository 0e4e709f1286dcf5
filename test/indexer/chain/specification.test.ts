import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const folder = new URL('../../../src/indexer/chain/', import.meta.url);
const text = (file: string) => readFileSync(new URL(file, folder), 'utf8');
const rows = text('README.md')
  .split('\n')
  .flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim().replaceAll('`', ''));
    const [, specified = '', name = '', file = '', reason = ''] = cells;
    return /^[a-z]+(_[a-z]+)+$/.test(specified) ? [{ specified, name, file, reason }] : [];
  });

const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

describe('the table of functions of the specification', () => {
  it('has each of them once', () => {
    expect(rows.length).toBeGreaterThan(40);
    expect(new Set(rows.map(({ specified }) => specified)).size).toBe(rows.length);
  });

  it.each(rows)('$specified is $name in $file', ({ specified, name, file, reason }) => {
    expect(text(file)).toMatch(new RegExp(`(function |const |  #)${name}\\b`));
    if (reason === '') expect(name).toBe(camel(specified));
    else expect(name).not.toBe(camel(specified));
  });

  it('has each function whose name is one of the specification', () => {
    const files = new Set(rows.map(({ file }) => file).filter((file) => !file.startsWith('..')));
    const declared = [...files].flatMap((file) =>
      [...text(file).matchAll(/function (process[A-Z]\w*)/g)].map(([, name]) => name),
    );
    const known = new Set(rows.map(({ name }) => name));
    expect(declared.filter((name) => !known.has(name as string))).toEqual(['processExecutionRequests']);
  });
});
