import { isLosslessNumber, parse } from 'lossless-json';

/** JSON with the digits of large whole numbers kept: those of 64-bit kinds as text, all others as numbers. */
export function exact(text: string): any {
  const bigKeys = /^(sum\w*|total\w+|balance\w*|slashingPenalties)$/;
  return parse(text, (key, value) => {
    if (!isLosslessNumber(value)) return value;
    return bigKeys.test(key) ? value.toString() : Number(value.toString());
  });
}
