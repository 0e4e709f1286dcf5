import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';

/** The most pipelined requests that may wait on one connection. */
const MAX_PIPELINED = 64;
const SWEEP_MS = 1_000;

export type Connections = {
  open(): number;
  /** Connections refused because the maximum was reached. */
  refused(): number;
  /** Connections closed because the client read nothing of an answer. */
  unread(): number;
};

/**
 * Serves pipelined requests of a connection one after the other, so that a client that reads nothing keeps only one answer in
 * memory. Closes a connection on which too many wait.
 */
const oneAtATime =
  (serve: RequestListener, waiting = new WeakMap<Socket, number>()): RequestListener =>
  (request, response) => {
    if (response.socket) return serve(request, response);
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > MAX_PIPELINED) return void socket.destroy();
    waiting.set(socket, count);
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) as number) - 1);
      process.nextTick(serve, request, response); // Node first sends what is written of the answer
    });
  };

/**
 * Creates servers of at most `most` connections. They close a connection whose client reads nothing of an answer for
 * `sendTimeoutMs`, by the timeout of Node's sockets, which notices partial writes. It is set only while an answer waits, so that
 * answers that are read at once cost nothing.
 */
export function boundedServers(most: number, sendTimeoutMs: number) {
  const sockets = new Set<Socket>();
  const timed = new WeakSet<Socket>();
  let refused = 0;
  let unread = 0;

  function onTimeout(this: Socket) {
    if (!timed.has(this) || this.writableLength === 0) return;
    unread += 1;
    this.resetAndDestroy(); // after an orderly close the system would keep the unread megabytes for minutes
  }
  function sweep() {
    for (const socket of sockets) {
      if (socket.writableLength > 0) {
        if (socket.timeout === sendTimeoutMs) continue;
        timed.add(socket);
        socket.setTimeout(sendTimeoutMs);
      } else if (timed.delete(socket) && socket.timeout === sendTimeoutMs) socket.setTimeout(0);
    }
  }

  function bound(server: Server): Server {
    server.maxConnections = most;
    server.on('drop', () => (refused += 1));
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('timeout', onTimeout);
      socket.on('close', () => sockets.delete(socket));
    });
    let timer: NodeJS.Timeout | undefined;
    server.on('listening', () => (timer = setInterval(sweep, Math.min(SWEEP_MS, sendTimeoutMs / 4)).unref()));
    server.on('close', () => clearInterval(timer));
    return server;
  }

  return {
    make: (options: ServerOptions, serve: RequestListener): Server =>
      bound(createServer(options, oneAtATime(serve))),
    connections: {
      open: () => sockets.size,
      refused: () => refused,
      unread: () => unread,
    } satisfies Connections,
  };
}
