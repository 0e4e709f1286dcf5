import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { onTestFinished } from 'vitest';
import { type Gateway, noteShown } from './gateway.ts';
import { shownByQuery } from './interface.ts';

type Server = Pick<Gateway, 'url' | 'token'>;
type Options = {
  token?: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  /** Instead of the query. */
  members?: Record<string, string>;
  /** Certificate of a server with https. */
  ca?: string;
};

export type Events = {
  status: number;
  headers: Headers;
  /** The results so far. */
  results: any[];
  /** All bytes so far. */
  text(): string;
  /** The next result; throws at the end of the stream. */
  next(): Promise<any>;
  completed(): boolean;
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  close(): void;
};

/** A subscription over server-sent events, closed at the latest when the test ends. */
export async function subscribe(
  { url, token: own }: Server,
  query: string,
  variables: object = {},
  { token = own, method = 'POST', headers = {}, members = { query }, ca }: Options = {},
): Promise<Events> {
  const parameters = new URLSearchParams({ ...members, variables: JSON.stringify(variables) });
  const isPost = method === 'POST';
  // Not with fetch, which opens further connections when one is closed.
  const open = ca ? requestOverTls : request;
  const sent = open(isPost ? `${url}/graphql` : `${url}/graphql?${parameters}`, {
    method,
    agent: false,
    ...(ca && { ca }),
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      ...(isPost && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  const close = () => void sent.destroy();
  onTestFinished(close);
  sent.on('error', () => undefined);
  sent.end(isPost ? JSON.stringify({ ...members, variables }) : undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const results: any[] = [];
  const waiting = new Set<() => void>();
  let text = '';
  let read = 0;
  let complete = false;
  let isEnded = false;

  function take() {
    for (;;) {
      const end = text.indexOf('\n\n', read);
      if (end < 0) return;
      const lines = text.slice(read, end).split('\n');
      read = end + 2;
      const event = lines.find((line) => line.startsWith('event: '))?.slice(7);
      const data = lines.find((line) => line.startsWith('data:'))?.slice(5) ?? '';
      if (event === 'next') results.push(JSON.parse(data));
      if (event === 'complete') complete = true;
    }
  }
  const resume = () => {
    for (const wake of waiting) wake();
    waiting.clear();
  };
  async function receive() {
    try {
      const decoder = new TextDecoder();
      for await (const chunk of response) {
        text += decoder.decode(chunk, { stream: true });
        take();
        resume();
      }
    } catch {
      // closed, or the server went away
    }
    isEnded = true;
    resume();
  }
  const ended = receive();
  let given = 0;
  return {
    status: response.statusCode as number,
    headers: new Headers(response.headers as Record<string, string>),
    results,
    text: () => text,
    async next() {
      while (results.length <= given) {
        if (isEnded) throw new Error(`the stream has ended: ${text.slice(-500)}`);
        await new Promise<void>((done) => waiting.add(done));
      }
      const result = results[given++];
      if (!result.errors) noteShown(() => shownByQuery(query));
      return result;
    },
    completed: () => complete,
    ended,
    close,
  };
}
