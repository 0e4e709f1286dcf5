import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readSettings } from '../../src/config/index.ts';
import { startTracing } from '../../src/diagnostics/otlp.ts';

export type Exported = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Record<string, unknown> }[];
};

/** A span's name, followed by the same of each span below it. */
export type Tree = [name: string, ...below: Tree[]];

/** Receives OTLP as JSON. */
export async function startCollector() {
  const spans: Exported[] = [];
  const bodies: string[] = [];
  const resources: unknown[] = [];
  const keys: unknown[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    keys.push(request.headers['api-key']);
    bodies.push(`${request.method} ${request.url} ${text}`);
    for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) {
      resources.push(resource);
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  /** Settings of a process that sends its spans here. */
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '20',
  };
  return {
    ...{ spans, bodies, resources, keys, env },
    /** Traces this process. Returns what stops it. */
    trace: (more: Record<string, string> = {}) =>
      startTracing(readSettings({ ...env, ...more }), {
        warn(reason) {
          throw new Error(reason);
        },
      }),
    /** Root spans of this name. */
    roots: (name: string) => spans.filter((span) => span.name === name && !span.parentSpanId),
    treeOf(root: Exported): Tree {
      const own = spans.filter(({ traceId }) => traceId === root.traceId);
      const below = (of: Exported): Tree => [
        of.name,
        ...own.filter(({ parentSpanId }) => parentSpanId === of.spanId).map(below),
      ];
      return below(root);
    },
    close: () => void server.close(),
  };
}
export type Collector = Awaited<ReturnType<typeof startCollector>>;

export const attributesOf = ({ attributes }: Exported): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
