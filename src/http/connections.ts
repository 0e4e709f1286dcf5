import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { connectionOf, readSendQueues } from './send-queues.ts';

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

/** What a connection may have sent since its send queue was last seen empty before the queue is looked at. */
const UNSEEN_BYTES = 65_536;

/** The state of a connection, as the last look at its send queue left it. */
type Sending = {
  connection: string | undefined;
  /** Bytes sent when the send queue was last seen empty. */
  emptyAt: number;
  /** Bytes sent less those in the send queue; it changes when the client reads. */
  acknowledged?: number;
  /** When it last changed. */
  since: number;
  /** Closes the socket, where that waits for the send queue. */
  close?: () => void;
};

/**
 * Creates servers with at most `most` connections, which reset a connection when its client reads nothing of an answer for
 * `sendTimeoutMs`. On Linux this covers what the system holds in its send queue, which Node takes for sent; such a connection
 * is closed only when the queue is empty. Elsewhere the timeout of Node's sockets covers what Node holds.
 */
export function boundedServers(most: number, sendTimeoutMs: number) {
  const sockets = new Map<Socket, Sending>();
  const timed = new WeakSet<Socket>();
  let refused = 0;
  let unread = 0;

  const mayHold = (socket: Socket, { emptyAt }: Sending) =>
    socket.writableLength > 0 || socket.bytesWritten - emptyAt > UNSEEN_BYTES;

  function reset(socket: Socket, sending: Sending | undefined) {
    unread += 1;
    const close = sending?.close;
    sockets.delete(socket); // closes at once
    socket.resetAndDestroy(); // after an orderly close the system would keep the unread megabytes for minutes
    close?.();
  }

  /** In place of Node's handler, which closes in an orderly way. */
  function onTimeout(socket: Socket) {
    if (timed.has(socket) && socket.writableLength > 0) reset(socket, sockets.get(socket));
    else socket.destroy();
  }

  /** Uses the timeout of Node's sockets, which notices partial writes, while something waits to be written. */
  function setTimer(socket: Socket, waits: boolean) {
    if (waits && socket.timeout !== sendTimeoutMs) {
      timed.add(socket);
      socket.setTimeout(sendTimeoutMs);
    } else if (!waits && timed.delete(socket) && socket.timeout === sendTimeoutMs) socket.setTimeout(0);
  }

  function look(socket: Socket, sending: Sending, sent: number, queued: number | undefined) {
    const now = performance.now();
    setTimer(socket, queued === undefined && socket.writableLength > 0);
    if (queued === undefined || (queued === 0 && socket.writableLength === 0)) {
      if (queued === 0) sending.emptyAt = sent;
      delete sending.acknowledged;
      sending.close?.();
    } else if (sending.acknowledged !== sent - queued) {
      sending.acknowledged = sent - queued;
      sending.since = now;
    } else if (now - sending.since >= sendTimeoutMs) reset(socket, sending);
  }

  async function sweep(server: Server) {
    if (!server.listening) for (const { close } of sockets.values()) close?.(); // stopping does not wait
    const looked = [...sockets].filter(([socket, sending]) => sending.close || mayHold(socket, sending));
    if (looked.length === 0) return;
    const sent = looked.map(([socket]) => socket.bytesWritten - socket.writableLength);
    const known = looked.flatMap(([, { connection }]) => connection ?? []);
    const queues = await readSendQueues(new Set(known));
    for (const [index, [socket, sending]] of looked.entries()) {
      const before = sent[index] as number;
      // The two figures belong together only if nothing was written in the meantime.
      if (!sockets.has(socket) || socket.bytesWritten - socket.writableLength !== before) continue;
      look(socket, sending, before, queues.get(sending.connection ?? ''));
    }
  }

  /** Delays the closing of a socket, for whatever reason, until its send queue is empty: the system would keep what is in it. */
  function closeOnceSent(server: Server, socket: Socket, sending: Sending) {
    const destroy = socket._destroy;
    socket._destroy = (error, callback) => {
      const close = () => {
        sockets.delete(socket);
        destroy.call(socket, error, callback);
      };
      const waits = sockets.has(socket) && process.platform === 'linux' && mayHold(socket, sending);
      if (!waits || !server.listening) return close();
      sending.close = close;
      socket.pause(); // no further requests
    };
  }

  function bound(server: Server): Server {
    server.maxConnections = most;
    server.on('drop', () => (refused += 1));
    server.on('timeout', onTimeout);
    server.on('connection', (socket: Socket) => {
      const sending = { connection: connectionOf(socket), emptyAt: 0, since: 0 };
      sockets.set(socket, sending);
      closeOnceSent(server, socket, sending);
      socket.on('close', () => sockets.delete(socket));
    });
    let timer: NodeJS.Timeout | undefined;
    let sweeping = false;
    const sweepOnce = async () => {
      if (sweeping) return;
      sweeping = true;
      await sweep(server).finally(() => (sweeping = false));
    };
    server.on(
      'listening',
      () => (timer = setInterval(sweepOnce, Math.min(SWEEP_MS, sendTimeoutMs / 4)).unref()),
    );
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
