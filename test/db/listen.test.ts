import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { listen } from '../../src/db/changes/listen.ts';
import { eventually } from '../support/eventually.ts';
import { slow } from '../support/thorough.ts';

slow('a database that takes the connection and says nothing is tried again', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  const listener = listen(`postgres://me:x@127.0.0.1:${port}/none`, ['changes'], () => undefined);
  onTestFinished(async () => {
    await listener.stop();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  await eventually(() => expect(sockets.length).toBeGreaterThan(1), 15_000);
});
