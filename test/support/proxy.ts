import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A way to a database that can be lost: `url` is that of the database by it. */
export type LossyWay = {
  url: string;
  /** How many connections there were. */
  made(): number;
  /** Resets every connection there is. */
  cut(): void;
  /** From now on takes connections and bytes, and hands on nothing; those of these connections are lost for good. */
  hush(): void;
  /** Hands on what comes by new connections. */
  mend(): void;
};

export async function lossyWay(to: string): Promise<LossyWay> {
  const { port, hostname } = new URL(to);
  const sockets = new Set<Socket>();
  let silent = false;
  let made = 0;
  const server = createServer((near) => {
    made += 1;
    sockets.add(near);
    near.on('error', () => undefined);
    near.on('close', () => sockets.delete(near));
    if (silent) return void near.resume();
    const far = connect(Number(port), hostname);
    far.on('error', () => near.destroy());
    far.on('close', () => near.destroy());
    near.on('close', () => far.destroy());
    let lost = false;
    const hand = (from: Socket, into: Socket) =>
      from.on('data', (bytes) => {
        lost ||= silent;
        if (!lost) into.write(bytes);
      });
    hand(near, far);
    hand(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  const url = new URL(to);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    made: () => made,
    cut,
    hush() {
      silent = true;
    },
    mend() {
      silent = false;
    },
  };
}
