import { onTestFinished } from 'vitest';
import { type Gateway, noteShown } from './gateway.ts';
import { shownByQuery } from './interface.ts';

type Server = Pick<Gateway, 'url' | 'token'>;
type Options = { token?: string; method?: 'GET' | 'POST'; headers?: Record<string, string> };

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
  { token = own, method = 'POST', headers = {} }: Options = {},
): Promise<Events> {
  const controller = new AbortController();
  const close = () => controller.abort();
  onTestFinished(close);
  const parameters = new URLSearchParams({ query, variables: JSON.stringify(variables) });
  const response = await fetch(method === 'GET' ? `${url}/graphql?${parameters}` : `${url}/graphql`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(method === 'POST' && { body: JSON.stringify({ query, variables }) }),
    signal: controller.signal,
  });
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
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
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
    status: response.status,
    headers: response.headers,
    results,
    text: () => text,
    async next() {
      while (results.length <= given) {
        if (isEnded) throw new Error(`the stream has ended: ${text.slice(-500)}`);
        await new Promise<void>((done) => waiting.add(done));
      }
      const result = results[given++];
      if (!result.errors) noteShown(shownByQuery(query));
      return result;
    },
    completed: () => complete,
    ended,
    close,
  };
}
