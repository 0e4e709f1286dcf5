import { z } from 'zod';
import type { Fault } from './refusal.ts';

export type Call = {
  path: string;
  url: string;
  /** As received, without the question mark. */
  query: string;
};

/** draft-ietf-httpapi-idempotency-key-header */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export type Route<Context> = {
  method?: Method;
  /** Fastify's form: `/v0/eth/operators/:operator_id/summary`. */
  path: string;
  operationId: string;
  /** Key in `computeUnits`; default `operationId`. */
  units?: string;
  tag: string;
  summary: string;
  description: string;
  params: z.ZodObject;
  query: z.ZodObject;
  /** Rows that are read besides those that are returned. */
  reads?(context: Context, input: never): number;
  /** The most that may be read, for the estimate alone: the handler reports what was read (`Metering.read`). */
  mayRead?(context: Context, input: never): number;
  /** In `query`, invalid parameters are undefined. */
  crossFieldFaults?(query: never): Fault[];
  body?: z.ZodObject;
  /** Default 200; 204 has no body. */
  status?: 200 | 201 | 204;
  reply: z.ZodType;
  exampleBody?: unknown;
  example: string;
  /** False outside Ethereum, where the network header is ignored (spec §4.1). */
  networkHeader?: boolean;
  /** Path of the replacement. If set, responses have the headers `Deprecation` and `Link` (spec §9). */
  successor?: string;
  handle(context: Context, input: never, call: Call): Promise<Reply>;
};

type Reply = { body: unknown; headers?: Record<string, string> };

type Typed =
  | 'params'
  | 'query'
  | 'reads'
  | 'mayRead'
  | 'crossFieldFaults'
  | 'body'
  | 'reply'
  | 'exampleBody'
  | 'handle';

const none = z.object({});

export const route = <
  Context,
  B extends z.ZodType,
  P extends z.ZodObject = typeof none,
  Q extends z.ZodObject = typeof none,
  J extends z.ZodObject = z.ZodObject,
>(
  definition: Omit<Route<Context>, Typed> & {
    params?: P;
    query?: Q;
    reads?(context: Context, input: { query: z.output<Q>; body: z.output<J> }): number;
    mayRead?(context: Context, input: { query: z.output<Q> }): number;
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
): Route<Context> => ({ params: none, query: none, ...definition }) as unknown as Route<Context>;

export function relativeUrl(path: string, query: Record<string, string | number | null | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value != null) search.set(name, String(value));
  return `${path}?${search}`;
}

/** Unix seconds of the first deprecation (RFC 9745). */
const DEPRECATED_SINCE = Date.UTC(2026, 10, 21) / 1000;

export const deprecated = (): Record<string, string> => ({ deprecation: `@${DEPRECATED_SINCE}` });
