import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a server does instead of an answer; a function changes its result. */
export type Fault =
  | 'destroyed'
  | 'cut'
  | 'html'
  | 'null'
  | 'silent'
  | number
  | { error: { code: number; message: string } }
  | ((result: any, params: any[]) => unknown);

export type Broken = { what: RegExp; how: Fault; times: number };

export const send = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

export function faultOf(broken: Broken[], what: string): Fault | undefined {
  const found = broken.find((one) => one.times > 0 && one.what.test(what));
  if (found) found.times -= 1;
  return found?.how;
}

/** True if the fault took the place of an answer. */
export function misbehaves(
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault | undefined,
): boolean {
  if (fault === 'destroyed') request.socket.destroy();
  else if (fault === 'html') response.end('<html>hello</html>');
  else if (fault === 'cut') {
    response.writeHead(200, { 'content-length': 1_000 }).write('{"jsonrpc":');
    setTimeout(() => request.socket.destroy(), 20);
  } else if (typeof fault === 'number') send(response, fault, { message: 'not now' });
  else return fault === 'silent';
  return true;
}

export async function serve(
  into: { url: string },
  handle: (request: IncomingMessage, response: ServerResponse, text: string) => Promise<unknown>,
) {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    await handle(request, response, text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The path stands for a key, which no message may tell.
  into.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${randomUUID()}`;
  return () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}
