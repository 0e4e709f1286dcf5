import type { GraphQLError } from 'graphql';
import type { Context } from '../../context.ts';
import { bytesInTurns, bytesOf, jsonPieces } from '../../kernel/json-text.ts';
import { badInput } from '../../kernel/refusal.ts';
import { renderErrors, withoutHttp } from '../errors.ts';
import type { Streams } from '../live/streams.ts';
import { acceptedType } from './accept.ts';
import { compiledQueries } from './compiled-queries.ts';
import { documentReader, type Params } from './documents.ts';
import { costRefusal, settled } from './metering.ts';
import { paramsFaults } from './params.ts';
import type { TrustedDocuments } from './trusted-documents.ts';
import { areUnusual } from './variables.ts';
import { type Answering, type GraphqlAnswer, makeYoga } from './yoga.ts';

const members = new Map([
  ['query', 'string'],
  ['operationName', 'string'],
  ['variables', 'object'],
  ['extensions', 'object'],
]);

type Plain = { query: string; operationName?: string | null; variables?: Record<string, unknown> | null };

function isPlain(body: unknown): body is Plain {
  if (typeof body !== 'object' || body === null || !('query' in body) || body.query === null) return false;
  for (const name in body) {
    const type = members.get(name);
    const value = (body as Record<string, unknown>)[name];
    if (!type || (value !== null && (typeof value !== type || Array.isArray(value)))) return false;
  }
  return true;
}

/**
 * Runs repeated plain queries compiled and without Yoga's HTTP layer: 15 operators with all fields need 0.8 ms of CPU
 * instead of 1.6 ms. Yoga handles all other requests, so that error messages have one source.
 */
export function graphqlEngine(trusted: TrustedDocuments | undefined, streams: Streams): Answering {
  const find = compiledQueries();
  const readDocument = documentReader(trusted);
  const yoga = makeYoga(readDocument, streams);

  async function runCompiled(
    body: unknown,
    accept: string | undefined,
    context: Context,
  ): Promise<GraphqlAnswer | undefined> {
    if (!isPlain(body)) return undefined;
    const query = find(body.query, body.operationName);
    const { json: type } = acceptedType(accept);
    if (!query || !type || (body.variables && areUnusual(body.variables))) return undefined;
    const variables = body.variables ?? {};
    if (query.misreads?.(variables)) return undefined;
    const cost = typeof query.cost === 'function' ? query.cost(variables, context) : query.cost;
    if (costRefusal(cost, context)) return undefined;
    const { data, errors: failures } = await query.run(context, variables);
    if (data === undefined) return undefined;
    const errors = failures ? renderErrors(failures, context.log) : [];
    const extensions = settled(context, errors, true);
    const isError = errors.length > 0;
    const result = { errors: isError ? errors.map(withoutHttp) : undefined, data, extensions };
    const { status, headers } = isError ? httpOf(errors) : plainHttp;
    return {
      status,
      headers: { 'content-type': `${type}; charset=utf-8`, ...headers },
      body: context.metering.turn ? await bytesInTurns(result) : bytesOf(jsonPieces(result)),
      units: context.metering.charged,
      ...(isError && { notCached: 'error' }),
    };
  }

  return async function answer(request, context, newContext) {
    if (request.method === 'POST') {
      const isNamed = trusted && typeof request.body === 'object' && request.body !== null;
      const body = isNamed ? readDocument(request.body as Params) : request.body;
      const answered = await runCompiled(body, request.headers.accept, context);
      if (answered) return answered;
    }
    const faults = paramsFaults(request, trusted !== undefined);
    if (faults.length > 0) throw badInput(faults);
    return yoga(request, context, newContext);
  };
}

type Http = { status: number; headers: Record<string, string> };
const plainHttp: Http = { status: 200, headers: {} };

function httpOf(errors: readonly GraphQLError[]): Http {
  const given = errors.map(({ extensions }) => (extensions.http ?? {}) as Partial<Http>);
  const status = Math.max(0, ...given.map((http) => http.status ?? 0)) || 200;
  return { status, headers: Object.assign({}, ...given.map((http) => http.headers)) };
}
