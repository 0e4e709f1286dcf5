import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait on a connection for the answer to the one before them. */
const MOST_PIPELINED = 64;
const SWEEP_MS = 1_000;

/** The connections of a server, for the metrics. */
export type Connections = {
  open(): number;
  /** How many were refused, since there were as many as there may be. */
  refused(): number;
  /** How many were closed since nothing of an answer was read. */
  unread(): number;
};

/**
 * Requests of a connection one after the other: one that comes before the answer to the one before it has gone out begins
 * when that has, so that a caller who reads nothing has one answer in memory. Closes a connection on which too many wait.
 */
const oneAtATime =
  (serve: RequestListener, waiting = new WeakMap<Socket, number>()): RequestListener =>
  (request, response) => {
    if (response.socket) return serve(request, response);
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > MOST_PIPELINED) return void socket.destroy();
    waiting.set(socket, count);
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) as number) - 1);
      process.nextTick(serve, request, response); // Node sends what it has of the answer first
    });
  };

/**
 * Makes servers whose connections are bounded: at most so many, and none on which an answer waits and nothing of it is read
 * for so long. Node's own clock of a socket tells, which knows of bytes that have left in part; it runs only while an answer
 * waits, and answers that are read at once cost nothing.
 */
export function boundedServers(most: number, sendTimeoutMs: number) {
  const sockets = new Set<Socket>();
  const timed = new WeakSet<Socket>();
  let refused = 0;
  let unread = 0;

  function onTimeout(this: Socket) {
    if (!timed.has(this) || this.writableLength === 0) return;
    unread += 1;
    this.resetAndDestroy(); // closed in peace, its megabytes would stay with the system for minutes
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
    /** A server for Fastify. */
    make: (options: ServerOptions, serve: RequestListener): Server =>
      bound(createServer(options, oneAtATime(serve))),
    connections: {
      open: () => sockets.size,
      refused: () => refused,
      unread: () => unread,
    } satisfies Connections,
  };
}
