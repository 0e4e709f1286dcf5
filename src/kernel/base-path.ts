const MAX_LENGTH = 200;
const SEGMENTS = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/;
/** Beginnings of the gateway's own paths. A base path must have none of them, because `/v0/x` would be ambiguous. */
const OWN = /^\/(?:v\d+|graphql|docs|openapi\.json|assets|explore|health|ready|metrics|page-token)(?:\/|$)/;

/**
 * The path below which a gateway is served, such as `/stake`, without a slash at the end. Undefined unless it consists of
 * segments of unreserved characters (RFC 3986, section 2.3), has none for "here" or "up", and begins like none of the
 * gateway's own.
 */
export function cleanPath(text: string): string | undefined {
  const path = text.replace(/\/$/, '');
  return path.length <= MAX_LENGTH && SEGMENTS.test(path) && !OWN.test(path) ? path : undefined;
}
