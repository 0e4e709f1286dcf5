import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { errorText } from '../../src/diagnostics/error-text.ts';
import { importFile } from '../../src/ingest/import-file.ts';
import { type ImportResource, importers } from '../../src/ingest/importers/index.ts';
import { block, validator, validatorDay } from '../refresh/facts.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { numbers, texts, unstorable } from '../support/hostile.ts';
import { every } from '../support/thorough.ts';
import { builder, operator, slashing, useFiles } from './rows.ts';

// No value in a file makes an import fail in the database: what it cannot take is refused by the name of its field.

const write = useFiles();
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());

const bases: [ImportResource, (n: number) => object][] = [
  ['slashings', slashing],
  ['operators', (n) => operator(`operator ${n}`)],
  ['builders', builder],
  ['validators', validator],
  ['validator-days', (n) => validatorDay(n, 1_500)],
  ['blocks', (n) => block({ consensusSlot: n, validatorIndex: n, relays: ['relay'] })],
  ['operator-profiles', (n) => ({ id: `operator ${n}`, idType: 'pool' })],
  ['validator-clients', (n) => ({ validatorIndex: n, client: 'Prysm' })],
];

const values = [
  ...texts,
  ...numbers,
  {},
  [],
  { a: '\0' },
  ['\ud800'],
  [[]],
  'x'.repeat(50_000),
  'RAW 1e400',
  `RAW ${'9'.repeat(400)}`,
];
type Row = { name: string; value: unknown; text: string };

/** A row for each field and value; the other fields are valid. Each field gets another fifth of the values. */
const rowsOf = (resource: ImportResource, base: (n: number) => object): Row[] => {
  const names = Object.keys(importers[resource].shape.shape);
  return names
    .flatMap((name, at) => [...unstorable, ...every(5, values, at)].map((value) => ({ name, value })))
    .map(({ name, value }, n) => {
      const text = JSON.stringify({ ...base(n + 1), [name]: value });
      return { name, value, text: text.replace(/"RAW (\w+)"/, '$1') };
    });
};

const unplain =
  /invalid byte sequence|unsupported Unicode|out of range|violates|syntax|TypeError|undefined|\n\s+at /;

it.each(bases)('%s: each value that cannot be stored is a fault of its field', async (resource, base) => {
  const all = rowsOf(resource, base);
  // A report has the first 1,000 faults.
  for (let at = 0; at < all.length; at += 250) await checkRows(resource, all.slice(at, at + 250));
});

async function checkRows(resource: ImportResource, rows: Row[]) {
  const file = await write(rows.map(({ text }) => `${text}\n`).join(''));
  const report = await importFile(database.pool, resource, file, {
    network: 'mainnet',
    skipInvalid: true,
    onRejected: () => undefined,
  });
  expect([report.rows, report.rejected > 0]).toEqual([rows.length, true]);
  expect(report.faults.filter(({ msg }) => unplain.test(msg))).toEqual([]);
  const of = (at: number) => report.faults.filter(({ place }) => place === `line ${at + 1}`);
  const untold = rows.flatMap(({ name, value }, at) => {
    if (typeof value !== 'string' || !unstorable.includes(value)) return [];
    const fields = of(at).map(({ field }) => field);
    return fields.some((field) => field === name || field.startsWith(`${name}.`))
      ? []
      : [{ name, value, fields }];
  });
  expect(untold).toEqual([]);
}

it.each(bases)('%s: so is each cell of CSV', async (resource, base) => {
  const rows = rowsOf(resource, base).filter(
    ({ value }) => typeof value === 'string' && !/\p{Cs}/u.test(value),
  );
  const names = Object.keys(importers[resource].shape.shape);
  const cell = (value: unknown) =>
    value == null
      ? ''
      : `"${(typeof value === 'object' ? JSON.stringify(value) : String(value)).replaceAll('"', '""')}"`;
  const lines = rows.map(({ name, value }, n) => {
    const row: Record<string, unknown> = { ...base(n + 1), [name]: value };
    return names.map((each) => cell(row[each])).join();
  });
  const file = await write([names.join(), ...lines].join('\n'), `${resource}.csv`);
  const report = await importFile(database.pool, resource, file, {
    network: 'mainnet',
    format: 'csv',
    skipInvalid: true,
    onRejected: () => undefined,
  });
  expect(report.faults.filter(({ msg }) => unplain.test(msg))).toEqual([]);
});

const one = JSON.stringify(slashing(1));
it.each<[string, string | Buffer]>([
  ['a NUL', '\0'],
  ['NULs after a row', `${one}\n\0\0\0\n`],
  ['UTF-16', Buffer.from(`\ufeff${one}`, 'utf16le')],
  [
    'a surrogate as UTF-8',
    Buffer.from([...Buffer.from('{"validatorPubkey":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]),
  ],
  ['a gzip of nothing that is JSON', gzipSync(Buffer.from([0xff, 0xfe, 0, 1]))],
  ['what begins like gzip', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3])],
  ['a deep list', '['.repeat(100_000)],
  ['a deep object', '{"a":'.repeat(100_000)],
  ['a long key', `{"${'k'.repeat(300_000)}":1}`],
  ['a key of objects', '{"__proto__":{"a":1},"constructor":"x"}'],
  ['control characters', '\u0001\u001b[31m\u007f'],
])('a file of %s is refused in a sentence that names it', async (_name, content) => {
  const file = await write(content);
  const refusal = await importFile(database.pool, 'slashings', file, { network: 'mainnet' }).then(
    ({ faults, passed }) => {
      expect(passed).toBe(false);
      return faults.map(({ field, msg }) => `${file}: ${field} ${msg}`).join();
    },
    (error) => errorText(error),
  );
  expect(refusal).toContain(file);
  expect(refusal).not.toMatch(unplain);
  expect(refusal.length).toBeLessThan(2_000);
});
