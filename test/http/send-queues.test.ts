import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  connectionOf,
  parseSendQueue,
  readSendQueues,
  tableEndpoint,
} from '../../src/http/limits/send-queues.ts';
import { eventually } from '../support/eventually.ts';

describe('a line of the table of TCP connections', () => {
  it('gives the endpoints and the bytes not yet acknowledged', () => {
    const rest = '00000000     0        0 1972951 2 0000000018d2de7a 20 0 0 11 -1';
    expect(
      parseSendQueue(`   1: 0100007F:B42D 0100007F:D894 01 003B5000:00000000 01:00000013 ${rest}`),
    ).toEqual({ connection: '0100007F:B42D 0100007F:D894', bytes: 3_887_104 });
    expect(parseSendQueue('  sl  local_address rem_address   st tx_queue rx_queue tr')).toBeUndefined();
    expect(parseSendQueue('')).toBeUndefined();
  });

  it('is read as it was written, for every address, port and queue', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const endpoint = fc
      .tuple(fc.tuple(byte, byte, byte, byte), fc.integer({ min: 0, max: 65_535 }))
      .map(([bytes, port]) => tableEndpoint(bytes.join('.'), port));
    fc.assert(
      fc.property(endpoint, endpoint, fc.integer({ min: 0, max: 0xffffffff }), (local, remote, bytes) => {
        const queue = bytes.toString(16).toUpperCase().padStart(8, '0');
        const line = ` 170: ${local} ${remote} 04 ${queue}:00000000 02:000014AD 00000000     0`;
        expect(parseSendQueue(line)).toEqual({ connection: `${local} ${remote}`, bytes });
      }),
    );
  });

  it('is not read from other text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseSendQueue(text)).toBeUndefined();
      }),
    );
  });
});

describe('an endpoint in the table', () => {
  it.each([
    ['127.0.0.1', 46_125, '0100007F:B42D'],
    ['::ffff:127.0.0.1', 46_125, '0000000000000000FFFF00000100007F:B42D'],
    ['::1', 80, '00000000000000000000000001000000:0050'],
    ['2001:db8::ff00:42:8329', 1, 'B80D01200000000000FF000029834200:0001'],
    ['fe80::1%eth0', 443, '000080FE000000000000000001000000:01BB'],
    ['1:2:3:4:5:6:7:8', 65_535, '02000100040003000600050008000700:FFFF'],
  ])('of %s port %i', (address, port, written) => {
    expect(tableEndpoint(address, port)).toBe(written);
  });
});

describe.runIf(process.platform === 'linux')('the send queue of a connection', () => {
  it.each(['127.0.0.1', '::'])('is found for a server on %s, and empty once all is read', async (host) => {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const client = connect({ host: '127.0.0.1', port });
    const [socket] = (await once(server, 'connection')) as [Socket];
    onTestFinished(() => {
      client.destroy();
      socket.destroy();
      server.close();
    });
    const connection = connectionOf(socket) as string;
    const queue = async () => (await readSendQueues(new Set([connection]))).get(connection);
    client.pause();
    expect(await queue()).toBe(0);
    socket.write(Buffer.alloc(1_500_000));
    await eventually(async () => expect(await queue()).toBeGreaterThan(1_000_000));
    client.resume();
    await eventually(async () => expect(await queue()).toBe(0));
    expect(await readSendQueues(new Set())).toEqual(new Map());
  });
});
