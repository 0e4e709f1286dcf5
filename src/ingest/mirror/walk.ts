import { createHash } from 'node:crypto';
import { stringify } from 'lossless-json';
import { isObject } from '../../kernel/json.ts';
import { type Envelope, followed, readEnvelope } from './envelope.ts';
import { ChangedError, UpstreamError } from './failure.ts';
import type { Form, MirrorList } from './list.ts';
import { nameOf, type Upstream } from './upstream.ts';

export type Page = { name: string; rows: string[] };

const MAX_ROWS = 20_000_000;

export function urlOfForm(from: URL, form: Form): URL {
  const url = new URL(from);
  url.pathname = from.pathname.replace(/\/+$/, '') + form.path;
  url.search = new URLSearchParams(form.query).toString();
  return url;
}

/**
 * Drops rows that this page or the two pages before already had. Throws ChangedError if such a row differs or the list
 * is ranked.
 */
function freshRows(list: MirrorList, url: URL, rows: readonly unknown[], recent: Map<string, string>[]) {
  const current = new Map<string, string>();
  const texts: string[] = [];
  for (const row of rows) {
    const text = stringify(row) ?? 'null';
    const key = list.key !== undefined && isObject(row) ? String(row[list.key]) : undefined;
    if (key !== undefined) {
      const before = [current, ...recent].find((seen) => seen.has(key))?.get(key);
      if (before !== undefined && (before !== text || list.ranked)) {
        throw new ChangedError(`${nameOf(url)}: lists ${list.key} ${key.slice(0, 80)} twice`);
      }
      current.set(key, text);
      if (before !== undefined) continue;
    }
    texts.push(text);
  }
  recent.unshift(current);
  if (recent.length > 2) recent.pop();
  return texts;
}

const digestOf = (rows: readonly unknown[]) =>
  createHash('sha256')
    .update(stringify(rows) ?? '')
    .digest('base64');

function cutRows({ down }: MirrorList, url: URL, rows: readonly unknown[], above: number) {
  if (!down) return { rows, below: false, last: above };
  let last = above;
  for (const row of rows) {
    const value = isObject(row) ? Number(String(row[down.field])) : Number.NaN;
    if (!(value < last)) {
      throw new UpstreamError(
        `${nameOf(url)}: does not descend by ${down.field} after ${last}; nothing loaded.`,
      );
    }
    last = value;
  }
  const { field, floor, ceiling } = down;
  const within = rows.filter((row) => {
    const value = Number(String((row as Record<string, unknown>)[field]));
    return value >= floor && value <= ceiling;
  });
  return { rows: within, below: last <= floor, last };
}

function checkCounts(first: Envelope, page: Envelope, url: URL, read: number) {
  for (const name of ['total', 'pages'] as const) {
    if (first[name] !== page[name]) {
      throw new ChangedError(
        `${nameOf(url)}: ${name} is ${page[name]} but was ${first[name]} on the first page`,
      );
    }
  }
  const { total, pages } = page;
  if (total !== undefined && (read > total || (page.next === null && read < total))) {
    throw new ChangedError(
      `${nameOf(url)}: ${read} rows are listed ${page.next === null ? 'in all' : 'already'}, but "total" is ${total}`,
    );
  }
  if (pages === undefined || (read === 0 && pages <= 1)) return;
  const limit = first.next === null ? Math.max(1, read) : first.rows.length;
  const counted = Math.ceil(read / limit);
  if (counted > pages || (page.next === null && counted < pages)) {
    throw new ChangedError(
      `${nameOf(url)}: ${counted} pages of ${limit} are listed ${page.next === null ? 'in all' : 'already'}, but "pages" is ${pages}`,
    );
  }
}

export async function* walk(upstream: Upstream, list: MirrorList, form: Form): AsyncGenerator<Page> {
  const start = urlOfForm(upstream.from, form);
  const seen = new Set<string>();
  const recent: Map<string, string>[] = [];
  let first: Envelope | undefined;
  const read: { url: URL; digest: string }[] = [];
  let count = 0;
  let above = Number.POSITIVE_INFINITY;
  let pinned = false;
  for (let url: URL | undefined = start; url; ) {
    seen.add(url.search);
    const page: Envelope = readEnvelope(await upstream.get(url, list.network), url);
    first ??= page;
    const cut = cutRows(list, url, page.rows, above);
    above = cut.last;
    const rows = freshRows(list, url, cut.rows, recent);
    count += rows.length;
    if (list.ranked) read.push({ url, digest: digestOf(page.rows) });
    if (!list.down) checkCounts(first, page, url, count);
    if (count > MAX_ROWS) throw new UpstreamError(`${nameOf(url)}: lists more than ${MAX_ROWS} rows.`);
    yield { name: nameOf(url), rows };
    if (page.next === null || cut.below) break;
    if (page.rows.length === 0 || (!list.down && rows.length === 0)) {
      throw new UpstreamError(`${nameOf(url)}: adds no rows but has a next: it does not advance.`);
    }
    const next = followed(page.next, url, upstream.from);
    if (seen.has(next.search)) {
      throw new UpstreamError(`${nameOf(url)}: next loops back to ${nameOf(next)}.`);
    }
    pinned ||= next.searchParams.has('revision');
    url = next;
  }
  if (pinned) return;
  // Reads earlier pages again, because counts do not reveal a change that adds as many rows as it removes.
  for (const { url, digest } of read.slice(0, -1)) {
    const again = readEnvelope(await upstream.get(url, list.network), url);
    if (digestOf(again.rows) !== digest) {
      throw new ChangedError(`${nameOf(url)}: changed while the other pages were read`);
    }
  }
}
