/** Milliseconds until the moment of a `Retry-After` header; undefined if it has none that can be read. */
export function retryAfterMs(header: string | null, now = Date.now()): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const moment = /^[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - now);
}
