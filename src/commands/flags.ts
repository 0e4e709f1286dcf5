import { InvalidArgumentError, Option } from 'commander';
import { TOKEN_IN_TEXT } from '../accounts/token-format.ts';

export const namesOption = <Name extends string>(
  flags: string,
  description: string,
  names: readonly Name[],
  fallback?: readonly Name[],
): Option => {
  const option = new Option(flags, description).argParser(listOf(names));
  return fallback ? option.default(fallback, fallback.join(',')) : option;
};

const listOf =
  <Name extends string>(names: readonly Name[]) =>
  (text: string): Name[] => {
    const given = text.split(',').map((name) => name.trim());
    const unknown = given.find((name) => !(names as readonly string[]).includes(name));
    if (unknown === undefined) return names.filter((name) => given.includes(name));
    throw new InvalidArgumentError(`${JSON.stringify(unknown)} is not one of ${names.join(', ')}.`);
  };

export const createOption = (): Option =>
  new Option('--create', 'create the embedded database if there is none; it never gets the sample data');

export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d{1,15}$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`An integer from ${least} to ${most} is needed.`);
  };

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
const MAX_SECONDS = 7 * 86_400;

/** Returns milliseconds. */
export function duration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (UNITS[unit ?? ''] ?? Number.NaN);
  if (seconds >= 1 && seconds <= MAX_SECONDS) return seconds * 1000;
  throw new InvalidArgumentError('A time from 1s to 7d is needed, like 90s, 15m, 1h or 1d.');
}

export function givenName(text: string): string {
  if (TOKEN_IN_TEXT.test(text)) throw new InvalidArgumentError('A name must not contain a token.');
  if (/^[\w .:@-]{1,64}$/.test(text) && text.trim() === text) return text;
  throw new InvalidArgumentError(
    'A name of 1 to 64 letters, digits, spaces and . : @ _ - is needed, without a space at its ends.',
  );
}
