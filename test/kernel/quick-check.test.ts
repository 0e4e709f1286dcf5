import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { quickCheck } from '../../src/kernel/quick-check.ts';
import { AttestationRecord } from '../../src/resources/attestations/record.ts';
import { routes } from '../../src/resources/index.ts';
import { OperatorSummary } from '../../src/resources/operators/record.ts';
import { StakeAuthoritySummary } from '../../src/resources/stake-authorities/record.ts';

const odd = fc.oneof(
  fc.constantFrom(
    ...[
      null,
      undefined,
      '',
      '0',
      '-0',
      '1',
      '-1',
      '01',
      '1.5',
      '1e3',
      'x',
      'a\0',
      '\ud800',
      '9223372036854775807',
    ],
    ...[
      '9223372036854775808',
      '0x',
      `0x${'ab'.repeat(20)}`,
      '2024-02-30',
      '2024-02-29',
      '2024-03-31T12:00:23Z',
    ],
    ...[0, -0, 1, -1, 0.5, 1.0000001, 2 ** 31, 2 ** 31 - 1, -(2 ** 31), Number.NaN, Number.POSITIVE_INFINITY],
    ...[true, 1n, [], {}, [1], 'pool', '7d', new Date(0)],
  ),
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.anything(),
);
const leavesOf = (schema: z.core.$ZodType): z.core.$ZodType[] =>
  schema instanceof z.ZodObject
    ? Object.values(schema.shape).flatMap((field) => [field, ...leavesOf(field)])
    : schema instanceof z.ZodArray
      ? [schema.element, ...leavesOf(schema.element)]
      : schema instanceof z.ZodNullable
        ? leavesOf(schema.unwrap())
        : [];

describe('a quick check', () => {
  const records = [
    OperatorSummary,
    StakeAuthoritySummary,
    AttestationRecord,
    ...routes.map((route) => route.reply),
  ];
  const leaves = [...new Set(records.flatMap(leavesOf))];

  it('of every field of every answer says what zod says', () => {
    expect(leaves.length).toBeGreaterThan(100);
    fc.assert(
      fc.property(odd, (value) => {
        const differing = leaves.filter(
          (leaf) => quickCheck(leaf)(value) !== z.safeParse(leaf, value).success,
        );
        expect([value, differing]).toEqual([value, []]);
      }),
      { numRuns: 200 },
    );
  });

  it('asks zod itself about what it does not know', () => {
    for (const schema of [z.email(), z.strictObject({ a: z.int32() }), z.union([z.string(), z.null()])]) {
      for (const value of ['a@example.org', 'a', null, { a: 1 }, { a: 1, b: 2 }])
        expect(quickCheck(schema)(value)).toBe(z.safeParse(schema, value).success);
    }
  });

  it('of a row that lacks a field, or has one of another kind, is false', () => {
    const check = quickCheck(z.object({ a: z.int32(), b: z.string().nullable() }));
    expect(
      [
        { a: 1, b: null },
        { a: 1, b: 'x' },
      ].map(check),
    ).toEqual([true, true]);
    expect([{ a: 1 }, { a: '1', b: null }, null, [], 5].map(check)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
