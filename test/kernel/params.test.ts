import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  boolParam,
  enumParam,
  intParam,
  paramDocument,
  paramFaults,
  textParam,
} from '../../src/kernel/params.ts';

const description = 'A parameter.';
/** The value that a parameter gives for a raw text, or the type of its fault. */
const read = (type: z.ZodType, raw: unknown): { value: unknown } | { fault: string } => {
  const result = z.object({ name: type }).safeParse({ name: raw });
  if (result.success) return { value: result.data.name };
  const faults = paramFaults(result.error, 'query');
  expect(faults).toHaveLength(1);
  expect(faults[0]?.loc).toEqual(['query', 'name']);
  expect(faults[0]?.msg).toMatch(/^name [^\0]{1,300}\.$/s);
  return { fault: faults[0]?.type ?? '' };
};

const digits = fc.stringMatching(/^-?\d{1,25}$/);
const anything = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', maxLength: 2_000 }),
  digits,
  fc.double().map(String),
  fc.constantFrom(
    '',
    'null',
    'true',
    'TRUE',
    '0',
    '-0',
    '1',
    '007',
    '+1',
    ' 1',
    '1 ',
    '1e3',
    '0x1',
    '1.0',
    '１',
    '\0',
  ),
);

describe('intParam', () => {
  const bounds = fc.tuple(fc.nat(1_000), fc.nat(1_000)).map(([min, more]) => ({ min, max: min + more }));

  it('takes decimal digits within its bounds, and nothing else', () => {
    fc.assert(
      fc.property(bounds, anything, ({ min, max }, raw) => {
        const taken = /^\d+$/.test(raw) && BigInt(raw) >= BigInt(min) && BigInt(raw) <= BigInt(max);
        const result = read(intParam({ description, min, max }), raw);
        expect(result).toEqual(
          taken ? { value: Number(raw) } : { fault: expect.stringMatching(/^(int_parsing|out_of_range)$/) },
        );
      }),
      { numRuns: 500 },
    );
  });

  it('takes each of its bounds, and neither the number before nor the one after', () => {
    fc.assert(
      fc.property(bounds, ({ min, max }) => {
        const type = intParam({ description, min, max });
        for (const value of [min, max]) expect(read(type, String(value))).toEqual({ value });
        for (const value of [min - 1, max + 1])
          expect(read(type, String(value))).toEqual({ fault: 'out_of_range' });
      }),
    );
  });

  it('ends at 2^31 − 1 without a largest value of its own', () => {
    const type = intParam({ description, min: 0 });
    expect(read(type, '2147483647')).toEqual({ value: 2 ** 31 - 1 });
    for (const raw of ['2147483648', '9223372036854775808', '9'.repeat(400)]) {
      expect(read(type, raw)).toEqual({ fault: 'out_of_range' });
    }
  });
});

describe('enumParam', () => {
  it('takes its words letter by letter, and nothing else', () => {
    const words = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(words, anything, (values, other) => {
        const type = enumParam(values, { description });
        for (const value of values) expect(read(type, value)).toEqual({ value });
        if (!values.includes(other)) expect(read(type, other)).toEqual({ fault: 'enum' });
      }),
    );
  });

  it.each(['1D', ' 1d', '1d ', '1d,7d', '', 'null', 'constructor', '__proto__'])('refuses %j', (raw) => {
    expect(read(enumParam(['1d', '7d'], { description }), raw)).toEqual({ fault: 'enum' });
  });
});

describe('boolParam', () => {
  it('takes true and false in any letter case, and nothing else', () => {
    fc.assert(
      fc.property(anything, (raw) => {
        const taken = /^(true|false)$/i.test(raw);
        const expected = taken ? { value: raw.toLowerCase() === 'true' } : { fault: 'bool_parsing' };
        expect(read(boolParam({ description }), raw)).toEqual(expected);
      }),
    );
  });
});

describe('textParam', () => {
  it('takes 1 to max characters without NUL as they are, and nothing else', () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 1, max: 60 }), (raw, max) => {
        const taken = raw.length >= 1 && raw.length <= max && !raw.includes('\0');
        const result = read(textParam({ description, max }), raw);
        expect(result).toEqual(
          taken ? { value: raw } : { fault: expect.stringMatching(/^(too_short|too_long|nul)$/) },
        );
      }),
      { numRuns: 500 },
    );
  });

  it('takes 256 characters without a bound of its own, and passes them through its normaliser', () => {
    const type = textParam({ description }, (text) => text.toLowerCase());
    expect(read(type, 'X'.repeat(256))).toEqual({ value: 'x'.repeat(256) });
    expect(read(type, 'X'.repeat(257))).toEqual({ fault: 'too_long' });
  });
});

describe('every parameter', () => {
  const kinds = {
    intParam: { make: (options: object) => intParam({ description, min: 0, ...options }), fallback: 15 },
    enumParam: {
      make: (options: object) => enumParam(['a', 'b'], { description, ...options }),
      fallback: 'a',
    },
    boolParam: { make: (options: object) => boolParam({ description, ...options }), fallback: false },
    textParam: { make: (options: object) => textParam({ description, ...options }), fallback: 'x' },
  };
  const entries = Object.entries(kinds).map(([name, kind]) => [name, kind.make, kind.fallback] as const);
  const refused = { fault: expect.any(String) };

  it.each(entries)('%s without a default is required', (_name, make) => {
    expect(read(make({}) as z.ZodType, undefined)).toEqual({ fault: 'missing' });
    expect(read(make({}) as z.ZodType, '')).toEqual(refused);
    expect(paramDocument(make({}))).toMatchObject({ required: true });
  });

  it.each(entries)('%s with a default takes it when absent, and no other way', (_name, make, fallback) => {
    const type = make({ default: fallback }) as z.ZodType;
    expect(read(type, undefined)).toEqual({ value: fallback });
    expect(read(type, '')).toEqual(refused);
    expect(paramDocument(type)).toMatchObject({ required: false, schema: { default: fallback } });
  });

  it.each(entries)(
    '%s documented as "or null" is null when absent, empty or the word null',
    (_name, make) => {
      const type = make({ nullable: true }) as z.ZodType;
      for (const raw of [undefined, '', 'null']) expect(read(type, raw)).toEqual({ value: null });
      expect(paramDocument(type)?.schema.type).toContain('null');
      expect(paramDocument(type)?.required).toBe(false);
    },
  );

  it.each(entries)(
    '%s "or null" with a default takes the default instead of null',
    (_name, make, fallback) => {
      const type = make({ nullable: true, default: fallback }) as z.ZodType;
      for (const raw of [undefined, '', 'null']) expect(read(type, raw)).toEqual({ value: fallback });
    },
  );

  it.each(entries)('%s given more than once is refused, whatever is given', (_name, make, fallback) => {
    const types = [make({}), make({ nullable: true }), make({ default: fallback })] as z.ZodType[];
    for (const type of types) {
      expect(read(type, [String(fallback), String(fallback)])).toEqual({ fault: 'repeated' });
      expect(read(type, ['', ''])).toEqual({ fault: 'repeated' });
    }
  });

  it.each(entries)(
    '%s never throws, and repeats no more than 80 characters of what was given',
    (_name, make) => {
      fc.assert(
        fc.property(fc.oneof(anything, fc.array(anything), fc.constant(undefined)), (raw) => {
          for (const options of [{}, { nullable: true }]) {
            const result = z.object({ name: make(options) as z.ZodType }).safeParse({ name: raw });
            if (!result.success) expect(result.error.issues[0]?.message.length).toBeLessThan(700);
          }
        }),
      );
    },
  );

  it('has the type that its options say', () => {
    const min = 0;
    expectTypeOf(intParam({ description, min })._zod.output).toEqualTypeOf<number>();
    expectTypeOf(intParam({ description, min, default: 1 })._zod.output).toEqualTypeOf<number>();
    expectTypeOf(intParam({ description, min, nullable: true })._zod.output).toEqualTypeOf<number | null>();
    expectTypeOf(
      intParam({ description, min, nullable: true, default: 1 })._zod.output,
    ).toEqualTypeOf<number>();
    expectTypeOf(enumParam(['a', 'b'], { description })._zod.output).toEqualTypeOf<'a' | 'b'>();
  });
});
