import type { IncomingMessage } from 'node:http';
import { AnswerError } from '../answers/error.ts';

const MAX_REFUSAL_BYTES = 2_000;

/** Whether the same request by GET may be taken. */
export const refusesPost = (status: number): boolean =>
  status === 501 || (status >= 400 && status < 500 && ![408, 425, 429].includes(status));

/** Shorter parts of a URL are probably words, not keys. */
const SHORTEST_KEY = 8;

/** The URL of a hosted node may contain a key in path, query or login, and some nodes repeat the key in responses. */
export function keyRemover({ username, password, pathname, searchParams }: URL): (text: string) => string {
  const parts = [username, password, ...pathname.split('/'), ...searchParams.values()];
  const starts = parts
    .filter((part) => part.length >= SHORTEST_KEY)
    // A message may contain only the beginning of a key.
    .map((key) => key.slice(0, SHORTEST_KEY).replaceAll(/\W/g, '\\$&'));
  if (starts.length === 0) return (text) => text;
  const keys = new RegExp(`(?:${starts.join('|')})[\\w.~%+=-]*`, 'g');
  return (text) => text.replaceAll(keys, '…');
}

export async function refusalText(response: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of response) {
      text += (chunk as Buffer).toString('utf8');
      if (text.length > MAX_REFUSAL_BYTES) break;
    }
  } catch {
    // The text received so far is enough.
  }
  response.destroy();
  return text.trim();
}

export function checkEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return;
  throw new AnswerError(
    `the answer is compressed (content-encoding: ${encoding}), which was not asked for; turn compression off in the proxy before the node`,
  );
}
