import { isIP } from 'node:net';
import { z } from 'zod';
import { DAY_MS } from '../kernel/time.ts';
import { databaseName } from './database-url.ts';

/** The earliest date on which the sample can end: it has two years of days, and Electra was active for months. */
export const EARLIEST_SAMPLE_END = '2025-10-31';

export const flag = (fallback: 'on' | 'off') =>
  z
    .enum(['on', 'off'], 'on or off is needed')
    .default(fallback)
    .transform((value) => value === 'on');

export const integer = (fallback: number, min: number, max: number) => {
  const error = `an integer from ${min} to ${max} is needed`;
  return z
    .string()
    .regex(/^\d+$/, error)
    .transform(Number)
    .refine((value) => value >= min && value <= max, error)
    .default(fallback);
};

export const optionalInteger = (min: number, max: number) => integer(min, min, max).unwrap().optional();

/** A day that is over, in UTC. */
export const sampleDate = z.string().refine((text) => {
  const start = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!(start >= Date.parse(EARLIEST_SAMPLE_END)) || start + DAY_MS > Date.now()) return false;
  return new Date(start).toISOString().startsWith(text);
}, `a date from ${EARLIEST_SAMPLE_END} to yesterday is needed`);

export const list = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

export const perTier = (fallback: string, tiers: string) => {
  const form = new RegExp(`^(${tiers})=[1-9]\\d{0,14}$`);
  return z
    .string()
    .default(fallback)
    .transform(list)
    .refine(
      (items) => items.every((item) => form.test(item)),
      `comma-separated tier=number is needed, of ${tiers.split('|').join(', ')}`,
    );
};

export const PERCENT = 'with % in a password written as %25';
/** The URL, unless its user or password cannot be decoded. */
function readUrl(text: string): URL | undefined {
  try {
    const url = new URL(text);
    decodeURIComponent(url.username + url.password);
    return url;
  } catch {
    return undefined;
  }
}
export const urlSetting = (scheme: RegExp, error: string) =>
  z.string().refine((text) => scheme.test(text) && readUrl(text) !== undefined, error);
export function isHttpUrl(text: string): boolean {
  const url = readUrl(text);
  return url !== undefined && /^https?:$/.test(url.protocol) && !url.hash;
}
export const httpUrls = z
  .string()
  .transform(list)
  .refine((all) => all.length > 0 && all.every(isHttpUrl), `http:// or https:// URLs are needed, ${PERCENT}`)
  .transform((all) => all.map((url) => url.replace(/\/+$/, '')));
export const httpUrl = z
  .string()
  .refine((text) => isHttpUrl(text), `an http:// or https:// URL is needed, ${PERCENT}`);
export const otlpProtocol = z.enum(['http/protobuf', 'http/json'], 'http/protobuf or http/json is needed');
export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export const otlpHeaders = z
  .string()
  .refine(
    (text) => list(text).every((pair) => /^[\w.-]+\s*=([^%;]|%[\da-f]{2})+$/i.test(pair)),
    'name=value pairs, separated by commas, are needed, with values percent-encoded',
  );
const checkPostgresUrls = (urls: string[], addIssue: (message: string) => void) => {
  const names = new Set<string>();
  for (const url of urls) {
    try {
      const name = databaseName(url);
      if (names.has(name)) addIssue(`${name} is named twice; give each replica once`);
      names.add(name);
    } catch (error) {
      addIssue((error as Error).message);
    }
  }
};
export const postgresUrl = z
  .string()
  .superRefine((url, { addIssue }) =>
    checkPostgresUrls([url], (message) => addIssue({ code: 'custom', message })),
  );
// Within a URL, a comma separates hosts, as in libpq.
export const postgresUrls = z
  .string()
  .transform((text) => text.trim().split(/\s+(?=postgres(?:ql)?:\/\/)/))
  .superRefine((urls, { addIssue }) =>
    checkPostgresUrls(urls, (message) => addIssue({ code: 'custom', message })),
  );
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const most = isIP(address) === 6 ? 128 : 32;
  const sized = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  return isIP(address) !== 0 && sized && rest.length === 0;
}

export const isOrigin = (text: string): boolean =>
  text === '*' || (URL.canParse(text) && new URL(text).origin === text);
export const headerName = /^[A-Za-z0-9-]+$/;
