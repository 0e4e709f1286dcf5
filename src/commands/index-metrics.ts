import type { Settings } from '../config/index.ts';
import type { IndexStatus } from '../indexer/status.ts';

export async function serveIndexMetrics(settings: Settings, status: IndexStatus) {
  const { METRICS_PORT, HOST } = settings;
  if (METRICS_PORT === undefined) return undefined;
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const { metricsServer } = await import('../http/metrics/server.ts');
  const { registerIndexMetrics } = await import('../indexer/metrics.ts');
  const { listenError } = await import('../gateway/listen-error.ts');
  const { makeLog } = await import('../diagnostics/log.ts');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerIndexMetrics(registry, status);
  const metrics = {
    observe: () => undefined,
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
  const app = metricsServer(metrics, makeLog(settings));
  await app.listen({ port: METRICS_PORT, host: HOST }).catch((error) => {
    throw listenError(error, settings, 'METRICS_PORT');
  });
  return app;
}
