import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';

/** What is answered where no request came to be, by Node's code of the fault. */
const unparsed = new Map([
  ['HPE_HEADER_OVERFLOW', ['413 Content Too Large', 'The request is larger than is taken.']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'The request took too long to come.']],
]);

/** Answers where no request came to be: what was sent is no HTTP, too large or too slow. */
export function answerUnparsed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { code = '' } = error;
  const [status, detail] = unparsed.get(code) ?? ['400 Bad Request', 'Bad request.'];
  const body = JSON.stringify({ detail });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${randomUUID()}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // Read on for a moment, or the caller may lose the answer; but not for ever, or closing waits for the caller.
  socket.resume();
  setTimeout(() => socket.destroy(), 1_000).unref();
}
