import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { momentText, parseDate, parseDateTime } from '../../src/kernel/time.ts';

const moment = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });

describe('dates', () => {
  it('read what they write', () => {
    fc.assert(
      fc.property(moment, (date) => {
        const iso = date.toISOString();
        expect(parseDateTime(iso)).toBeCloseTo(date.getTime() / 1000, 3);
        expect(parseDate(iso.slice(0, 10))).toBe(Math.floor(date.getTime() / 86_400_000) * 86_400);
      }),
    );
  });

  it('take an offset away from the local time', () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: -1439, max: 1439 }), (date, minutes) => {
        const local = new Date(Math.floor(date.getTime() / 1000) * 1000 + minutes * 60_000);
        fc.pre(local.getUTCFullYear() > 0 && local.getUTCFullYear() < 10_000);
        const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
        const zone = `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
        const text = local.toISOString().slice(0, 19) + zone;
        expect(parseDateTime(text)).toBe(Math.floor(date.getTime() / 1000));
      }),
    );
  });

  it.each([
    '2023-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-1-1',
    '24-01-01',
    '2024-01-01T',
    ' 2024-01-01',
    '',
  ])('refuse %s', (text) => expect(parseDate(text)).toBeUndefined());

  it.each([
    '2024-01-01',
    '2024-01-01T00:00Z',
    '2024-01-01T00:00:00',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:00+24:00',
    '2024-02-30T00:00:00Z',
    '2024-01-01T00:00:00.Z',
  ])('refuse the date-time %s', (text) => expect(parseDateTime(text)).toBeUndefined());

  it('write a moment in UTC, and none that does not exist', () => {
    expect(momentText('2024-12-31T23:59:59Z')).toBe('2024-12-31T23:59:59Z');
    expect(momentText('2025-01-01 01:59:59+02')).toBe('2024-12-31T23:59:59Z');
    for (const text of ['2024-12-31T23:59:60Z', '2024-12-31T23:59:60+00:00'])
      expect(momentText(text)).toBe('2025-01-01T00:00:00Z');
    for (const text of ['2024-13-01T00:00:00Z', '2024-13-01 00:00:00', '2024-02-30T00:00:00Z'])
      expect(momentText(text)).toBeUndefined();
  });

  it('take the leap day', () => expect(parseDate('2024-02-29')).toBe(Date.UTC(2024, 1, 29) / 1000));
});
