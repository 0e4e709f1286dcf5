import { randomUUID } from 'node:crypto';
import type { ServerOptions as HttpOptions, IncomingMessage, RequestListener, Server } from 'node:http';
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
import type { Meter } from '../accounts/meter.ts';
import type { TokenDirectory } from '../accounts/token-directory.ts';
import { TOKEN_IN_TEXT } from '../accounts/token-format.ts';
import type { Settings } from '../config.ts';
import type { Revisions } from '../db/changes/revisions.ts';
import { type Pool, primaryOf } from '../db/pool.ts';
import type { IndexStatus } from '../indexer/status.ts';
import { unavailable } from '../kernel/refusal.ts';
import { routes } from '../resources/index.ts';
import { version } from '../version.ts';
import { answerCache } from './cache/answer-cache.ts';
import { recordResponses, replayCached } from './cache/replay.ts';
import { sendClientError } from './client-errors.ts';
import { concurrencyLimit } from './concurrency-limit.ts';
import { boundedServers } from './connections.ts';
import { contextMaker } from './context.ts';
import { sendError } from './errors.ts';
import { serveGraphql } from './graphql.ts';
import { type Readiness, serveHealth } from './health.ts';
import { parseJsonAs } from './json-body.ts';
import { meterRequests } from './metering.ts';
import { refusalOf } from './methods.ts';
import { type Answered, openMetrics } from './metrics.ts';
import { metricsServer, serveMetrics } from './metrics-server.ts';
import { servePages } from './pages/html-pages.ts';
import { type ExchangeCode, servePageToken } from './pages/page-token.ts';
import { refuseExpectation, withHostChecked } from './refused-early.ts';
import { openApiDocument } from './rest/openapi.ts';
import { serveRoute } from './rest/rest.ts';
import { commonHeaders, needsToken } from './security-headers.ts';
import { unreadHeaders } from './unread-headers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Sent with all responses, refusals included. */
    headers?: Record<string, string>;
  }
}

export type ServerOptions = {
  settings: Settings;
  log: Logger;
  pool: Pool;
  /** Never a replica. */
  primary: Pool;
  tokens: TokenDirectory;
  meter: Meter;
  revisions: Revisions;
  readiness: () => Promise<Readiness>;
  replicaUp?: (() => boolean) | undefined;
  /** Of an index in the same process. */
  index?: IndexStatus | undefined;
  /** Without it every code is refused. */
  exchangeCode?: ExchangeCode | undefined;
  now?: () => Date;
  /** Above this, data requests get 503. */
  maxEventLoopDelayMs?: number;
  /** Limit for receiving a request. */
  requestTimeoutMs?: number;
};

/** With more requests, one thread answers no sooner. */
const MIN_CONCURRENT_REQUESTS = 32;

const SANE_ID = /^[\w.:-]{1,128}$/;
const requestId = ({ headers }: Pick<IncomingMessage, 'headers'>): string => {
  const given = headers['x-request-id'];
  // Ids are logged, so they must not contain tokens.
  const isSane = typeof given === 'string' && SANE_ID.test(given) && !TOKEN_IN_TEXT.test(given);
  return isSane ? given : randomUUID();
};

const exposed = [
  'Idempotency-Replayed',
  'X-Request-Id',
  'X-Service-Compute-Units',
  'Deprecation',
  'ETag',
  'Link',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
];

export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const { settings, log, pool, tokens, meter, revisions } = options;
  const now = options.now ?? (() => new Date());
  const cache = settings.CACHE ? answerCache(revisions, settings.CACHE_MB * 1_000_000) : undefined;
  const gate = concurrencyLimit(
    Math.max(MIN_CONCURRENT_REQUESTS, 2 * settings.DATABASE_POOL),
    settings.WAIT_TIMEOUT_MS,
  );
  const unread = unreadHeaders(settings.NETWORK_HEADERS);
  const servers = boundedServers(settings.MAX_CONNECTIONS, settings.SEND_TIMEOUT_MS);
  const metrics = openMetrics({
    ...{ pool, revisions, cache },
    waiting: gate.waiting,
    redisUp: meter.redisUp,
    unreadHeaders: unread.count,
    replicaUp: options.replicaUp,
    connections: servers.connections,
    index: options.index,
  });
  const logAndMeasure = (answered: Answered, of: Logger, bindings?: { reqId: string }) => {
    metrics.observe(answered);
    if (!of.isLevelEnabled('info')) return;
    of.info({ ...bindings, ...answered, ms: Math.round(answered.ms * 10) / 10 }, 'answered');
  };
  const replay =
    cache &&
    replayCached({
      ...{ cache, tokens, meter, unread, now, requestId, logAndMeasure, log },
      networkHeaders: settings.NETWORK_HEADERS,
      publicUrl: settings.PUBLIC_URL,
      trustsProxy: settings.TRUST_PROXY !== undefined,
    });
  const app = makeApp(options, (bounds, serve) =>
    servers
      .make(bounds, withHostChecked(replay ? replay(serve) : serve))
      .on('checkExpectation', refuseExpectation),
  );
  await addForAll(app, options);
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none';
    const { method, log: of } = request;
    logAndMeasure(
      { route, method, status: reply.statusCode, ms: reply.elapsedTime },
      of as unknown as Logger,
    );
    done();
  });

  const primary = primaryOf(options.primary);
  const served = {
    networkHeaders: settings.NETWORK_HEADERS,
    publicUrl: settings.PUBLIC_URL,
    makeContext: contextMaker({ pool, primary, meter, revisions, now, log }),
    cache,
  };
  serveHealth(app, options.readiness);
  if (settings.METRICS_PORT === undefined) serveMetrics(app, metrics);
  else serveBeside(app, metricsServer(metrics, log), settings.METRICS_PORT, settings.HOST);
  const openApi = openApiDocument(routes, settings.NETWORK_HEADERS[0] as string, version);
  servePages(app, openApi, settings.METRICS_PORT === undefined);
  servePageToken(app, options.exchangeCode);
  await app.register(async (metered) => {
    gate.guard(metered);
    if (cache) recordResponses(metered, cache);
    meterRequests(metered, { tokens, meter, unread, now });
    for (const route of routes) serveRoute(metered, route, served);
    await metered.register(async (scope) => serveGraphql(scope, served));
  });
  return app;
}

const absentOf = ({ METRICS_PORT }: Settings) => (METRICS_PORT === undefined ? undefined : '/metrics');

/** If the port of `other` is in use, neither server listens. */
function serveBeside(app: FastifyInstance, other: FastifyInstance, port: number, host: string): void {
  app.addHook('onReady', async () => void (await other.listen({ port, host })));
  app.addHook('onClose', () => other.close());
}

function makeApp(
  { settings, log, requestTimeoutMs: requestTimeout = 30_000 }: ServerOptions,
  make: (bounds: HttpOptions, serve: RequestListener) => Server,
): FastifyInstance {
  const bounds = {
    maxHeaderSize: 16_384,
    requestTimeout,
    headersTimeout: requestTimeout,
    keepAliveTimeout: 72_000,
    connectionsCheckingInterval: requestTimeout / 10,
    requireHostHeader: false, // `withHostChecked` refuses with a body
  };
  return Fastify({
    serverFactory: (serve) => make(bounds, serve),
    loggerInstance: log as never,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    trustProxy: settings.TRUST_PROXY ?? false,
    bodyLimit: 256 * 1024,
    return503OnClosing: false, // answers requests while draining; only /ready fails
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
    frameworkErrors: ((error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      commonHeaders(request, reply); // Fastify runs no hooks for framework errors
      return sendError(error, request, reply);
    }) as never,
    clientErrorHandler: (error, socket) => sendClientError(error, socket, absentOf(settings)),
  }) as unknown as FastifyInstance;
}

async function addForAll(app: FastifyInstance, { settings, maxEventLoopDelayMs }: ServerOptions) {
  app.setErrorHandler(sendError);
  app.removeContentTypeParser('text/plain');
  // Some clients send a content type even with an empty DELETE.
  const parseJson = app.getDefaultJsonParser('error', 'error');
  parseJsonAs(app, (request, text, done) =>
    request.method === 'DELETE' && text === '' ? done(null) : parseJson(request, text, done),
  );
  app.addHook('onRequest', (request, reply, done) => {
    commonHeaders(request, reply);
    const { headers } = request.routeOptions.config;
    if (headers) reply.headers(headers);
    // The CORS plugin answers only preflights; other OPTIONS requests are refused here.
    const { origin, 'access-control-request-method': method } = request.headers;
    done(
      request.method === 'OPTIONS' && !(origin && method)
        ? refusalOf(request, absentOf(settings))
        : undefined,
    );
  });
  await app.register(cors, {
    origin: settings.CORS_ORIGINS.includes('*') ? '*' : settings.CORS_ORIGINS,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: exposed,
    maxAge: 600,
  });
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.is404 ? refusalOf(request, absentOf(settings)) : undefined); // refused before the body is read
  });
  await app.register(compress, { threshold: 1024, encodings: ['br', 'gzip'] });
  await app.register(underPressure, {
    maxEventLoopDelay: maxEventLoopDelayMs ?? 3_000,
    pressureHandler: (request) => {
      if (needsToken(request)) throw unavailable();
    },
  });
}
