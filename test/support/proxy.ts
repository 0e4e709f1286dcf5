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
  /** Resets every connection there is, and takes no more. */
  close(): void;
  /** From now on takes connections and bytes, and hands on nothing; those of these connections are lost for good. */
  hush(): void;
  /** From now on hands on one byte of the database's answers at a time; those of these connections stay slow for good. */
  trickle(everyMs: number): void;
  /** Hands on what comes by new connections, whole and at once. */
  mend(): void;
};

export async function lossyWay(to: string): Promise<LossyWay> {
  const { port, hostname } = new URL(to);
  const sockets = new Set<Socket>();
  let silent = false;
  let slowMs = 0;
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
    near.on('data', (bytes) => {
      lost ||= silent;
      if (!lost) far.write(bytes);
    });
    let held = Buffer.alloc(0);
    let timer: NodeJS.Timeout | undefined;
    near.on('close', () => clearInterval(timer));
    const release = () => {
      near.write(held.subarray(0, 1));
      held = held.subarray(1);
    };
    far.on('data', (bytes) => {
      lost ||= silent;
      if (lost) return;
      if (slowMs === 0 && !timer) return void near.write(bytes);
      held = Buffer.concat([held, bytes]);
      timer ??= setInterval(release, slowMs);
    });
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
    close() {
      server.close();
      cut();
    },
    hush() {
      silent = true;
    },
    trickle(everyMs) {
      slowMs = everyMs;
    },
    mend() {
      silent = false;
      slowMs = 0;
    },
  };
}
