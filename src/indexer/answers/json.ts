/** Prefix of a number that is kept as text, because a double may lose its digits. No field that is read begins with it. */
const NUMBER = '\0';
/** Only a first look: the same may stand in a string. */
const INEXACT = /[[:,]\s*-?(?:\d{16}|\d+[.eE])/;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

const isExact = (token: string): boolean =>
  /^-?(?:0|[1-9]\d{0,15})$/.test(token) && Number.isSafeInteger(Number(token));

/**
 * `JSON.parse` for the answers of nodes. Numbers with a fraction or an exponent, and those past 2^53, come as their
 * text, which whoever reads the field refuses.
 */
export function parsed(text: string): unknown {
  if (!INEXACT.test(text)) return JSON.parse(text);
  const kept = text.replace(TOKEN, (token) =>
    token.startsWith('"') || isExact(token) ? token : JSON.stringify(NUMBER + token),
  );
  return JSON.parse(kept);
}

/** For messages. */
export const shown = (value: unknown): string => {
  const isNumber = typeof value === 'string' && value.startsWith(NUMBER);
  const text = isNumber ? value.slice(NUMBER.length) : (JSON.stringify(value) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
};

/** Takes a decimal in a string, as the standard wants, or a number. Undefined unless it is at most `max`. */
export function integerOf(value: unknown, max = Number.MAX_SAFE_INTEGER): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.startsWith('-') || !isExact(text)) return undefined;
  const number = Number(text);
  return number <= max ? number : undefined;
}

/** For an amount that anybody can choose, up to 2^64 − 1. Undefined for anything else. */
export function uint64Of(value: unknown): bigint | undefined {
  const text = typeof value === 'string' ? value.replace(NUMBER, '') : String(value);
  if (!/^(?:0|[1-9]\d{0,19})$/.test(text) || BigInt(text) >= 1n << 64n) return undefined;
  return BigInt(text);
}
