/** Seconds since 1970 of a strict `YYYY-MM-DD` (its midnight UTC) of the years 1 to 9999, or undefined. */
export function parseDate(text: string): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match || match[1] === '0000') return undefined; // Postgres has no year 0
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const time = new Date(Date.UTC(year, month - 1, day));
  time.setUTCFullYear(year); // Date.UTC reads years 0..99 as 1900..1999
  return time.getUTCMonth() === month - 1 && time.getUTCDate() === day ? time.getTime() / 1000 : undefined;
}

/** Seconds since 1970 of an RFC 3339 date-time, fractions kept, or undefined. */
export function parseDateTime(text: string): number | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/.exec(
    text,
  );
  const date = match ? parseDate(match[1] as string) : undefined;
  if (!match || date === undefined) return undefined;
  const [hour, minute, second] = [Number(match[2]), Number(match[3]), Number(match[4])];
  const zone = /^([+-])(\d{2}):(\d{2})$/.exec(match[6] as string);
  const [zoneHour, zoneMinute] = [Number(zone?.[2] ?? 0), Number(zone?.[3] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59) return undefined;
  const offset = (zone?.[1] === '-' ? -1 : 1) * (zoneHour * 3600 + zoneMinute * 60);
  return date + hour * 3600 + minute * 60 + second + Number(match[5] ?? 0) - offset;
}

/** A moment of whole seconds since 1970 as `YYYY-MM-DDTHH:MM:SSZ`. */
export const timestampText = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
