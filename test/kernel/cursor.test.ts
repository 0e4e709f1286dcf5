import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from '../../src/kernel/cursor.ts';

const key = fc.array(fc.oneof(fc.integer(), fc.string()), { maxLength: 4 });

describe('cursors', () => {
  it('give back the key of the list they were made for', () => {
    fc.assert(
      fc.property(fc.string(), key, (list, value) => {
        expect(decodeCursor(list, encodeCursor(list, value))).toEqual(value);
      }),
    );
  });

  it('are refused by every other list', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), key, (list, other, value) => {
        fc.pre(list !== other);
        expect(decodeCursor(other, encodeCursor(list, value))).toBeUndefined();
      }),
    );
  });

  it('are refused when one character is changed, added or cut off', () => {
    fc.assert(
      fc.property(key, fc.nat(), fc.constantFrom('A', 'z', '_', '', 'AA', '='), (value, at, other) => {
        const cursor = encodeCursor('list', value);
        const place = at % cursor.length;
        const changed = cursor.slice(0, place) + other + cursor.slice(place + 1);
        fc.pre(changed !== cursor);
        expect(decodeCursor('list', changed)).toBeUndefined();
      }),
    );
  });

  it('are refused, and never throw, when they are made by hand around anything', () => {
    const mark = (text: string) =>
      createHash('sha256').update(`stakegraph:1:list:${text}`).digest('base64url').slice(0, 11);
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('{', '{"length":2}', '"ab"', 'null', '1'),
    );
    fc.assert(
      fc.property(anything, (text) => {
        const cursor = Buffer.from(`1.${mark(text)}.${text}`).toString('base64url');
        const key = decodeCursor('list', cursor);
        if (key !== undefined) expect(JSON.stringify(key)).toBe(text);
      }),
    );
  });

  it('are refused when they are any text that was never a cursor', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(decodeCursor('list', text)).toBeUndefined();
      }),
    );
  });
});
