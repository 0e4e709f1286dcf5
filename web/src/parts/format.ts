/**
 * Figures as text in the reader's locale. Amounts come as strings with all digits and are never floats: Intl formats
 * decimal strings exactly.
 */
type Numeric = string | number | bigint;
type Exact = Intl.StringNumericLiteral;

const locale = navigator.languages;
const formats = new Map<string, Intl.NumberFormat>();
function format(value: Numeric, options: Intl.NumberFormatOptions): string {
  const key = JSON.stringify(options);
  const of = formats.get(key) ?? new Intl.NumberFormat(locale as string[], options);
  formats.set(key, of);
  return of.format(value as Exact);
}

const NONE = '–';
type Given<T> = T | null | undefined;
const orNone =
  <T, R extends unknown[]>(show: (value: T, ...rest: R) => string) =>
  (value: Given<T>, ...rest: R) =>
    value === null || value === undefined ? NONE : show(value, ...rest);

/** `12345678901` with nine digits is `12.345678901`. */
export function shift(value: string, digits: number): string {
  const sign = value.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = value.replace('-', '').split('.');
  const padded = whole.padStart(digits + 1, '0');
  const cut = padded.length - digits;
  const shifted = `${padded.slice(0, cut)}.${padded.slice(cut)}${fraction}`;
  return sign + shifted.replace(/\.?0*$/, '');
}

const GWEI_DIGITS = 9;
const ALL_DIGITS = 20;
const MILLION = 1_000_000;

const exactEth = (gwei: string) => format(shift(gwei, GWEI_DIGITS), { maximumFractionDigits: ALL_DIGITS });
/** Gwei as ETH with all digits. */
export const eth = orNone((gwei: string) => `${exactEth(gwei)} ETH`);
const DIGITS = 4;
/**
 * Four digits, or all before the point: 35.59M, 12,346, 708.8; more if those down to `place` need them (2 is hundredths,
 * -3 thousands). The exact amount belongs into a title or table.
 */
const short = (value: Numeric, place = -ALL_DIGITS) => {
  const size = Math.abs(Number(value));
  const upToPlace = Math.floor(Math.log10(size || 1)) + 1 + place;
  return format(value, {
    ...(size < MILLION
      ? { maximumFractionDigits: 0, roundingPriority: 'morePrecision' }
      : { notation: 'compact' }),
    maximumSignificantDigits: Math.max(DIGITS, upToPlace),
  });
};
export const shortCount = orNone(short);
/** Gwei as a short number of ETH, without the unit. */
export const shortEth = orNone((gwei: string) => short(shift(gwei, GWEI_DIGITS)));
/** An amount in the token of its network, with all digits. */
export const amount = orNone(
  (value: string, unit: string) => `${format(value, { maximumFractionDigits: ALL_DIGITS })} ${unit}`,
);
export const count = orNone((value: Numeric) => format(value, { maximumFractionDigits: 0 }));
const fraction = (digits = 2) => {
  const most = Math.max(0, digits);
  return { minimumFractionDigits: most, maximumFractionDigits: most };
};
const MOST_DIGITS = 6;
const placesOf = (value: string) => value.split('.')[1]?.length ?? 0;

/**
 * How the cells of one column write their figures: with equally many decimals, as the largest needs for six significant
 * digits. What would be written as zero is "<0.001" or the like.
 */
export function columnFormat(values: readonly Given<Numeric>[]): (value: Given<Numeric>) => string {
  const known = values.filter((value) => value != null).map((value) => exactText(value));
  const largest = Math.max(0, ...known.map((value) => Math.abs(Number(value))));
  const whole = largest < 1 ? 1 : Math.floor(Math.log10(largest)) + 1;
  const places = Math.min(Math.max(0, MOST_DIGITS - whole), Math.max(0, ...known.map(placesOf)));
  const options = { ...fraction(places), maximumSignificantDigits: MOST_DIGITS } as const;
  const least = 10 ** -places;
  return orNone((value) => {
    const size = Math.abs(Number(value));
    if (size > 0 && size < least / 2)
      return `${Number(value) < 0 ? '>−' : '<'}${format(least, fraction(places))}`;
    return format(exactText(value), whole > MOST_DIGITS ? options : fraction(places));
  });
}
/** A float without an exponent, such as 0.0000001. */
export const exactText = (value: Numeric): string => {
  const text = String(value);
  return /e/i.test(text)
    ? Number(value)
        .toFixed(ALL_DIGITS)
        .replace(/\.?0+$/, '')
    : text;
};

/** 0.9987 as 99.87 %. */
export const ratio = orNone((value: number, digits?: number) =>
  format(value, { style: 'percent', ...fraction(digits) }),
);
/** 99.87 as 99.87 %. */
export const percentage = orNone((value: number, digits?: number) => ratio(value / 100, digits));
export const decimal = orNone((value: Numeric, digits?: number) => format(value, { ...fraction(digits) }));

const time = new Intl.DateTimeFormat(locale as string[], {
  dateStyle: 'medium',
  timeStyle: 'medium',
  timeZone: 'UTC',
});
const day = new Intl.DateTimeFormat(locale as string[], { dateStyle: 'medium', timeZone: 'UTC' });
/** A moment in UTC, for a column that names the zone. */
export const moment = orNone((value: string) => time.format(new Date(value)));
/** A moment in UTC, with its zone. */
export const momentUtc = orNone((value: string) => `${time.format(new Date(value))} UTC`);
const dayOfYear = new Intl.DateTimeFormat(locale as string[], {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
/** A date without its year, for the name of a choice. */
export const shortDate = orNone((value: string) => dayOfYear.format(new Date(`${value}T00:00:00Z`)));
/** A UTC date such as `2025-10-31`. */
export const calendarDate = orNone((value: string) => day.format(new Date(`${value}T00:00:00Z`)));

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat(locale as string[], { numeric: 'auto' });
/** How long ago, such as "3 hours ago". */
export function ago(value: string, now = Date.now()): string {
  const seconds = (now - Date.parse(value)) / 1_000;
  const [unit, length] = units.find(([, least]) => seconds >= least) ?? ['second', 1];
  return relative.format(-Math.round(seconds / length), unit);
}

/** An address or key, with its ends. */
export const shortHex = orNone((value: string) =>
  value.length > 14 ? `${value.slice(0, 8)}…${value.slice(-4)}` : value,
);

/** For the position in a plot, never for a figure. */
export const plotted = (gwei: Given<string>): number | null =>
  gwei === null || gwei === undefined ? null : Number(gwei) / 10 ** GWEI_DIGITS;
