import fc from 'fast-check';
import { parse, stringify } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { accepter } from '../../src/ingest/importer/accepter.ts';
import { importerOf, importers } from '../../src/ingest/importers/index.ts';
import { documentRows } from '../../src/ingest/source/document.ts';
import { jsonLines } from '../../src/ingest/source/lines.ts';
import { readRows } from '../../src/ingest/source/source.ts';
import { decode } from '../../src/kernel/decode.ts';
import { leafOf } from '../../src/kernel/leaves.ts';
import { runs } from '../support/thorough.ts';
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

describe('NDJSON', () => {
  it('does not grow in memory from a line without an end', async () => {
    const { read, chunks } = endless('{"a":1}\n{"a":"', 'x'.repeat(1_048_576));
    await expect(all(readRows(jsonLines('file', chunks)))).rejects.toThrow(
      'file: line 2 begins a row of more than 32 MB; a line break may be missing',
    );
    expect(read.count).toBeLessThan(40);
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
    const { read, chunks } = endless('{"rows":[', `{"a":"${'x'.repeat(1_048_576)}"},`);
    const found: unknown[] = [];
    await expect(
      (async () => {
        for await (const rows of readRows(documentRows('file', chunks, new Set(['a'])).rows))
          found.push(...rows);
      })(),
    ).rejects.toThrow('file: has more than 32 MB in one value that is not a list of rows');
    expect(read.count).toBeLessThan(40);
    expect(found).toMatchObject([{ place: 1, value: { rows: expect.any(Array) } }]); // whose check tells of a wrapper
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
