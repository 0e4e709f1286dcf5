import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { ServerOptions as HttpOptions, IncomingMessage, RequestListener, Server } from 'node:http';
import compress from '@fastify/compress';
import cors from '@fastify/cors';
import underPressure from '@fastify/under-pressure';
import { parse as parseContentType } from 'content-type';
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
import type { Settings } from '../config/index.ts';
import { contextMaker } from '../context.ts';
import type { Revisions } from '../db/changes/revisions.ts';
import type { Pool } from '../db/pool.ts';
import type { ReplicaState } from '../db/replicas/replica.ts';
import { openSizes } from '../db/sizes.ts';
import { openStreams } from '../graphql/live/streams.ts';
import { trustedDocuments } from '../graphql/run/trusted-documents.ts';
import type { IndexStatus } from '../indexer/status.ts';
import { badInput, Refusal, unavailable, unknownPath } from '../kernel/refusal.ts';
import { deprecated } from '../kernel/route.ts';
import { tracer } from '../kernel/tracing.ts';
import { version } from '../kernel/version.ts';
import { routes } from '../resources/index.ts';
import { admitRequests } from './admission.ts';
import { answerCache } from './cache/answer-cache.ts';
import { serveGraphql } from './graphql.ts';
import { concurrencyLimit } from './limits/concurrency-limit.ts';
import { boundedServers } from './limits/connections.ts';
import { type Readiness, serveHealth } from './metrics/health.ts';
import { openMetrics } from './metrics/index.ts';
import { metricsServer, serveBeside, serveMetrics } from './metrics/server.ts';
import { builtExplorer } from './pages/explorer.ts';
import { servePages } from './pages/html-pages.ts';
import { type ExchangeCode, servePageToken } from './pages/page-token.ts';
import { recordResponses, replayCached } from './replay.ts';
import { isEventStream, onAnswered } from './request/answered.ts';
import { basePathOf, belowBase, wasShortened } from './request/base.ts';
import { sendClientError } from './request/client-errors.ts';
import { boundedZlib, MAX_BODY } from './request/decompress.ts';
import { sendError } from './request/errors.ts';
import { refusalOf } from './request/methods.ts';
import { networkHeader as readerOfNetwork } from './request/network-header.ts';
import { privateHeaders, securityHeaders } from './request/security-headers.ts';
import { traceRequests } from './request/tracing.ts';
import { openApiDocument } from './rest/openapi.ts';
import { serveRoute } from './rest/rest.ts';
import { successorLink } from './rest/whole-list.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Path of the replacement of a deprecated path. */
    successor?: string;
    /** The handler parses the JSON body. */
    bodyAsText?: true;
  }
}

export type ServerOptions = {
  settings: Settings;
  log: Logger;
  pool: Pool;
  primary: Pool;
  tokens: TokenDirectory;
  meter: Meter;
  revisions: Revisions;
  readiness: () => Promise<Readiness>;
  replicas?: (() => ReplicaState[]) | undefined;
  index?: IndexStatus | undefined;
  /** Folder of the embedded database. */
  dataDir?: string | undefined;
  /** If undefined, every code is refused. */
  exchangeCode?: ExchangeCode | undefined;
  /** With a larger delay, data requests get 503. */
  maxEventLoopDelayMs?: number;
  requestTimeoutMs?: number;
};

/**
 * An account's limit of concurrent requests is this, or 2 × DATABASE_POOL if that is more. A higher limit does not speed up
 * responses.
 */
const MIN_CONCURRENT_REQUESTS = 32;

const SANE_ID = /^[\w.:-]{1,128}$/;
const requestId = ({ headers }: Pick<IncomingMessage, 'headers'>): string => {
  const given = headers['x-request-id'];
  // Ids are logged, so they must contain no token.
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
  const cache = settings.CACHE ? answerCache(revisions, settings.CACHE_MB * 1_000_000) : undefined;
  const gate = concurrencyLimit(
    Math.max(MIN_CONCURRENT_REQUESTS, 2 * settings.DATABASE_POOL),
    settings.WAIT_TIMEOUT_MS,
  );
  const sizes = await openSizes(pool, log);
  const networkHeader = readerOfNetwork(settings.NETWORK_HEADERS);
  const servers = boundedServers(settings.MAX_CONNECTIONS, settings.SEND_TIMEOUT_MS);
  const streams = openStreams({ revisions, tokens, now: meter.now, most: settings.MAX_STREAMS });
  const metrics = openMetrics({
    ...{ pool, primary: options.primary, log, tiers: meter.tiers, revisions, cache },
    readiness: options.readiness,
    streams: streams.counts,
    waiting: gate.waiting,
    redisUp: meter.redisUp,
    unreadHeaders: networkHeader.unread,
    replicas: options.replicas,
    connections: servers.connections,
    index: options.index,
    dataDir: options.dataDir,
  });
  const replay =
    cache &&
    replayCached({
      ...{ cache, tokens, meter, networkHeader, requestId, metrics, log },
      publicUrl: settings.PUBLIC_URL,
      trustsProxy: settings.TRUST_PROXY !== undefined,
    });
  const enter = belowBase(settings);
  const app = makeApp(options, (bounds, serve) =>
    servers.make(bounds, enter(replay ? replay(serve) : serve)),
  );
  if (tracer)
    traceRequests(app, tracer, ({ authorization }) => tokens.find(authorization, meter.now()) !== undefined);
  onAnswered(app, (request, reply, status) => {
    const route = request.routeOptions.url ?? 'none';
    const { method, caller } = request;
    const of = request.log as unknown as Logger;
    const { account, tokenName, tokenId } = caller ?? {};
    const units = request.metering?.spent;
    const answered = {
      ...{ route, method, status, ms: reply.elapsedTime },
      ...{ account, tokenName, tokenId, units },
    };
    // The duration of a stream depends on the client, so streams are not measured.
    if (isEventStream(reply)) of.info(answered, 'stream closed');
    else metrics.observe(answered, of);
  });
  await addForAll(app, options);
  app.addHook('onResponse', (request, _reply, done) => {
    gate.leave(request);
    done();
  });
  app.addHook('preClose', streams.drain);
  app.addHook('onClose', async () => {
    gate.stop();
    sizes.stop();
  });

  const hasSample = () => [...revisions.current.values()].some(({ isSample }) => isSample);
  const explorer = settings.EXPLORER ? builtExplorer(settings, hasSample) : undefined;
  const { EXPLORER_TITLE: title, EXPLORER_COLORS: colors } = settings;
  const frame = { title, colors, hasExplorer: explorer !== undefined };
  const served = {
    networkHeaders: settings.NETWORK_HEADERS,
    networkHeader,
    publicUrl: settings.PUBLIC_URL,
    makeContext: contextMaker({
      ...{ pool, primary: options.primary, revisions, log },
      sizes,
      now: meter.now,
    }),
    cache,
    trusted: trustedDocuments(settings, explorer?.documents),
    streams,
  };
  serveHealth(app, options.readiness);
  if (settings.METRICS_PORT === undefined) serveMetrics(app, metrics);
  else serveBeside(app, metricsServer(metrics, log), settings.METRICS_PORT, settings.HOST);
  const openApiAt = (path: string) =>
    openApiDocument(routes, settings.NETWORK_HEADERS[0] as string, version, path);
  servePages(app, openApiAt, { explorer, frame, metrics: settings.METRICS_PORT === undefined });
  servePageToken(app, options.exchangeCode);
  await app.register(async (metered) => {
    if (cache) recordResponses(metered, cache);
    admitRequests(metered, { tokens, meter, gate, networkHeader, frame });
    for (const route of routes) serveRoute(metered, route, served);
    await metered.register(async (scope) => serveGraphql(scope, served));
  });
  return app;
}

const PRIVATE_PATH = /^(https?:\/\/[^/]*)?\/(v\d+|graphql)([/?]|$)/i;

const needsToken = ({ routeOptions, url }: FastifyRequest): boolean =>
  PRIVATE_PATH.test(routeOptions.url ?? '') || PRIVATE_PATH.test(url);

function commonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(securityHeaders).header('x-request-id', request.id);
  if (needsToken(request)) reply.headers(privateHeaders);
}

const absentOf = ({ METRICS_PORT }: Settings) => (METRICS_PORT === undefined ? undefined : '/metrics');

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
    requireHostHeader: false, // `connections.ts` refuses with a body
  };
  return Fastify({
    serverFactory: (serve) => make(bounds, serve),
    loggerInstance: log as never,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    trustProxy: settings.TRUST_PROXY ?? false,
    bodyLimit: MAX_BODY,
    return503OnClosing: false, // serves requests while draining; only /ready fails
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
    frameworkErrors: ((error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      commonHeaders(request, reply); // Fastify runs no hooks for framework errors
      return sendError(error, request, reply);
    }) as never,
    clientErrorHandler: (error, socket) => sendClientError(error, socket, absentOf(settings)),
  }) as unknown as FastifyInstance;
}

/** Accepts only UTF-8 (RFC 8259). */
function acceptJson(app: FastifyInstance): void {
  app.removeContentTypeParser(['text/plain', 'application/json']);
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const { charset } = parseContentType(request.headers['content-type'] ?? '').parameters;
    if (charset !== undefined && !/^utf-?8$/i.test(charset))
      return done(new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The charset is not accepted; send UTF-8.'));
    if (!isUtf8(body as Buffer))
      return done(badInput([{ loc: ['body'], msg: 'The body is not UTF-8 text.', type: 'value_error' }]));
    const text = body.toString();
    if (request.routeOptions.config.bodyAsText) done(null, text);
    // Some clients send a content type with an empty DELETE.
    else if (request.method === 'DELETE' && text === '') done(null);
    else parseJson(request, text, done);
  });
}

async function addForAll(app: FastifyInstance, { settings, maxEventLoopDelayMs }: ServerOptions) {
  app.setErrorHandler(sendError);
  acceptJson(app);
  app.addHook('onRequest', (request, reply, done) => {
    commonHeaders(request, reply);
    const { successor } = request.routeOptions.config;
    if (successor) reply.headers({ ...deprecated(), link: successorLink(basePathOf(request) + successor) });
    // The CORS plugin handles only preflights.
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
    const { headers } = request.raw;
    const coding = headers['content-encoding'];
    if (coding) headers['content-encoding'] = coding.toLowerCase(); // @fastify/compress compares letters
    // A proxy rule that keeps /metrics internal would not match it with the gateway's path before it.
    if (request.routeOptions.url === '/metrics' && wasShortened(request)) done(unknownPath());
    else done(request.is404 ? refusalOf(request, absentOf(settings)) : undefined); // before the body is read
  });
  await app.register(compress, {
    threshold: 1024,
    encodings: ['br', 'gzip'],
    requestEncodings: ['gzip', 'br', 'deflate', 'identity'],
    zlib: boundedZlib,
  });
  const maxEventLoopDelay = maxEventLoopDelayMs ?? 3_000;
  await app.register(underPressure, {
    maxEventLoopDelay,
    // The plugin reports a turn as long as this interval as infinite.
    sampleInterval: maxEventLoopDelay,
    pressureHandler: (request, _reply, _type, delayMs) => {
      if (!needsToken(request)) return;
      throw unavailable(undefined, new Error(`The event loop was blocked (${delayMs} ms).`));
    },
  });
}
