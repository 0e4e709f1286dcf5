import fc from 'fast-check';
import { isLosslessNumber, parse, stringify } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { accepter } from '../../src/ingest/importer/accepter.ts';
import { importerOf, importers } from '../../src/ingest/importers/index.ts';
import { documentRows } from '../../src/ingest/source/documents.ts';
import { jsonLines } from '../../src/ingest/source/lines.ts';
import { readRows } from '../../src/ingest/source/source.ts';
import { wholeList } from '../../src/ingest/source/whole-list.ts';
import { decode } from '../../src/kernel/decode.ts';
import { leafOf } from '../../src/kernel/leaves.ts';
import { runs, slow } from '../support/thorough.ts';
import { all, bytesOf, endless, outcome } from './reading.ts';
import { operator, slashing } from './rows.ts';

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

  slow('has the values, digits and faults that lossless-json tells', async () => {
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

describe('NDJSON', () => {
  it('does not grow in memory from a line without an end', async () => {
    const { read, chunks } = endless('{"a":1}\n{"a":"', 'x'.repeat(1_048_576));
    await expect(all(readRows(jsonLines('file', chunks)))).rejects.toThrow(
      'file: line 2 begins a row of more than 32 MB; a line break may be missing',
    );
    expect(read.count).toBeLessThan(40);
  });
});

/**
 * What `documentRows` must find, by definition: parses documents one after the other and looks for rows in the values.
 * Throws for what is not JSON.
 */
function rowsOfValues(text: string): unknown[] {
  const whole = wholeList();
  const told: unknown[] = [];
  let inBodies = 0;
  const holdsRows = (value: unknown): boolean =>
    isObject(value) && Object.entries(value).some(([key, member]) => isList(value, key) || holdsRows(member));
  const isList = (value: object, key: string) =>
    !Array.isArray(value) &&
    ['data', 'results'].includes(key) &&
    Array.isArray((value as Record<string, unknown>)[key]);
  const row = (value: unknown) => told.push(`${told.length + 1} ${stringify(value)}`);
  const body = (value: object) => {
    const before = told.length;
    let isBody = false;
    for (const [key, member] of Object.entries(value)) {
      if (!isList(value, key)) {
        if (holdsRows(member)) body(member);
        continue;
      }
      isBody = true;
      inBodies += member.length;
      member.forEach(row);
    }
    if (isBody) whole.body(value as Record<string, unknown>, told.length - before);
  };
  const element = (value: unknown) => {
    if (Array.isArray(value) && value.length > 0) value.forEach(element);
    else if (isObject(value) && holdsRows(value)) body(value);
    else row(value);
  };
  for (const value of documentsIn(text)) {
    if (Array.isArray(value)) value.forEach(element);
    else if (told.length > 0 && !isObject(value)) throw new Error('a value follows rows');
    else element(value);
  }
  return [...told, whole.complete() && inBodies === told.length];
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isLosslessNumber(value);

function documentsIn(text: string): unknown[] {
  const values: unknown[] = [];
  let rest = text.replace(/^[ \t\r\n]+/, '');
  while (rest !== '') {
    const end = endOfDocument(rest);
    const value = parse(rest.slice(0, end));
    const written = rest.slice(0, end).replaceAll(/("(?:[^"\\]|\\.)*")|\s/g, '$1');
    // lossless-json accepts a key twice with the same value, such as two lists of rows without a row.
    if (stringify(value)?.length !== written.length) throw new Error('a key is repeated');
    values.push(value);
    rest = rest.slice(end).replace(/^[ \t\r\n]+/, '');
  }
  return values;
}

/** The shortest beginning that is JSON. */
function endOfDocument(text: string): number {
  if (!/^["[{]/.test(text)) return /^[^ \t\r\n,\]}]*/.exec(text)?.[0].length || 1;
  for (const { index } of text.matchAll(/["\]}]/g)) {
    try {
      parse(text.slice(0, index + 1));
      return index + 1;
    } catch {}
  }
  return text.length;
}

describe('rows of JSON documents', () => {
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

  slow('are those of its values, numbered in order, however the file is cut into pieces', async () => {
    const read = { rows: 0, whole: 0, faults: 0 };
    await fc.assert(
      fc.asyncProperty(
        documents,
        faults,
        fc.integer({ min: 1, max: 60 }),
        async (document, [fault, at], size) => {
          const parts = [document.slice(0, at), fault, document.slice(at)];
          const text = Buffer.from(parts.join('')).toString(); // without halves of a character
          const expected = await outcome(() => rowsOfValues(text));
          const found = await outcome(async () => {
            const { rows, complete } = documentRows('file', bytesOf(text, size), new Set());
            const told = (await all(readRows(rows))).map(
              ({ value, place }) => `${place} ${stringify(value)}`,
            );
            return [...told, complete()];
          });
          if ('rows' in expected) {
            expect(found).toEqual(expected);
            const { length } = expected.rows as unknown[];
            if (length > 1) read.rows += 1;
            if ((expected.rows as unknown[])[length - 1]) read.whole += 1;
          } else {
            expect('message' in found && found.message).toMatch(/^file: is not JSON/);
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

  slow('do not grow in memory from a wrapper that is not a body', async () => {
    const { read, chunks } = endless('{"rows":[', `{"a":"${'x'.repeat(1_048_576)}"},`);
    const found: unknown[] = [];
    await expect(
      (async () => {
        for await (const rows of readRows(documentRows('file', chunks, new Set(['a'])).rows))
          found.push(...rows);
      })(),
    ).rejects.toThrow('file: has more than 32 MB in one value that is not a list of rows');
    expect(read.count).toBeLessThan(40);
    expect(found).toMatchObject([{ place: 1, value: { rows: expect.any(Array) } }]); // the check of this row reports a wrapper
  });

  const wrappers: [string, (rows: string) => string][] = [
    ['an array', (rows) => `[${rows}]`],
    ['a REST body', (rows) => `{"page":{"from":0},"data":[${rows}],"total":3}`],
    ['bodies one after the other', (rows) => `{"data":[]}{"results":[${rows}]}`],
    ['an array of bodies', (rows) => `[{"data":[]},{"data":[${rows}]}]`],
  ];
  slow.each(wrappers)('are those of %s, also rows of many megabytes', async (_of, wrapped) => {
    const long = JSON.stringify({ a: 'x'.repeat(9_000_000) });
    const { rows } = documentRows(
      'file',
      bytesOf(wrapped(`{"a":1},${long} , {"a":[2]}`), 262_144),
      new Set(),
    );
    const found: [number, boolean][] = [];
    for await (const records of rows)
      for (;;) {
        const mayBeTaken = records.begins();
        const read = records.read();
        if (!read) break;
        if (read.row) found.push([JSON.stringify(read.row.value).length, mayBeTaken]);
      }
    expect(found).toEqual([
      [7, true],
      [long.length, true],
      [9, true],
    ]);
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

  it('have lists with objects whose fields fit', () => {
    const { shape } = importerOf('operators');
    const accepts = accepter(shape);
    const operatorOf = (clientPercentages: unknown) =>
      decode(shape, { ...operator('Pool A'), network: 'mainnet', clientPercentages });
    const prysm = { client: 'Prysm', percentage: 1 };
    for (const fitting of [[], [prysm], [prysm, { ...prysm, percentage: 0.5 }]])
      expect(accepts(operatorOf(fitting)), JSON.stringify(fitting)).toBe(true);
    for (const other of [
      [{ client: 'Prysm' }],
      [prysm, { ...prysm, percentage: 2 }],
      [null],
      [[prysm]],
      prysm,
    ])
      expect(accepts(operatorOf(other)), JSON.stringify(other)).toBe(false);
    expect(accepts({ ...(operatorOf([]) as object), clientPercentages: [{ ...prysm, other: 1 }] })).toBe(
      false,
    );
  });
});
