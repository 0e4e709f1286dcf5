import type { z } from 'zod';
import type { Fault } from './refusal.ts';

/** The call as it came in, for answers that link to themselves. */
export type Call = {
  /** The path alone: `/v0/eth/operators`. */
  path: string;
  /** Scheme, public host and path, without the query. */
  url: string;
  /** The query as it was received, without the question mark; '' when there is none. */
  query: string;
};

/** The header of a POST that may be tried again (draft-ietf-httpapi-idempotency-key-header). */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * One documented REST path. Registering, checking, documenting and metering all read this value, so a path cannot be
 * served without being documented, nor documented without being served.
 */
export type Route<Context> = {
  /** GET when absent, which HEAD is served with. */
  method?: Method;
  /** Fastify's form: `/v0/eth/operators/:operator_id/summary`. */
  path: string;
  operationId: string;
  /** Its line in the table of compute units, where paths share one; the `operationId` when absent. */
  units?: string;
  tag: string;
  summary: string;
  description: string;
  params: z.ZodObject;
  query: z.ZodObject;
  /** What is wrong with values of the query that do not go together; one that is wrong by itself is undefined here. */
  crossFieldFaults?(query: never): Fault[];
  /** The JSON body that it takes; it is refused whole for any fault. */
  body?: z.ZodObject;
  /** Status of its answer, 200 when absent; 204 has no body. */
  status?: 200 | 201 | 204;
  reply: z.ZodType;
  /** A body to try, where it takes one. */
  exampleBody?: unknown;
  /** A path to try, for the reference page and the tests. */
  example: string;
  /** False where the network header (spec §4.1) is not looked at: outside Ethereum. */
  networkHeader?: boolean;
  /** The path that takes this one's place: this one answers with `Deprecation` and a `Link` to it (spec §9). */
  successor?: string;
  handle(context: Context, input: never, call: Call): Promise<Reply>;
};

type Reply = { body: unknown; headers?: Record<string, string> };

/** What a route's own schemas type. */
type Typed = 'params' | 'query' | 'crossFieldFaults' | 'body' | 'reply' | 'exampleBody' | 'handle';

/** Types the handler's input by the schemas beside it. */
export const route = <
  Context,
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodType,
  J extends z.ZodObject = z.ZodObject,
>(
  definition: Omit<Route<Context>, Typed> & {
    params: P;
    query: Q;
    crossFieldFaults?(query: Partial<z.output<Q>>): Fault[];
    body?: J;
    reply: B;
    exampleBody?: z.input<J>;
    handle(
      context: Context,
      input: { params: z.output<P>; query: z.output<Q>; body: z.output<J> },
      call: Call,
    ): Promise<{ body: z.input<B>; headers?: Record<string, string> }>;
  },
): Route<Context> => definition as unknown as Route<Context>;

/** A relative URL with these parameters, null ones left out. */
export function relativeUrl(path: string, query: Record<string, string | number | null | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value != null) search.set(name, String(value));
  return `${path}?${search}`;
}

/** When this service began to mark its deprecated parts (RFC 9745). */
const DEPRECATED_SINCE = Date.UTC(2026, 10, 21) / 1000;

/** The headers of an answer that used something deprecated. */
export const deprecated = (): Record<string, string> => ({ deprecation: `@${DEPRECATED_SINCE}` });
