import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import compress from '@fastify/compress';
import cors from '@fastify/cors';
import underPressure from '@fastify/under-pressure';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import type { TokenDirectory } from '../accounts/directory.ts';
import type { Meter } from '../accounts/meter.ts';
import { TOKEN_IN_TEXT } from '../accounts/token-format.ts';
import type { Settings } from '../config.ts';
import { type Pool, primaryOf } from '../db/pool.ts';
import type { Revisions } from '../db/revisions.ts';
import { notFound, Refusal, unavailable } from '../kernel/refusal.ts';
import { routes } from '../resources/index.ts';
import { version } from '../version.ts';
import { learnSent, repeatKept } from './again.ts';
import { answerCache } from './answers.ts';
import { contextMaker } from './context.ts';
import { sendError } from './errors.ts';
import { makeGate } from './gate.ts';
import { serveGraphql } from './graphql.ts';
import { type Readiness, serveHealth } from './health.ts';
import { takeJson } from './json-body.ts';
import { meterRequests } from './metering.ts';
import { type Answered, openMetrics } from './metrics.ts';
import { openApiDocument } from './openapi.ts';
import { servePages } from './pages.ts';
import { serveRoute } from './rest.ts';
import { securityHeaders } from './security-headers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of every answer of the path, also of refusals. */
    headers?: Record<string, string>;
  }
}

export type ServerOptions = {
  settings: Settings;
  log: Logger;
  pool: Pool;
  /** May write; never a replica. */
  primary: Pool;
  tokens: TokenDirectory;
  meter: Meter;
  revisions: Revisions;
  readiness: () => Promise<Readiness>;
  /** Prefilled in GraphiQL for a browser on this machine; only ever that of the embedded database. */
  developmentToken?: string | undefined;
  now?: () => Date;
  /** How long the event loop may lag behind before data requests are answered with 503. */
  maxEventLoopDelayMs?: number;
  /** How long a request may take to come; after that it is answered with 408. */
  requestTimeoutMs?: number;
};

/** Requests that work at once at the least; more would not be answered sooner by a process of one thread. */
const LEAST_AT_WORK = 32;

/** What is answered where no request came to be, by Node's code of the fault. */
const unparsed = new Map([
  ['HPE_HEADER_OVERFLOW', ['413 Content Too Large', 'The request is larger than is taken.']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'The request took too long to come.']],
]);

const SANE_ID = /^[\w.:-]{1,128}$/;
const requestId = ({ headers }: Pick<IncomingMessage, 'headers'>): string => {
  const given = headers['x-request-id'];
  // Ids are logged, and a token is not.
  const isSane = typeof given === 'string' && SANE_ID.test(given) && !TOKEN_IN_TEXT.test(given);
  return isSane ? given : randomUUID();
};
const needsToken = (path: string) => /^\/(v\d+|graphql)(\/|$)/.test(path);

/** The gateway's HTTP server, ready to listen. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { settings, log, pool, tokens, meter } = options;
  const now = options.now ?? (() => new Date());
  const cache = settings.CACHE ? answerCache(options.revisions, settings.CACHE_MB * 1_000_000) : undefined;
  const gate = makeGate(Math.max(LEAST_AT_WORK, 2 * settings.DATABASE_POOL));
  const metrics = openMetrics({ pool, waiting: gate.waiting, redisUp: meter.redisUp, cache });
  const tell = (answered: Answered, of: Logger, bindings?: { reqId: string }) => {
    metrics.observe(answered);
    if (!of.isLevelEnabled('info')) return;
    of.info({ ...bindings, ...answered, ms: Math.round(answered.ms * 10) / 10 }, 'answered');
  };
  const repeat =
    cache &&
    repeatKept({
      ...{ cache, tokens, meter, now, requestId, tell, log },
      networkHeaders: settings.NETWORK_HEADERS,
      publicUrl: settings.PUBLIC_URL,
      trustsProxy: settings.TRUST_PROXY !== undefined,
    });
  const app = Fastify({
    serverFactory: (serve) => {
      const requestTimeout = options.requestTimeoutMs ?? 30_000;
      const timeouts = { requestTimeout, headersTimeout: requestTimeout, keepAliveTimeout: 72_000 };
      const bounds = { maxHeaderSize: 16_384, ...timeouts, connectionsCheckingInterval: requestTimeout / 10 };
      return createServer(bounds, repeat ? repeat(serve) : serve);
    },
    loggerInstance: log as never,
    logController: new LogController({ disableRequestLogging: true }), // one line below, with the route's pattern
    genReqId: requestId,
    trustProxy: settings.TRUST_PROXY ?? false,
    bodyLimit: 256 * 1024,
    return503OnClosing: false, // readiness tells; requests that still come are answered while draining
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
    frameworkErrors: ((error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      sendError(error, request, reply.header('x-request-id', request.id))) as never, // no hook runs for these
    clientErrorHandler(error, socket) {
      if (!socket.writable) return socket.destroy();
      const { code = '' } = error as NodeJS.ErrnoException;
      const [status, detail] = unparsed.get(code) ?? ['400 Bad Request', 'Bad request.'];
      const body = JSON.stringify({ detail });
      socket.end(
        `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${randomUUID()}\r\n` +
          `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      );
      // Read on for a moment, or the caller may lose the answer; but not for ever, or closing waits for the caller.
      socket.resume();
      setTimeout(() => socket.destroy(), 1_000).unref();
    },
  }) as unknown as FastifyInstance;

  app.setErrorHandler(sendError);
  app.removeContentTypeParser('text/plain');
  // Clients that name a content type on everything send a DELETE with an empty body of it.
  const parseJson = app.getDefaultJsonParser('error', 'error');
  takeJson(app, (request, text, done) =>
    request.method === 'DELETE' && text === '' ? done(null) : parseJson(request, text, done),
  );
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders).header('x-request-id', request.id);
    const { headers } = request.routeOptions.config;
    if (headers) reply.headers(headers);
    // Only a preflight is for CORS to answer; other OPTIONS are a method like any other.
    const { origin, 'access-control-request-method': method } = request.headers;
    done(request.method === 'OPTIONS' && !(origin && method) ? refusalOf(request) : undefined);
  });
  await app.register(cors, {
    origin: settings.CORS_ORIGINS.includes('*') ? '*' : settings.CORS_ORIGINS,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: [
      'Idempotency-Replayed',
      'X-Request-Id',
      'X-Service-Compute-Units',
      'Deprecation',
      'ETag',
      'Link',
      'Retry-After',
      'RateLimit',
      'RateLimit-Policy',
    ],
    maxAge: 600,
  });
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.is404 ? refusalOf(request) : undefined); // before the body is read: it cannot matter
  });
  await app.register(compress, { threshold: 1024, encodings: ['br', 'gzip'] });
  await app.register(underPressure, {
    maxEventLoopDelay: options.maxEventLoopDelayMs ?? 3_000,
    pressureHandler: (request) => {
      if (needsToken(request.url)) throw unavailable();
    },
  });

  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    const { method, log: of } = request;
    tell({ route, method, status: reply.statusCode, ms: reply.elapsedTime }, of as unknown as Logger);
    done();
  });

  const primary = primaryOf(options.primary);
  const served = {
    networkHeaders: settings.NETWORK_HEADERS,
    publicUrl: settings.PUBLIC_URL,
    makeContext: contextMaker({ pool, primary, meter, revisions: options.revisions, now, log }),
    cache,
  };

  serveHealth(app, { readiness: options.readiness, metrics });
  servePages(app, openApiDocument(routes, settings.NETWORK_HEADERS[0] as string, version));
  await app.register(async (metered) => {
    gate.guard(metered);
    learnSent(metered);
    meterRequests(metered, { tokens, meter, now, developmentToken: options.developmentToken });
    for (const route of routes) serveRoute(metered, route, served);
    await metered.register(async (scope) => serveGraphql(scope, served));
  });
  return app;
}

/** What each path takes: the methods of its routes. */
function allowed(): Map<string, string> {
  const found = new Map(
    ['/', '/docs', '/openapi.json', '/health', '/ready', '/metrics'].map((path) => [path, 'GET, HEAD']),
  );
  for (const { path, method = 'GET' } of routes) {
    const own = method === 'GET' ? 'GET, HEAD' : method;
    const known = found.get(path);
    found.set(path, known ? `${known}, ${own}` : own);
  }
  return found.set('/graphql', 'GET, POST');
}
const known = [...allowed()].map(([path, allow]) => ({
  pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`),
  allow,
}));

/** 405 with `Allow` for a known path asked with another method, else 404. Neither needs a token. */
function refusalOf(request: FastifyRequest): Refusal {
  const path = request.url.split('?', 1)[0] as string;
  const match = known.find(({ pattern }) => pattern.test(path));
  if (!match) return notFound();
  return new Refusal('METHOD_NOT_ALLOWED', `${request.method} is not served here; use ${match.allow}.`, {
    headers: { allow: match.allow },
  });
}
