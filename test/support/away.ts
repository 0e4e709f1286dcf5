import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A way to a gateway, by which the gateway seems to be away from time to time. */
export async function relayTo(gateway: { url: string }) {
  const { hostname, port } = new URL(gateway.url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = (server.address() as AddressInfo).port;
  /** Breaks what is open; the next connection works. */
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const away = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    cut();
    await closed;
  };
  const back = async () => {
    server.listen(own, '127.0.0.1');
    await once(server, 'listening');
  };
  onTestFinished(away);
  return { url: `http://127.0.0.1:${own}`, cut, away, back };
}
