export type Attributes = Record<string, string | number | boolean>;

/** A span of OpenTelemetry. */
export type Span = {
  /** Fields of log lines. */
  ids: { trace_id: string; span_id: string };
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** `error` must contain no values of callers. */
  end(error?: string): void;
};

export type Tracer = {
  /**
   * Begins the span of a request. Only a caller with a token is `known`: the span is then a child of its `traceparent`,
   * which may decide whether the trace is kept. Otherwise it is the first one of a trace.
   */
  request(headers: Record<string, string | string[] | undefined>, name: string, known: boolean): Span;
  /** The span in which this code runs. */
  active(): Span | undefined;
  /** No span begins within `work`. */
  untraced<T>(work: () => T): T;
  within<T>(span: Span | undefined, work: () => T): T;
  /** Runs `work` in a child of the first parent, or of the active span. Other parents become links. */
  span<T>(
    name: string,
    attributes: Attributes,
    work: (span: Span) => Promise<T>,
    parents?: readonly (Span | undefined)[],
  ): Promise<T>;
  /** The span of a request to another service. `headers` are those that continue the trace there. */
  outgoing<T>(
    method: string,
    attributes: Attributes,
    work: (headers: Readonly<Record<string, string>>, span: Span) => Promise<T>,
  ): Promise<T>;
  /** A child of the active span with the statement's name, but no text or values. */
  statement<T>(text: string, work: () => Promise<T>): Promise<T>;
  /** A span without duration. */
  mark(name: string, attributes: Attributes): void;
};

export let tracer: Tracer | undefined;

/** Call it before pools and servers are made. */
export const setTracer = (made: Tracer | undefined): void => {
  tracer = made;
};

/** A child of the active span, or else the first span of a trace. */
export const traced = <T>(
  name: string,
  attributes: Attributes,
  work: (span?: Span) => Promise<T>,
): Promise<T> => (tracer ? tracer.span(name, attributes, work) : work());

/** For work that may outlast the active span. */
export const outsideSpans = <T>(work: () => T): T => (tracer ? tracer.within(undefined, work) : work());

/** The first span of a trace, whatever span is active. */
export const tracedAlone = <T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> =>
  outsideSpans(() => traced(name, attributes, work));

const noHeaders = {};

/** `path` must contain no key or token. */
export const requesting = <T>(
  { method = 'GET', server, path }: { method?: string; server: string; path: string },
  work: (headers: Readonly<Record<string, string>>, span?: Span) => Promise<T>,
): Promise<T> =>
  tracer
    ? tracer.outgoing(
        method,
        { 'http.request.method': method, 'server.address': server, 'url.path': path },
        work,
      )
    : work(noHeaders);
