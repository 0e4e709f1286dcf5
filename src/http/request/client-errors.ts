import { randomUUID } from 'node:crypto';
import { METHODS, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { refusalStatus } from '../../kernel/refusal.ts';
import { refusalOf } from './methods.ts';
import { privateHeaders } from './security-headers.ts';

type SocketError = NodeJS.ErrnoException & { rawPacket?: unknown };
type Answer = { status: number; detail: string; headers?: Record<string, string> };

const unparsed = new Map<string, Answer>([
  ['HPE_HEADER_OVERFLOW', { status: 413, detail: 'The request is too large.' }],
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, detail: 'The request took too long to come.' }],
]);

function unknownMethod({ code, rawPacket }: SocketError, absent?: string): Answer | undefined {
  if (code !== 'HPE_INVALID_METHOD' || !Buffer.isBuffer(rawPacket)) return undefined;
  const line = rawPacket.toString('latin1', 0, MAX_LINE_LENGTH);
  const [, method, url] = /^([A-Z]{1,20}) (\/[!-~]*) HTTP\/1\.[01]\r\n/.exec(line) ?? [];
  if (!method || !url || METHODS.includes(method)) return undefined;
  const { code: kind, message, headers } = refusalOf({ method, url }, absent);
  return { status: refusalStatus[kind], detail: message, headers };
}
const MAX_LINE_LENGTH = 4_096;

export function sendClientError(error: SocketError, socket: Socket, absent?: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, detail, headers } = unknownMethod(error, absent) ??
    unparsed.get(error.code ?? '') ?? { status: 400, detail: 'Bad request.' };
  const body = JSON.stringify({ detail });
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    ...privateHeaders,
    'x-request-id': randomUUID(),
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  // Reads for another second, so that the client gets the response. A longer wait would delay closing.
  socket.resume();
  setTimeout(() => socket.destroy(), 1_000).unref();
}
