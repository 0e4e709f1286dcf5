import { isObject } from '../../kernel/json.ts';
import { UpstreamError } from './failure.ts';
import { nameOf } from './upstream.ts';

export type Envelope = {
  rows: unknown[];
  next: string | null;
  /** Number of rows; only in v0 bodies. */
  total?: number;
  /** Number of pages; only in v1 bodies. */
  pages?: number;
};

function countOf(value: unknown, name: string, url: URL): number {
  const text = String(value);
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UpstreamError(
    `${nameOf(url)}: responds with ${name} ${text.slice(0, 40)} instead of an integer >= 0.`,
  );
}

function nextOf(value: unknown, url: URL): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string') return value;
  throw new UpstreamError(
    `${nameOf(url)}: responds with a next that is not a string; does it have this interface?`,
  );
}

export function readEnvelope(body: unknown, url: URL): Envelope {
  if (Array.isArray(body)) return { rows: body, next: null };
  if (isObject(body)) {
    const next = nextOf(body.next, url);
    if (Array.isArray(body.data)) return { rows: body.data, next, total: countOf(body.total, 'total', url) };
    if (Array.isArray(body.results)) {
      return { rows: body.results, next, pages: countOf(body.pages, 'pages', url) };
    }
  }
  throw new UpstreamError(
    `${nameOf(url)}: responds with JSON that is not a list of this interface (data with total, or results with pages).`,
  );
}

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

/** Keeps the scheme of `from`, because a service behind a proxy may write links with another scheme. */
export function followed(next: string, current: URL, from: URL): URL {
  const refuse = (why: string) => {
    throw new UpstreamError(
      `${nameOf(current)}: responds with a next that ${why} and is not followed: ${JSON.stringify(next.slice(0, 200))}.`,
    );
  };
  if (!URL.canParse(next, current)) return refuse('is not a URL');
  const url = new URL(next, current);
  if (!['http:', 'https:'].includes(url.protocol) || url.host !== from.host)
    return refuse(`leaves ${from.host}`);
  const base = from.pathname.replace(/\/+$/, '');
  const same = [decoded(url.pathname), base + decoded(url.pathname)].includes(decoded(current.pathname));
  if (!same) return refuse('leaves the path of the list');
  const following = new URL(current);
  following.search = url.search;
  return following;
}
