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
  /** Begins the span of a request, as a child of the caller's `traceparent`. */
  request(headers: Record<string, string | string[] | undefined>, name: string): Span;
  /** The span in which this code runs. */
  active(): Span | undefined;
  within<T>(span: Span | undefined, work: () => T): T;
  /** Runs `work` in a child of the first parent, or of the active span. Other parents become links. */
  span<T>(
    name: string,
    attributes: Attributes,
    work: (span: Span) => Promise<T>,
    parents?: readonly (Span | undefined)[],
  ): Promise<T>;
  /** A span for a statement of SQL. It has the name of the statement, and neither text nor values. */
  statement<T>(text: string, work: () => Promise<T>): Promise<T>;
  /** A span without duration. */
  mark(name: string, attributes: Attributes): void;
};

/** Undefined unless the settings name an OTLP endpoint. */
export let tracer: Tracer | undefined;

/** Call it before pools and servers are made. */
export const setTracer = (made: Tracer | undefined): void => {
  tracer = made;
};
