import { randomUUID } from 'node:crypto';
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { privateHeaders, securityHeaders } from '../request/security-headers.ts';
import { connectionOf, readSendQueues } from './send-queues.ts';

const MAX_PIPELINED = 64;
const SWEEP_MS = 1_000;

export type Connections = {
  open(): number;
  refused(): number;
  unread(): number;
};

function refuse(response: ServerResponse, status: number, detail: string): void {
  const body = JSON.stringify({ detail });
  response
    .writeHead(status, {
      ...securityHeaders,
      ...privateHeaders,
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': randomUUID(),
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    })
    .end(body);
}

/**
 * Node and a proxy may read different Host headers, so there must be exactly one (RFC 9112, section 3.2). Node's own
 * refusal has no body.
 */
const withHostChecked =
  (serve: RequestListener): RequestListener =>
  (request, response) => {
    const { httpVersion, rawHeaders } = request;
    let hosts = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] as string;
      if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    }
    if (hosts > 1) refuse(response, 400, `Host is given ${hosts} times; give it once.`);
    else if (hosts === 0 && httpVersion === '1.1')
      refuse(response, 400, 'Host is missing; HTTP/1.1 needs it.');
    else serve(request, response);
  };

/** Node's own refusal has no body. */
const refuseExpectation: RequestListener = (_request, response) =>
  refuse(response, 417, 'The Expect header is not accepted; send 100-continue or none.');

/** Serves pipelined requests one by one, so that a client that reads nothing keeps only one response in memory. */
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
      process.nextTick(serve, request, response);
    });
  };

/** A slower client is reset, because it could hold many responses in memory for hours. */
const LEAST_BYTES_PER_MS = 2;

/** A connection whose send queue was empty is inspected again after sending this many bytes. */
const UNSEEN_BYTES = 65_536;

type Sending = {
  connection: string | undefined;
  /** Bytes sent when the send queue was last empty. */
  emptyAt: number;
  /** Bytes sent minus bytes queued; grows when the client reads. */
  acknowledged?: number;
  since: number;
  /** Set while closing waits for an empty send queue. */
  close?: () => void;
};

/**
 * Resets a connection whose client reads less than 2 kB a second for `sendTimeoutMs`. On Linux, bytes in the kernel's
 * send queue are unread, though Node reports them as sent. A socket closes only after that queue is empty.
 */
export function boundedServers(most: number, sendTimeoutMs: number) {
  const sockets = new Map<Socket, Sending>();
  const timed = new WeakSet<Socket>();
  const leastBytes = LEAST_BYTES_PER_MS * sendTimeoutMs;
  let refused = 0;
  let unread = 0;

  const mayHold = (socket: Socket, { emptyAt }: Sending) =>
    socket.writableLength > 0 || socket.bytesWritten - emptyAt > UNSEEN_BYTES;

  function reset(socket: Socket, sending: Sending | undefined) {
    unread += 1;
    const close = sending?.close;
    sockets.delete(socket);
    socket.resetAndDestroy(); // an orderly close would leave unread bytes in the kernel for minutes
    close?.();
  }

  function onTimeout(socket: Socket) {
    if (timed.has(socket) && socket.writableLength > 0) reset(socket, sockets.get(socket));
    else socket.destroy();
  }

  /** If the send queue cannot be read, uses Node's socket timeout, which notices partial writes. */
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
    } else if (sending.acknowledged === undefined || sent - queued >= sending.acknowledged + leastBytes) {
      sending.acknowledged = sent - queued;
      sending.since = now;
    } else if (now - sending.since >= sendTimeoutMs) reset(socket, sending);
  }

  async function sweep(server: Server) {
    if (!server.listening) for (const { close } of sockets.values()) close?.(); // a shutdown waits for no queue
    const looked = [...sockets].filter(([socket, sending]) => sending.close || mayHold(socket, sending));
    if (looked.length === 0) return;
    const sent = looked.map(([socket]) => socket.bytesWritten - socket.writableLength);
    const known = looked.flatMap(([, { connection }]) => connection ?? []);
    const queues = await readSendQueues(new Set(known));
    for (const [index, [socket, sending]] of looked.entries()) {
      const before = sent[index] as number;
      // Skips sockets that wrote while the table was read, because their byte counts do not match the table.
      if (!sockets.has(socket) || socket.bytesWritten - socket.writableLength !== before) continue;
      look(socket, sending, before, queues.get(sending.connection ?? ''));
    }
  }

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
      socket.pause();
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
      bound(createServer(options, oneAtATime(withHostChecked(serve)))).on(
        'checkExpectation',
        refuseExpectation,
      ),
    connections: {
      open: () => sockets.size,
      refused: () => refused,
      unread: () => unread,
    } satisfies Connections,
  };
}
