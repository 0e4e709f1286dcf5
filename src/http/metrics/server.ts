import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { unknownPath } from '../../kernel/refusal.ts';
import { sendError } from '../request/errors.ts';
import { methodNotAllowed } from '../request/methods.ts';
import { securityHeaders } from '../request/security-headers.ts';
import type { Metrics } from './index.ts';

export const serveMetrics = (app: FastifyInstance, metrics: Metrics) =>
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));

export function metricsServer(metrics: Metrics, log: Logger): FastifyInstance {
  const app = Fastify({
    loggerInstance: log as never,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    requestTimeout: 30_000,
    routerOptions: { ignoreTrailingSlash: true },
  }) as unknown as FastifyInstance;
  app.setErrorHandler(sendError);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders).header('x-request-id', request.id);
    if (!request.is404) return done();
    const isKnown = /^\/metrics\/?(\?|$)/.test(request.url);
    done(isKnown ? methodNotAllowed(request.method, 'GET, HEAD') : unknownPath());
  });
  serveMetrics(app, metrics);
  return app;
}

/** If `port` is in use, neither server starts. */
export function serveBeside(app: FastifyInstance, other: FastifyInstance, port: number, host: string): void {
  app.addHook('onReady', async () => void (await other.listen({ port, host })));
  app.addHook('onClose', () => other.close());
}
