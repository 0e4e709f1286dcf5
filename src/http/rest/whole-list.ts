import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { unitsFor, type Weight } from '../../accounts/compute-units.ts';
import type { Context } from '../../context.ts';
import { ranIntoTimeout } from '../../db/connection.ts';
import { paramDocument } from '../../kernel/params.ts';
import { badInput, type Fault, Refusal, unavailable } from '../../kernel/refusal.ts';
import type { Route } from '../../kernel/route.ts';
import { type Form, type List, linesOf } from './row-forms.ts';

const MAX_ROWS = 500_000;
/** Whole lists that an account reads at the same time. No other limit covers slow readers. */
const MAX_OF_ACCOUNT = 2;
const MAX_SENT = 16;
/** Once this many are being sent, an account gets no second one, so that a few accounts do not take all. */
const MANY_SENT = 8;

const sent = new Map<string, number>();
let together = 0;

const sizes = ['size', 'limit'];
const places = [...sizes, 'from', 'offset', 'cursor', 'revision'];

/** Returns the query of the first page, with the maximum size. Returns undefined without `all`. */
export function wholeQuery(
  route: Pick<Route<Context>, 'query'>,
  query: Record<string, unknown>,
  faults: Fault[],
): Record<string, unknown> | undefined {
  const { all, ...others } = query;
  if (all === undefined || all === 'false') return undefined;
  const refuse = (name: string, msg: string) =>
    faults.push({ loc: ['query', name], msg: `${name} ${msg}.`, type: 'value_error' });
  if (all !== '' && all !== 'true') refuse('all', 'takes no value but true or false');
  for (const name of places) {
    if (name in route.query.shape && others[name] !== undefined)
      refuse(name, 'cannot be given together with all, which begins with the first row');
  }
  const size = sizes.find((name) => name in route.query.shape);
  const maximum = size && paramDocument(route.query.shape[size])?.schema.maximum;
  return maximum === undefined ? others : { ...others, [size as string]: String(maximum) };
}

type Envelope = { total?: number; pages?: number; next?: string | null };

function nextQuery(body: unknown): Record<string, string> | undefined {
  const { next } = body as Envelope;
  return next == null ? undefined : Object.fromEntries(new URLSearchParams(/\?(.*)/s.exec(next)?.[1]));
}

/** Lists of v1 have no total, so the estimate assumes full pages if there are several. */
function rowsIn(body: unknown, query: Record<string, unknown>, first: number): number {
  const { total, pages = 1 } = body as Envelope;
  return total ?? (pages > 1 ? pages * Number(query.limit) : first);
}

function checkSize(rows: number, units: number, { metering }: FastifyRequest): void {
  if (rows > MAX_ROWS) {
    const msg = `all would give ${rows} rows; at most ${MAX_ROWS} are given at once. Leave out all and follow the pages.`;
    throw badInput([{ loc: ['query', 'all'], msg, type: 'too_long' }]);
  }
  const available = metering?.available() ?? null;
  if (available !== null && units > available) {
    throw new Refusal(
      'COST_LIMIT',
      `The whole list costs up to ${units} compute units; ${Math.max(0, available)} are left.`,
    );
  }
}

function enter(account: string): () => void {
  const own = sent.get(account) ?? 0;
  if (own >= MAX_OF_ACCOUNT) {
    throw new Refusal('RATE_LIMITED', `An account can read ${MAX_OF_ACCOUNT} whole lists at a time.`, {
      headers: { 'retry-after': '5' },
    });
  }
  if (together >= (own > 0 ? MANY_SENT : MAX_SENT)) throw unavailable();
  sent.set(account, own + 1);
  together += 1;
  return () => {
    together -= 1;
    const left = (sent.get(account) ?? 1) - 1;
    if (left > 0) sent.set(account, left);
    else sent.delete(account);
  };
}

type Pages = {
  request: FastifyRequest;
  form: Form;
  list: List;
  weight: Weight;
  /** Units of each page for rows that are read and not returned. */
  reading: number;
  query: Record<string, unknown>;
  /** Reads each page in its own context, because a shared context would hold the rows of all pages. */
  read(query: Record<string, unknown>): Promise<unknown>;
};

/** Reads the next page only when the client has read the previous one. */
export async function wholeList({
  request,
  form,
  list,
  weight,
  reading,
  query,
  read,
}: Pages): Promise<Readable> {
  const leave = enter(request.caller?.accountId ?? '');
  let rows = 0;
  let pages = 1;
  const unitsOf = (all: number, ofPages: number) => unitsFor(weight, all) + ofPages * reading;
  try {
    let body: unknown = await read(query);
    let page = list.rowsOf(body);
    const most = rowsIn(body, query, page.length);
    const mostPages = Math.ceil(most / Math.max(1, page.length)) || 1;
    checkSize(most, unitsOf(most, mostPages), request);
    request.metering?.reserve(unitsOf(most, mostPages));
    async function* lines() {
      for (let first = true; ; first = false) {
        rows += page.length;
        if (rows > MAX_ROWS)
          throw new Error(`The list has more than ${MAX_ROWS} rows; its total was smaller.`);
        const next = nextQuery(body);
        const text = linesOf(form, list, page, first);
        page = [];
        if (text !== '') yield Buffer.from(text);
        if (!next) return;
        pages += 1;
        body = await read(next);
        page = list.rowsOf(body);
      }
    }
    const stream = Readable.from(lines(), { objectMode: false });
    let unread = 0;
    stream.once('error', (error) => {
      if (ranIntoTimeout(error)) unread = most - rows;
    });
    stream.once('close', () => {
      leave();
      request.metering?.charge(unitsOf(rows + unread, pages) + request.metering.charged);
    });
    return stream;
  } catch (error) {
    leave();
    throw error;
  }
}

export const successorLink = (path: string) => `<${path}>; rel="successor-version"`;

export function linksOf(body: unknown, successor: string | undefined): Record<string, string> {
  const { next } = body as Envelope;
  const links = [
    ...(next == null ? [] : [`<${next}>; rel="next"`]),
    ...(successor ? [successorLink(successor)] : []),
  ];
  return links.length > 0 ? { link: links.join(', ') } : {};
}
