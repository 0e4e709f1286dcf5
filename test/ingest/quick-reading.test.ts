import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { parse, stringify } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { accepter } from '../../src/ingest/accepter.ts';
import { importerOf, importers } from '../../src/ingest/importers.ts';
import { csvRows } from '../../src/ingest/source/csv.ts';
import { documentRows } from '../../src/ingest/source/document.ts';
import { jsonLines } from '../../src/ingest/source/lines.ts';
import { readRows } from '../../src/ingest/source/source.ts';
import { decode } from '../../src/kernel/decode.ts';
import { leafOf } from '../../src/kernel/leaves.ts';
import { runs } from '../support/thorough.ts';
import { slashing } from './rows.ts';

async function* bytesOf(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function all<T>(batches: AsyncIterable<T[]>): Promise<T[]> {
  const rows: T[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}
type Parsed = { record: string[]; info: { bytes: number } };
const parsedCsv = (text: string) =>
  parseCsv(text, {
    ...{ info: true, skip_empty_lines: true, relax_column_count: true },
    record_delimiter: ['\r\n', '\n'],
  }) as unknown as Parsed[];
const lineBreaks = (text: string) => text.split('\n').length - 1;
const outcome = async (read: () => unknown) => {
  try {
    return { rows: await read() };
  } catch (error) {
    return { message: (error as Error).message };
  }
};

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

  it('does not grow in memory from a quote that is not closed', async () => {
    let chunks = 0;
    async function* endless() {
      yield Buffer.from('a,b\n1,"');
      for (;;) {
        chunks += 1;
        yield Buffer.alloc(1_048_576, '2\n');
      }
    }
    await expect(all(readRows(csvRows('file', endless(), shape)))).rejects.toThrow(
      'file: line 2 begins a row of more than 32 MB; a quote may not be closed',
    );
    expect(chunks).toBeLessThan(40);
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

describe('NDJSON that JSON.parse reads without loss', () => {
  const numbers = fc.constantFrom(
    ...[
      '0',
      '-0',
      '1',
      '-17',
      '1.0',
      '1.50',
      '1e3',
      '1E400',
      '9007199254740993',
      '0.1',
      '1e-7',
      '32014860472',
    ],
    ...['123456789012345678901234567890', '1.7976931348623157e308', '01', '.5', '1.', '+1', 'NaN'],
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
    fc.constantFrom('"\\u0041"', '"\\/"', '"\\ud800"', '"a, "', '"\\": "', '"a": "b"', '"\t"', "'a'", '"'),
  );
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', maxDepth: 3 },
      numbers,
      texts,
      fc.constantFrom('null', 'true', 'false', 'undefined', ''),
      fc
        .tuple(fc.array(tie('value'), { maxLength: 4 }), fc.constantFrom(',', ', '))
        .map(([items, comma]) => `[${items.join(comma)}]`),
      fc
        .tuple(
          fc.array(
            fc.tuple(
              fc.constantFrom('"a"', '"b"', '"2"', '"1"', '"__proto__"', '"toString"', '" "'),
              tie('value'),
            ),
            { maxLength: 4 },
          ),
          fc.constantFrom(['": ', ', '], [':', ','], [': ', ', '], [' : ', ' , ']),
        )
        .map(
          ([members, [colon, comma]]) =>
            `{${members.map((one) => one.join(colon?.replace('"', ''))).join(comma)}}`,
        ),
    ),
  }));

  it('has the values, digits and faults that lossless-json tells', async () => {
    const told = (text: string) => {
      try {
        return { text: stringify(parse(text)) };
      } catch (error) {
        return { msg: `is not JSON: ${(error as Error).message}` };
      }
    };
    await fc.assert(
      fc.asyncProperty(value, async (text) => {
        const line = text.replaceAll('\n', ' ').trim();
        const [row] = await all(readRows(jsonLines('file', bytesOf(line, 7))));
        if (line === '') expect(row).toBeUndefined();
        else
          expect(row?.broken ? { msg: row.broken.msg } : { text: stringify(row?.value) }).toEqual(told(line));
      }),
      { ...runs(8_000), endOnFailure: true },
    );
  });
});

describe('lists of rows that are read without stream-json', () => {
  const mostly = (right: string[], wrong: string[]) =>
    fc.oneof(
      { weight: 200, arbitrary: fc.constantFrom(...right) },
      { weight: 1, arbitrary: fc.constantFrom(...wrong) },
    );
  const numbers = mostly(
    ['0', '-0', '1.0', '9007199254740993', '1e-7', 'true', 'null'],
    ['1 2', '01', 'tr ue', '.'],
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4 }).map((text) => JSON.stringify(text)),
    mostly(
      ['"},{"', '"\\""', '"\\\\"', '"data"', '"["'],
      ['"\t"', '"', '"é', '"a" "b"', '"[", "a"', '"results": [{}]'],
    ),
  );
  const spaces = mostly(['', '', ' ', '\n', '\r\n  '], ['\v', ',']);
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', maxDepth: 2 },
      numbers,
      texts,
      fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
      fc
        .array(tie('value'), { maxLength: 3 })
        .map((all) => `{${all.map((one, n) => `"${n}":${one}`).join(',')}}`),
    ),
  }));
  const rows = fc
    .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'data'), spaces, value, spaces), {
      maxLength: 3,
      selector: ([key]) => key, // lossless-json accepts a key twice with the same value
    })
    .map(
      (all) =>
        `{${all.map(([key, one, text, two]) => `${one}"${key}"${two}:${one}${text}${two}`).join(',')}}`,
    );
  const elements = fc.oneof({ weight: 12, arbitrary: rows }, { weight: 1, arbitrary: value });
  const listOf = (items: fc.Arbitrary<string>) =>
    fc
      .array(fc.tuple(spaces, items, spaces), { maxLength: 5 })
      .map((list) => `[${list.map((one) => one.join('')).join(',')}]`);
  const lists = listOf(elements);
  const bodies = fc
    .tuple(
      fc.constantFrom('"page":{"from":0},', '"a":[{"data":1}],', '"data":[],', ''),
      fc.constantFrom('data', 'results', 'rows'),
      ...[spaces, lists, spaces],
      fc.constantFrom(',"total":2', ',"next":null,"previous":null', ',"results":[{"b":2}]', ''),
    )
    .map(([before, key, one, list, two, after]) => `{${before}"${key}":${one}${list}${two}${after}}`);
  const documents = fc.oneof(
    ...[lists, bodies, listOf(fc.oneof(bodies, elements))],
    fc.array(fc.oneof(bodies, rows, lists), { maxLength: 3 }).map((all) => all.join('\n')),
  );
  const faults = fc.tuple(
    fc.constantFrom(...Array(20).fill(''), ',', ']', '}', '[', '7', '"', '\\'),
    fc.nat(200),
  );

  it('have the rows, numbered alike, and the faults that stream-json tells', async () => {
    const read = { rows: 0, whole: 0, faults: 0 };
    await fc.assert(
      fc.asyncProperty(
        documents,
        faults,
        fc.integer({ min: 1, max: 60 }),
        async (document, [fault, at], size) => {
          const text = `${document.slice(0, at)}${fault}${document.slice(at)}`;
          const reading = (quick: boolean, bytes: number) =>
            outcome(async () => {
              const { rows, complete } = documentRows('file', bytesOf(text, bytes), new Set(), quick);
              const told = (await all(readRows(rows))).map(
                ({ value, place }) => `${place} ${stringify(value)}`,
              );
              return [...told, complete()];
            });
          const expected = await reading(false, 1_000);
          const found = await reading(true, size);
          if ('rows' in expected) {
            expect(found).toEqual(expected);
            const { length } = expected.rows as unknown[];
            if (length > 1) read.rows += 1;
            if ((expected.rows as unknown[])[length - 1]) read.whole += 1;
          } else {
            const [of] = /^file: is not JSON/.exec(expected.message) ?? [];
            expect('message' in found && found.message).toContain(of);
            read.faults += 1;
          }
        },
      ),
      { ...runs(8_000), endOnFailure: true },
    );
    expect(Math.min(...Object.values(read)), JSON.stringify(read)).toBeGreaterThan(20);
  });

  it('need a row after a comma, also if a document follows in the next chunk', async () => {
    async function* chunks() {
      yield Buffer.from('[{"a":1},');
      yield Buffer.from('] {"data":[]}');
    }
    await expect(all(readRows(documentRows('file', chunks(), new Set()).rows))).rejects.toThrow(
      'is not JSON after row 1: a row must follow the comma',
    );
  });

  it('do not grow in memory from a wrapper that is not a body', async () => {
    let chunks = 0;
    async function* endless() {
      yield Buffer.from('{"rows":[');
      for (;;) {
        chunks += 1;
        yield Buffer.from(`{"a":"${'x'.repeat(1_048_576)}"},`);
      }
    }
    const read: unknown[] = [];
    await expect(
      (async () => {
        for await (const rows of readRows(documentRows('file', endless(), new Set(['a'])).rows))
          read.push(...rows);
      })(),
    ).rejects.toThrow('file: has more than 32 MB in one value that is not a list of rows');
    expect(chunks).toBeLessThan(40);
    expect(read).toMatchObject([{ place: 1, value: { rows: expect.any(Array) } }]); // whose check tells of a wrapper
  });

  const wrappers: [string, (rows: string) => string][] = [
    ['an array', (rows) => `[${rows}]`],
    ['a REST body', (rows) => `{"page":{"from":0},"data":[${rows}],"total":3}`],
    ['bodies one after the other', (rows) => `{"data":[]}{"results":[${rows}]}`],
    ['an array of bodies', (rows) => `[{"data":[]},{"data":[${rows}]}]`],
  ];
  const quickRows = async (text: string) => {
    let [count, listed] = [0, 0];
    for await (const batch of documentRows('file', bytesOf(text, 262_144), new Set()).rows) {
      const rows = Array.isArray(batch) ? batch : await all(readRows([batch] as never));
      count += rows.length;
      if (!Array.isArray(batch)) listed += rows.length;
    }
    return [count, listed];
  };

  it.each(wrappers)('are those of %s', async (_of, wrapped) => {
    expect(await quickRows(wrapped('{"a":1},{"a":[2]} , {"a":3}'))).toEqual([3, 3]);
  });

  it.each(wrappers)('end in %s at a row of many megabytes', async (_of, wrapped) => {
    const long = JSON.stringify({ a: 'x'.repeat(9_000_000) });
    expect(await quickRows(wrapped(`{"a":1},${long},{"a":2}`))).toEqual([3, 1]);
  });
});

describe('rows that are accepted without zod', () => {
  const plain = Object.keys(importers).filter((name) =>
    Object.values(importerOf(name as 'validators').shape.shape).every((field) => leafOf(field as z.ZodType)),
  );
  const values = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      undefined,
      true,
      false,
      -0,
      0,
      1,
      0.5,
      2,
      511,
      512,
      -1,
      99_999,
      100_001,
      2 ** 31,
    ),
    fc.constantFrom<unknown>(
      Number.NaN,
      Number.POSITIVE_INFINITY,
      'mainnet',
      'pool',
      'chain',
      '7d',
      'in',
      [],
      {},
    ),
    fc.constantFrom<unknown>('0', '-0', '1', '-1', '01', '32014860472', '281474976710656', '281474976710657'),
    fc.constantFrom<unknown>(
      '9223372036854775807',
      '9223372036854775808',
      '1.5',
      '1.50',
      '1e5',
      '0.0000000001',
    ),
    fc.constantFrom<unknown>('2024-02-29', '2023-02-29', '2024-03-31T12:00:23Z', '2024-03-31T25:00:23Z'),
    fc.constantFrom<unknown>(
      '',
      'a',
      'é',
      '😀',
      '\0',
      '\ud800',
      'x'.repeat(64),
      '😀'.repeat(64),
      'x'.repeat(513),
    ),
    fc.constantFrom<unknown>(
      `0x${'a'.repeat(96)}`,
      `0x${'a'.repeat(40)}`,
      `0x${'A'.repeat(96)}`,
      '1'.repeat(44),
    ),
    fc.constantFrom<unknown>(
      'NodeID-H19tZhPNMERgPwc7opxwHjXe5eYDVYB22',
      'bbnvaloper154xu5xp9xza36mgn9n0dvgmm9mv3u0mjafh6gh',
      'celestiavaloper1rl93jughgj2dvjfun4wrgc97xyspu607edt72g',
    ),
  );

  it.each(plain)('of %s are those that zod returns unchanged', (name) => {
    const { shape } = importerOf(name as 'validators');
    const accepts = accepter(shape);
    // Mostly values of which each is right for its field, so that whole rows are accepted.
    const right = Object.entries(shape.shape).map(([field, schema]) => {
      const fitting = fc
        .sample(values, { numRuns: 400, seed: 1 })
        .filter((one) => one !== undefined && (schema as z.ZodType).safeParse(one).success);
      expect(fitting, field).not.toEqual([]);
      return [field, fc.oneof({ weight: 60, arbitrary: fc.constantFrom(...fitting) }, values)] as const;
    });
    let accepted = 0;
    fc.assert(
      fc.property(fc.record(Object.fromEntries(right)), fc.boolean(), (row, more) => {
        const given = more ? row : { ...row, other: 1 };
        const checked = shape.safeParse(given);
        if (!accepts(given)) return;
        accepted += 1;
        expect(checked).toEqual({ success: true, data: given });
      }),
      { ...runs(400), seed: 1, endOnFailure: true },
    );
    expect(accepted).toBeGreaterThan(0);
  });

  it('are complete, of the fields of the shape only', () => {
    const { shape } = importerOf('slashings');
    const accepts = accepter(shape);
    const row = decode(shape, parse(JSON.stringify({ ...slashing(7), network: 'mainnet' }))) as Record<
      string,
      unknown
    >;
    expect(accepts(row)).toBe(true);
    expect(accepts({ ...row, other: 1 })).toBe(false);
    const { network: _, ...less } = row;
    expect(accepts(less)).toBe(false);
  });

  it('are never those with lists, whose entries zod checks', () => {
    expect(accepter(importerOf('operators').shape)({})).toBe(false);
  });
});
