export const DAY_MS = 86_400_000;

const daysOfMonth = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
};

/** Returns Unix seconds of midnight UTC. */
export function parseDate(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month)) return undefined;
  // Date.UTC reads years 0..99 as 1900..1999. The calendar repeats after 400 years (146,097 days).
  return Date.UTC(year + 400, month - 1, day) / 1000 - 146_097 * 86_400;
}

/** Returns Unix seconds with fraction. */
export function parseDateTime(text: string): number | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.exec(text);
  const date = match ? parseDate(match[1] as string) : undefined;
  if (!match || date === undefined) return undefined;
  const [hour, minute, second] = [Number(match[2]), Number(match[3]), Number(match[4])];
  const zone = /^([+-])(\d{2}):(\d{2})$/.exec(match[6] as string);
  const [zoneHour, zoneMinute] = [Number(zone?.[2] ?? 0), Number(zone?.[3] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59) return undefined;
  const offset = (zone?.[1] === '-' ? -1 : 1) * (zoneHour * 3600 + zoneMinute * 60);
  return date + hour * 3600 + minute * 60 + second + Number(match[5] ?? 0) - offset;
}

const MOMENT =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?(?:([Zz])|([+-]\d{2})(?::?(\d{2}))?)?$/;

/**
 * Converts RFC 3339 to UTC with `Z`. Also accepts a space instead of `T`, a missing zone (UTC), and offsets without
 * minutes. Drops trailing zeros of the fraction.
 */
export function momentText(text: string): string | undefined {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\dZ$/.test(text))
    return parseDateTime(text) === undefined ? undefined : text;
  const [, date, time, fraction = '', , hours, minutes = '00'] = MOMENT.exec(text) ?? [];
  const seconds = parseDateTime(`${date}T${time}${hours ? `${hours}:${minutes}` : 'Z'}`);
  if (seconds === undefined) return undefined;
  const digits = fraction.replace(/0+$/, '');
  return timestampText(seconds).replace('Z', digits ? `.${digits}Z` : 'Z');
}

export const timestampText = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
