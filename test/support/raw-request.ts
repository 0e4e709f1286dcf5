import { connect } from 'node:net';
import type { Gateway } from './gateway.ts';

/** Sends the bytes of the headers as they are, which no client does. */
export const rawRequest = (
  gateway: Gateway,
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(gateway.url);
    const own: Record<string, string> = {
      host: 'localhost',
      authorization: `Bearer ${gateway.token}`,
      ...(body && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      connection: 'close',
    };
    const all = Object.entries({ ...own, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(Number(port), hostname, () =>
      socket.write(Buffer.from(`${method} ${path} HTTP/1.1\r\n${all.join('')}\r\n${body}`, 'latin1')),
    );
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => (text += chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }));
  });

/** Texts of Latin 1 that a header may not have, or whose meaning is hard to tell. */
export const hostileHeaderValues = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '\u0001',
    '\u007f',
    '\t',
    '\u00ff\u00fe',
    '\u00ed\u00a0\u0080',
    '"',
    '\\',
    ',',
    ';',
    ',,,',
    ';q=',
    '*;q=9',
    '*/*;q=1e400',
  ],
  ...[
    '9'.repeat(40),
    '-1',
    '1e400',
    'NaN',
    'null',
    '{}',
    "'",
    '%00',
    '%ff',
    '../..',
    '//evil',
    '[::',
    ':',
    '0',
    '__proto__',
    'constructor',
  ],
  ...[
    'x'.repeat(8_000),
    'a,'.repeat(3_000),
    'W/"',
    `"${'x'.repeat(4_000)}"`,
    '*/*,'.repeat(1_500),
    'gzip;q=0.0000000001,'.repeat(300),
  ],
  ...[
    '00-00000000000000000000000000000000-0000000000000000-01',
    `00-${'f'.repeat(32)}-${'f'.repeat(16)}-zz`,
    'Bearer',
    'Bearer ',
    'Basic Og==',
    'bytes=0-',
  ],
];
