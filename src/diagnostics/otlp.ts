import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Span as ApiSpan,
  type Context,
  DiagLogLevel,
  defaultTextMapGetter,
  defaultTextMapSetter,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import {
  parseKeyPairsIntoRecord,
  setGlobalErrorHandler,
  suppressTracing,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { withoutTokens } from '../accounts/token-format.ts';
import type { Settings } from '../config/index.ts';
import { type Attributes, type Span, setTracer, type Tracer } from '../kernel/tracing.ts';
import { version } from '../kernel/version.ts';

const SHUTDOWN_MS = 5_000;

type Options = {
  warn: (reason: string) => void;
  /** Time limit for each export and for the last one, which is otherwise repeated for 10 s. */
  exportMs?: number;
};

function samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Settings): Sampler {
  const root = name.endsWith('always_on')
    ? new AlwaysOnSampler()
    : name.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

async function exporterOf(settings: Settings, url: string, timeoutMillis: number | undefined) {
  const { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: own, OTEL_EXPORTER_OTLP_PROTOCOL: common } = settings;
  const { OTLPTraceExporter } =
    (own ?? common) === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  const headers = {
    ...parseKeyPairsIntoRecord(settings.OTEL_EXPORTER_OTLP_HEADERS),
    ...parseKeyPairsIntoRecord(settings.OTEL_EXPORTER_OTLP_TRACES_HEADERS),
  };
  return new OTLPTraceExporter({ url, headers, ...(timeoutMillis && { timeoutMillis }) });
}

function urlOf(settings: Settings): string {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own, OTEL_EXPORTER_OTLP_ENDPOINT: base = '' } = settings;
  return own ?? `${base.replace(/\/+$/, '')}/v1/traces`;
}

/** Returns a function that sends the remaining spans and stops. */
export async function startTracing(
  settings: Settings,
  { warn, exportMs }: Options,
): Promise<() => Promise<void>> {
  const url = urlOf(settings);
  const tell = (error: unknown) => {
    const { code, message } = error as { code?: number | string; message?: string };
    const reason = typeof code === 'number' ? `${code} ${message}` : message || code;
    warn(`traces could not be sent to ${new URL(url).host}: ${reason}`); // the path may hold a key
  };
  setGlobalErrorHandler(tell);
  diag.setLogger(
    {
      error: warn,
      warn: () => undefined,
      info: () => undefined,
      debug: () => undefined,
      verbose: () => undefined,
    },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
  const { OTEL_SERVICE_NAME: name } = settings;
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'stakegraph', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes(name === undefined ? {} : { 'service.name': name })),
    sampler: samplerOf(settings),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: await exporterOf(settings, url, exportMs),
        scheduledDelayMillis: settings.OTEL_BSP_SCHEDULE_DELAY,
      }),
    ],
  });
  setTracer(tracerOf(provider));
  return async () => {
    setTracer(undefined);
    const limit = exportMs ?? SHUTDOWN_MS;
    const late = new Promise<void>((_done, fail) => {
      setTimeout(() => fail(new Error(`no response within ${limit} ms`)), limit + 100).unref();
    });
    await Promise.race([provider.shutdown(), late]).catch(tell);
  };
}

type Own = Span & { context: Context; api: ApiSpan };

function spanOf(api: ApiSpan, parent = ROOT_CONTEXT): Own {
  const { traceId, spanId } = api.spanContext();
  return {
    api,
    context: trace.setSpan(parent, api),
    ids: { trace_id: traceId, span_id: spanId },
    rename: (name) => void api.updateName(name),
    set: (attributes) => void api.setAttributes(attributes),
    end(error) {
      if (error !== undefined) {
        api.setAttribute('error.type', error);
        api.setStatus({ code: SpanStatusCode.ERROR });
      }
      api.end();
    },
  };
}

/** Messages may quote values. */
const typeOf = (error: unknown): string => {
  const { code, reason, name } = error as { code?: unknown; reason?: unknown; name?: unknown };
  return String(code ?? reason ?? name ?? 'Error');
};

function tracerOf(provider: TracerProvider): Tracer {
  const tracer = provider.getTracer('stakegraph', version);
  const propagator = new W3CTraceContextPropagator();
  const running = new AsyncLocalStorage<Own | undefined>();

  const begin = (
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    parents: readonly (Own | undefined)[] = [],
  ) => {
    const [parent = running.getStore(), ...others] = parents;
    const links = others.flatMap((other) => (other ? [{ context: other.api.spanContext() }] : []));
    const { context = ROOT_CONTEXT } = parent ?? {};
    return spanOf(tracer.startSpan(name, { kind, attributes, links }, context), context);
  };

  async function timed<T>(span: Own, work: (span: Span) => Promise<T>): Promise<T> {
    try {
      const value = await running.run(span, work, span);
      span.end();
      return value;
    } catch (error) {
      span.end(typeOf(error));
      throw error;
    }
  }

  return {
    request(headers, name, known) {
      if (!known) return spanOf(tracer.startSpan(name, { kind: SpanKind.SERVER }, ROOT_CONTEXT));
      const { traceparent, tracestate } = headers;
      const given = { traceparent, tracestate: tracestate && withoutTokens(String(tracestate)) };
      const parent = propagator.extract(ROOT_CONTEXT, given, defaultTextMapGetter);
      return spanOf(tracer.startSpan(name, { kind: SpanKind.SERVER }, parent));
    },
    active: () => running.getStore(),
    untraced(work) {
      const context = suppressTracing(ROOT_CONTEXT);
      return running.run(spanOf(tracer.startSpan('untraced', {}, context), context), work);
    },
    within: (span, work) => running.run(span as Own | undefined, work),
    span: (name, attributes, work, parents) =>
      timed(begin(name, SpanKind.INTERNAL, attributes, parents as Own[]), work),
    outgoing(method, attributes, work) {
      const span = begin(method, SpanKind.CLIENT, attributes);
      const headers = {};
      propagator.inject(span.context, headers, defaultTextMapSetter);
      return timed(span, () => work(headers, span));
    },
    statement(text, work) {
      const [, comment, word] = /^\s*(?:\/\* (\w+) \*\/|(\w+)$)/.exec(text) ?? [];
      const name = comment ?? word ?? 'statement';
      return timed(begin(name, SpanKind.CLIENT, { 'db.system.name': 'postgresql' }), work);
    },
    mark: (name, attributes) => begin(name, SpanKind.INTERNAL, attributes).end(),
  };
}
