import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/**
 * What a node may do instead of answering correctly: a status; a lost connection; an answer cut in the middle, with (`cut`) or
 * without (`shortened`) a sign of it; a page, JSON of something else, wrong types; bytes one by one; headers and then
 * nothing; late; or an answer that the function changes.
 */
export type Misbehaviour =
  | number
  | 'destroyed'
  | 'cut'
  | 'shortened'
  | 'html'
  | 'nonsense'
  | 'wrong types'
  | 'trickling'
  | 'silent'
  | { lateMs: number }
  | ((body: string) => string);

type Answer = { code: number; body: string };
const json = { 'content-type': 'application/json' };

async function trickle(body: string, response: ServerResponse): Promise<void> {
  response.writeHead(200, json);
  for (const character of body) {
    if (response.destroyed) return;
    response.write(character);
    await setTimeout(20);
  }
  response.end();
}

const replaced = (how: string, body: string): string | undefined => {
  if (how === 'shortened') return body.slice(0, Math.floor(body.length / 2));
  if (how === 'nonsense') return '{"data":{"jsonrpc":"2.0","result":[1,2,3]}}';
  if (how === 'wrong types')
    return body.replaceAll(/"(\d+)"/g, '[$1]').replaceAll(/"(0x[0-9a-f]*)"/g, '["$1"]');
  return undefined;
};

export async function misbehave(
  how: Misbehaviour,
  answer: Answer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (typeof how === 'number') {
    const body = JSON.stringify({ code: how, message: 'out of order' });
    return void response.writeHead(how, json).end(body);
  }
  if (typeof how === 'function') return void response.writeHead(answer.code, json).end(how(answer.body));
  if (how === 'destroyed') return void request.socket.destroy();
  if (how === 'trickling') return trickle(answer.body, response);
  if (how === 'silent') return void response.writeHead(200, json).flushHeaders();
  if (how === 'html')
    return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>');
  if (typeof how === 'object') {
    await setTimeout(how.lateMs);
    return void response.writeHead(answer.code, json).end(answer.body);
  }
  const body = replaced(how, answer.body);
  if (body !== undefined) return void response.writeHead(200, json).end(body);
  response.writeHead(200, { ...json, 'content-length': Buffer.byteLength(answer.body) });
  response.write(answer.body.slice(0, Math.floor(answer.body.length / 2)), () => request.socket.destroy());
}
