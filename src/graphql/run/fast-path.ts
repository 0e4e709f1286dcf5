import type { GraphQLError } from 'graphql';
import type { Context } from '../../context.ts';
import { boundedMap } from '../../kernel/bounded.ts';
import { bytesInTurns, bytesOf } from '../../kernel/json-text.ts';
import { compiledQueries } from './compiled-queries.ts';
import { renderError } from './errors.ts';
import { costRefusal, settled } from './metering.ts';
import { hasNul } from './nul.ts';

/** An answer of the fast path: the same values in the same order as Yoga's. */
export type QuickAnswer = {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  /** Whether it has no errors. */
  whole: boolean;
};

const names = new Set(['query', 'operationName', 'variables', 'extensions']);
const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;
const isObject = (value: unknown) => typeof value === 'object' && !Array.isArray(value);

/** Whether a body holds what GraphQL over HTTP has, each in its kind. */
function isPlain(body: Record<string, unknown>): boolean {
  for (const name in body) if (!names.has(name)) return false;
  const { operationName, variables, extensions } = body;
  return (
    (isAbsent(operationName) || typeof operationName === 'string') &&
    (isAbsent(variables) || isObject(variables)) &&
    (isAbsent(extensions) || isObject(extensions))
  );
}

const accepted = boundedMap<{ type: string | undefined }>(1_000);

/** The media type that Yoga answers an Accept with; undefined where it is none of the two plain ones. */
function mediaType(accept = '*/*'): string | undefined {
  let known = accepted.get(accept);
  if (!known) {
    const asked = accept
      .replace(/\s/g, '')
      .toLowerCase()
      .split(',')
      .filter((range) => (/;charset=([^;]*)/.exec(range)?.[1] ?? 'utf-8') === 'utf-8')
      .map((range) => range.split(';', 1)[0] as string);
    const takes = (range: string) => (type: string) =>
      range === '*/*' || range === type || (range === 'application/*' && type.startsWith('application/'));
    const types = ['application/json', 'application/graphql-response+json'];
    known = { type: asked.flatMap((range) => types.find(takes(range)) ?? [])[0] };
    accepted.set(accept, known);
  }
  return known.type;
}

/**
 * Answers a plain query compiled, and without Yoga's layer of HTTP, which rebuilds request and response as those of a
 * browser. In one run 15 operators with all fields took 1.6 ms of CPU by Yoga and 0.8 ms so, with 4 fields 0.7 and 0.5, and
 * 200 stake authorities 13 and 6.3. Undefined for whatever is not plain or not well: Yoga answers that, so that what it
 * says of a bad request is said in one place.
 */
export function makeQuick() {
  const find = compiledQueries();
  return async (
    body: Record<string, unknown>,
    accept: string | undefined,
    context: Context,
  ): Promise<QuickAnswer | undefined> => {
    const type = mediaType(accept);
    if (!type || !isPlain(body)) return undefined;
    const query = find(body.query as string, body.operationName as string | null | undefined);
    const variables = (body.variables ?? {}) as Record<string, unknown>;
    if (!query?.takes(variables) || hasNul(variables) || costRefusal(query.cost(variables), context))
      return undefined;
    const result = await query.run(context, variables);
    if (!('data' in result)) return undefined;
    const errors = result.errors?.map((error) => renderError(error, context.log)) ?? [];
    const extensions = settled(context, errors, true);
    const { status, headers } = httpOf(errors);
    const shown = errors.length > 0 ? { errors: errors.map(withoutHttp) } : {};
    const answer = { ...shown, data: result.data, extensions };
    return {
      status,
      headers: { 'content-type': `${type}; charset=utf-8`, ...headers },
      bytes: context.metering.turn ? await bytesInTurns(answer) : bytesOf(query.write(answer)),
      whole: errors.length === 0,
    };
  };
}

type Http = { status?: number; headers?: Record<string, string> };

/** What errors say of the answer as one of HTTP: the highest of their status codes, and all their headers. */
function httpOf(errors: readonly GraphQLError[]): { status: number; headers: Record<string, string> } {
  const said = errors.map(({ extensions }) => (extensions.http ?? {}) as Http);
  const status = Math.max(0, ...said.map((http) => http.status ?? 0)) || 200;
  return { status, headers: Object.assign({}, ...said.map((http) => http.headers)) };
}

function withoutHttp(error: GraphQLError) {
  const { http: _, ...extensions } = error.extensions;
  return { ...error.toJSON(), extensions };
}
