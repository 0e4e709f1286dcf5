import { expect, it } from 'vitest';
import { encodingOf } from '../../src/http/request/negotiation.ts';

it.each([
  [undefined, undefined],
  ['', undefined],
  ['gzip, deflate, br', 'br'],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['GZIP ; q=0.5', 'gzip'],
  ['br;q=0.1, gzip', 'gzip'],
  ['br; q=0.1, gzip; q=0.9', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['identity, br;q=0.5', undefined],
  ['*', 'br'],
  ['*;q=0.5, br;q=0', 'gzip'],
  ['deflate', undefined],
])(
  'a cached response to Accept-Encoding: %s is sent in the coding with the highest weight',
  (given, encoding) => {
    expect(encodingOf({ headers: { 'accept-encoding': given } } as never)).toBe(encoding);
  },
);
