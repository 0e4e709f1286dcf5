import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Gateway, gatewayForTest, useGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

const SEND_TIMEOUT_MS = 1_500;
const gateway = useGateway({ template: 'empty', settings: { SEND_TIMEOUT_MS } });

async function connectionTo(of: Gateway): Promise<Socket> {
  const { hostname, port } = new URL(of.url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}
const request = (of: Gateway, path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: ${new URL(of.url).host}\r\nAuthorization: Bearer ${of.token}\r\n\r\n`;
async function metric(of: Gateway, name: string): Promise<number> {
  const value = new RegExp(`^stakegraph_${name} (\\d+)$`, 'm').exec((await of.fetch('/metrics')).text)?.[1];
  expect(value).toBeDefined();
  return Number(value);
}

/** A file of 9 MB: more than the buffers of the system hold. */
const LARGE = '/assets/graphiql.js';
const list = '/v0/eth/slashings';
/** A file of 1.7 MB: the buffers of the system hold all of it. */
const BUFFERED = '/assets/swagger-ui.js';
const BUFFERED_BYTES = 1_500_000;
const LINUX = process.platform === 'linux';

/** The answers that came so far, and a wait for as many as there are to be. */
function answersOn(socket: Socket) {
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  const heads = () => text.match(/HTTP\/1\.1 \d+/g) ?? [];
  return { heads, all: (count: number) => eventually(() => expect(heads()).toHaveLength(count)) };
}

describe('a connection of which nothing is read', () => {
  it('is closed after SEND_TIMEOUT_MS, and counted', async () => {
    const before = await metric(gateway, 'http_connections_unread_total');
    const sockets = await Promise.all(Array.from({ length: 3 }, () => connectionTo(gateway)));
    const ended = sockets.map((socket) => once(socket, 'close'));
    for (const socket of sockets) socket.write(request(gateway, LARGE));
    await eventually(
      async () => expect(await metric(gateway, 'http_connections_unread_total')).toBe(before + 3),
      10_000,
    );
    for (const socket of sockets) socket.resume();
    await Promise.all(ended);
    // An orderly close would have delivered the 4 MB that the system held.
    expect(sockets.map(({ bytesRead }) => bytesRead < 1_000_000)).toEqual([true, true, true]);
  });

  slow('stays open while a little is read now and then', async () => {
    const socket = await connectionTo(gateway);
    socket.write(request(gateway, LARGE));
    const began = performance.now();
    let text = '';
    let slice = 0;
    let length = Number.POSITIVE_INFINITY;
    socket.on('data', (bytes) => {
      if (text.length < 2_000) text += bytes.toString('latin1', 0, 2_000);
      length = text.indexOf('\r\n\r\n') + 4 + Number(/content-length: (\d+)/.exec(text)?.[1]);
      slice += bytes.length;
      if (slice < 150_000) return;
      slice = 0;
      socket.pause();
      setTimeout(() => socket.resume(), 75);
    });
    await eventually(() => expect(socket.bytesRead).toBe(length), 60_000);
    expect(performance.now() - began).toBeGreaterThan(2 * SEND_TIMEOUT_MS);
    socket.removeAllListeners('data');
    const { all } = answersOn(socket);
    await sleep(2 * SEND_TIMEOUT_MS); // idle, it is kept alive
    socket.write(request(gateway, list));
    await all(1);
  });

  it.runIf(LINUX).each(['keep-alive', 'close'])(
    'is reset after SEND_TIMEOUT_MS where the system holds the whole answer (%s)',
    async (kept) => {
      const before = await metric(gateway, 'http_connections_unread_total');
      const socket = await connectionTo(gateway);
      socket.pause();
      const began = performance.now();
      socket.write(request(gateway, BUFFERED).replace('\r\n\r\n', `\r\nConnection: ${kept}\r\n\r\n`));
      await eventually(async () => {
        expect(await metric(gateway, 'http_connections_unread_total')).toBe(before + 1);
      }, 10_000);
      expect(performance.now() - began).toBeGreaterThan(SEND_TIMEOUT_MS);
      const closed = once(socket, 'close');
      socket.resume();
      await closed;
      expect(socket.bytesRead).toBeLessThan(1_000_000);
    },
  );

  it.runIf(LINUX).each(['keep-alive', 'close'])(
    'stays open while the answer that the system holds is read slowly (%s)',
    async (kept) => {
      const before = await metric(gateway, 'http_connections_unread_total');
      const socket = await connectionTo(gateway);
      const closed = once(socket, 'close');
      socket.on('data', () => {
        socket.pause();
        setTimeout(() => socket.resume(), 200);
      });
      const began = performance.now();
      socket.write(request(gateway, BUFFERED).replace('\r\n\r\n', `\r\nConnection: ${kept}\r\n\r\n`));
      await eventually(() => expect(socket.bytesRead).toBeGreaterThan(BUFFERED_BYTES), 60_000);
      expect(performance.now() - began).toBeGreaterThan(2 * SEND_TIMEOUT_MS);
      if (kept === 'close') await closed;
      else await sleep(2 * SEND_TIMEOUT_MS); // idle after it has read everything
      expect(socket.destroyed).toBe(kept === 'close');
      expect(await metric(gateway, 'http_connections_unread_total')).toBe(before);
    },
  );

  slow('is reset although a few bytes are read now and then', async () => {
    const before = await metric(gateway, 'http_connections_unread_total');
    const socket = await connectionTo(gateway);
    socket.pause();
    socket.write(request(gateway, LARGE));
    const sip = setInterval(() => socket.read(100), 100);
    onTestFinished(() => clearInterval(sip));
    await eventually(async () => {
      expect(await metric(gateway, 'http_connections_unread_total')).toBe(before + 1);
    }, 20_000);
  });

  it('stays open while its answer is made', async () => {
    const socket = await connectionTo(gateway);
    const { all, heads } = answersOn(socket);
    await gateway.database.pool.withClient(async (client) => {
      await client.query('begin; lock table slashings in access exclusive mode');
      socket.write(request(gateway, list));
      await sleep(3 * SEND_TIMEOUT_MS);
      await client.query('rollback');
    });
    await all(1);
    expect(heads()).toEqual(['HTTP/1.1 200']);
  });
});

describe('requests that come before the answer to the one before them', () => {
  it('are answered in their order', async () => {
    const socket = await connectionTo(gateway);
    const { all, heads } = answersOn(socket);
    const paths = ['/health', list, '/nope', `${list}?size=0`, list, '/health'];
    socket.write(paths.map((path) => request(gateway, path)).join(''));
    await all(6);
    expect(heads().map((head) => Number(head.slice(-3)))).toEqual([200, 200, 404, 400, 200, 200]);
  });

  it('are begun when that has been read', async () => {
    const socket = await connectionTo(gateway);
    gateway.statements.length = 0;
    socket.write(request(gateway, LARGE) + request(gateway, list).repeat(20));
    await sleep(SEND_TIMEOUT_MS / 2);
    expect(gateway.statements).toEqual([]);
    answersOn(socket);
    const begun = () => gateway.statements.filter((name) => name === 'slashingPage');
    await eventually(() => expect(begun()).toHaveLength(20));
  });

  it('close the connection where more than 64 wait', async () => {
    const socket = await connectionTo(gateway);
    const closed = once(socket, 'close');
    const { heads } = answersOn(socket);
    socket.write(request(gateway, list).repeat(200));
    await closed;
    expect(heads().length).toBeLessThan(65);
  });
});

describe('MAX_CONNECTIONS', () => {
  it('is the most there are at once; another is closed, and counted, until one has ended', async () => {
    const small = await gatewayForTest({ template: 'empty', settings: { MAX_CONNECTIONS: 3 } });
    const health = `GET /health HTTP/1.1\r\nHost: x\r\n\r\n`;
    const sockets = await Promise.all([1, 2, 3].map(() => connectionTo(small)));
    for (const socket of sockets) {
      const { all } = answersOn(socket);
      socket.write(health);
      await all(1);
    }
    const fourth = await connectionTo(small);
    fourth.resume();
    await once(fourth, 'close');
    sockets[0]?.end();
    await eventually(async () => {
      expect(await metric(small, 'http_connections_refused_total')).toBeGreaterThan(0);
      expect(await metric(small, 'http_connections')).toBe(3);
    });
  });
});
