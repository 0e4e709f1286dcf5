import type { z } from 'zod';
import { decode } from '../../kernel/decode.ts';
import { leafKind, unwrap } from '../../kernel/leaves.ts';
import type { Accepts } from '../accepter.ts';

export type Batch = { text: string; codes: Uint16Array };

export type Read = (batch: Batch, start: number, end: number, quoted: boolean) => unknown;

const [MINUS, ZERO, NINE] = [45, 48, 57];
/** Fits every 64-bit field. */
const MAX_DIGITS = 18;
const NUMBER = /^(0|[1-9]\d*)(\.\d+)?$/;

export function valueReader(schema: z.core.$ZodType, accepts: Accepts, json: boolean): Read {
  const checked = (value: unknown) => (accepts(value) ? value : undefined);
  switch (leafKind(schema)) {
    case 'Int':
      return ({ codes }, start, end, quoted) => {
        if (quoted || !isWhole(codes, start, end)) return undefined;
        let value = 0;
        for (let index = start; index < end; index += 1) value = value * 10 + (codes[index] as number) - ZERO;
        return checked(value);
      };
    case 'Boolean':
      return ({ text }, start, end, quoted) => {
        const word = text.slice(start, end);
        return quoted ? undefined : word === 'true' || (word === 'false' ? false : undefined);
      };
    case 'BigInt': {
      const every = ['0', '1', '9'.repeat(MAX_DIGITS)].every(accepts);
      return ({ text, codes }, start, end) => {
        const first = codes[start] === MINUS ? start + 1 : start;
        if (!isWhole(codes, first, end)) return undefined;
        const digits = text.slice(start, end);
        return every && first === start ? digits : checked(digits);
      };
    }
    case 'Decimal':
      return textReader((text) => (NUMBER.test(text) ? checked(text) : undefined));
    default: {
      const inner = unwrap(schema);
      const read = textReader((text) => (decode(inner, text) === text ? checked(text) : undefined));
      return (batch, start, end, quoted) => (quoted === json ? read(batch, start, end, quoted) : undefined);
    }
  }
}

/** Values often repeat those of the line before. */
function textReader(check: (text: string) => unknown): Read {
  let last: string | undefined;
  return ({ text }, start, end) => {
    const value = text.slice(start, end);
    if (value !== last && check(value) === undefined) return undefined;
    last = value;
    return value;
  };
}

function isWhole(codes: Uint16Array, start: number, end: number): boolean {
  const length = end - start;
  if (length < 1 || length > MAX_DIGITS || (length > 1 && codes[start] === ZERO)) return false;
  for (let index = start; index < end; index += 1) {
    const code = codes[index] as number;
    if (code < ZERO || code > NINE) return false;
  }
  return true;
}
