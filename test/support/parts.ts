import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Gateway } from './gateway.ts';

type Options = { accept?: string; token?: string; members?: object; method?: 'GET' | 'POST' };

type PartsAnswer = {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  /** As sent. */
  parts: any[];
};

const boundary = '\r\n---';

/** Cuts a multipart/mixed body, and checks the length that each part states. */
function ofMultipart(text: string): any[] {
  const pieces = text.split(boundary);
  if (pieces.shift() !== '' || pieces.pop() !== '--\r\n')
    throw new Error(`no whole body: ${text.slice(-300)}`);
  return pieces.map((piece) => {
    const [head = '', json = ''] = piece.split('\r\n\r\n');
    const length = /^\r\nContent-Type: application\/json; charset=utf-8\r\nContent-Length: (\d+)$/.exec(
      head,
    )?.[1];
    if (Number(length) !== Buffer.byteLength(json)) throw new Error(`wrong length: ${piece}`);
    return JSON.parse(json);
  });
}

function ofEvents(text: string): any[] {
  const events = text.split('\n\n');
  if (events.shift() !== ':' || events.pop() !== '' || events.pop() !== 'event: complete\ndata:')
    throw new Error(`no whole body: ${text.slice(-300)}`);
  return events.map((event) => JSON.parse(event.replace('event: next\ndata: ', '')));
}

/** Sends a query; the response is not read yet. */
export async function openParts(
  { url, token: own }: Gateway,
  query: string,
  variables: object = {},
  { accept = 'multipart/mixed', token = own, members = { query }, method = 'POST' }: Options = {},
) {
  const isPost = method === 'POST';
  const search = new URLSearchParams({ ...members, variables: JSON.stringify(variables) });
  const sent = request(isPost ? `${url}/graphql` : `${url}/graphql?${search}`, {
    method,
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      accept,
      ...(accept.startsWith('multipart') && { 'accept-encoding': 'gzip, br' }),
      ...(isPost && { 'content-type': 'application/json' }),
    },
  });
  onTestFinished(() => void sent.destroy());
  sent.on('error', () => undefined);
  sent.end(isPost ? JSON.stringify({ ...members, variables }) : undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { response, close: () => void sent.destroy() };
}

export async function readParts(...args: Parameters<typeof openParts>): Promise<PartsAnswer> {
  const { response } = await openParts(...args);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const { statusCode: status = 0, headers } = response;
  const type = headers['content-type'] ?? '';
  const parts = type.startsWith('multipart/mixed')
    ? ofMultipart(text)
    : type.startsWith('text/event-stream')
      ? ofEvents(text)
      : [];
  return { status, headers, text, parts };
}

function merge(into: any, from: any): any {
  if (Array.isArray(from)) return from.map((value, index) => merge(into?.[index], value));
  if (typeof from !== 'object' || from === null) return from;
  const merged = { ...into };
  for (const [name, value] of Object.entries(from)) merged[name] = merge(merged[name], value);
  return merged;
}

/** The single result that the parts stand for. */
export function assembled(parts: any[]): { data: any; errors: any[]; extensions: any } {
  const [first, ...later] = parts;
  const result = { data: first.data, errors: [...(first.errors ?? [])], extensions: parts.at(-1).extensions };
  for (const { incremental = [], errors: own = [] } of later) {
    result.errors.push(...own);
    for (const { path, data, items, errors = [] } of incremental) {
      result.errors.push(...errors);
      const steps: (string | number)[] = path;
      const at = (end: number) => steps.slice(0, end).reduce((value: any, step) => value[step], result);
      steps.unshift('data');
      if (items) at(steps.length - 1).splice(steps.at(-1) as number, 0, ...items);
      else if (data) {
        const parent = at(steps.length - 1);
        const last = steps.at(-1) as string;
        parent[last] = merge(parent[last], data);
      }
    }
  }
  return result;
}
