import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { csvRows } from '../../src/ingest/source/csv.ts';
import { readRows } from '../../src/ingest/source/source.ts';
import { runs, slow } from '../support/thorough.ts';
import { all, bytesOf, endless, outcome } from './reading.ts';

type Parsed = { record: string[]; info: { bytes: number } };
const parsedCsv = (text: string) =>
  parseCsv(text, {
    ...{ info: true, skip_empty_lines: true, relax_column_count: true },
    record_delimiter: ['\r\n', '\n'],
  }) as unknown as Parsed[];
const lineBreaks = (text: string) => text.split('\n').length - 1;

describe('CSV', () => {
  const shape = z.object({ a: z.string(), b: z.string() });
  const cells = fc.string({
    unit: fc.constantFrom('a', 'é', '1', ' ', ',', ',', '😀', '-'),
    maxLength: 8,
  });
  const oddities = fc.constantFrom(
    ...['"', '"a,\n""b"', '"x"', 'a"b', '"\r"', '\n', '\r\n', '"x"y', '"a,b",""', '"""a"",""b"""', ' "a"'],
    ...['"a""', '1,"[""a"",""b""]",2', '"a"b"', '"a" ,b', '""', '"x"\n"y', 'a"b"', '"a\r\n\r\nb",1'],
  );
  const files = fc.record({
    lines: fc.array(
      fc.tuple(
        fc.oneof({ weight: 6, arbitrary: cells }, { weight: 1, arbitrary: oddities }),
        fc.constantFrom('\n', '\r\n'),
      ),
    ),
    last: fc.boolean(),
    size: fc.integer({ min: 1, max: 40 }),
  });
  /** Row by row: its first line, and its cells, or its text if they are not as many as those of the header. */
  const told = (cells: string[], line: number) =>
    cells.length === 2 ? [line, ...cells.map((cell) => cell || null)] : [line, JSON.stringify(cells)];

  it('has the cells that csv-parse tells, and rows with the numbers of their first lines', async () => {
    const read = { rows: 0, faults: 0 };
    await fc.assert(
      fc.asyncProperty(files, async ({ lines, last, size }) => {
        const ended = lines.map(([text, lineBreak], at) =>
          at < lines.length - 1 || last ? text + lineBreak : text,
        );
        const text = `a,b\n${ended.join('')}`;
        const bytes = Buffer.from(text);
        const expected = await outcome(() =>
          parsedCsv(text)
            .slice(1)
            .map(({ record, info }) => {
              const before = bytes.toString('utf8', 0, info.bytes).replace(/\n$/, '');
              return told(record, 1 + lineBreaks(before) - lineBreaks(record.join('')));
            }),
        );
        const found = await outcome(async () =>
          (await all(readRows(csvRows('file', bytesOf(text, size), shape)))).map((row) =>
            row.broken
              ? [row.place, row.broken.text]
              : [row.place, ...Object.values(row.value as Record<string, unknown>)],
          ),
        );
        if ('rows' in expected) {
          expect(found).toEqual(expected);
          read.rows += 1;
        } else {
          expect('message' in found && found.message).toMatch(/^file: is not CSV: /);
          read.faults += 1;
        }
      }),
      { ...runs(2_000), endOnFailure: true },
    );
    expect(Math.min(...Object.values(read)), JSON.stringify(read)).toBeGreaterThan(100);
  });

  const rowsOf = (text: string, size = 65_536) => all(readRows(csvRows('file', bytesOf(text, size), shape)));

  it('is read in long lines too', async () => {
    const cell = 'x'.repeat(1_500_000);
    const rows = await rowsOf(`a,b\n1,${cell}\n2,"${cell}"\n3,4\n`);
    expect(rows.map(({ place, value }: any) => [place, value.a, value.b.length])).toEqual([
      [2, '1', cell.length],
      [3, '2', cell.length],
      [4, '3', 1],
    ]);
  });

  it.each([
    ['a quote that is not closed', 'a,b\n1,2\n3,"x\n4,5\n', 'a quote of the record on line 3 is not closed'],
    ['a CR without LF', 'a,b\r\n1,2\r3,4\r\n', 'line 2 has a CR without LF outside quotes'],
  ])('is refused with %s', async (_of, text, message) => {
    await expect(rowsOf(text)).rejects.toThrow(`file: is not CSV: ${message}`);
  });

  slow('does not grow in memory from a quote that is not closed', async () => {
    const { read, chunks } = endless('a,b\n1,"', '2\n'.repeat(524_288));
    await expect(all(readRows(csvRows('file', chunks, shape)))).rejects.toThrow(
      'file: line 2 begins a row of more than 32 MB; a quote may not be closed',
    );
    expect(read.count).toBeLessThan(40);
  });

  it('closes its source when its reader stops', async () => {
    let closed = false;
    async function* source() {
      try {
        for (;;) yield Buffer.from('a,b\n');
      } finally {
        closed = true;
      }
    }
    for await (const _ of csvRows('file', source(), shape)) break;
    expect(closed).toBe(true);
  });
});
