import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ExecutionArgs, type ExecutionResult, execute, GraphQLError, getOperationAST } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import { bytesInTurns, jsonPieces } from '../../kernel/json-text.ts';
import { badInput } from '../../kernel/refusal.ts';
import { IDEMPOTENCY_KEY } from '../../kernel/route.ts';
import { schema } from '../schema/index.ts';
import { renderError } from './errors.ts';
import { LimitsRule } from './limits.ts';
import { costPlugin, costRefusal } from './metering.ts';
import { NulRule, refuseNul } from './nul.ts';
import { CACHE_MAX_CHARACTERS, documentMap, parseBounded } from './parse.ts';
import { costOf, introspectionUnits } from './query-cost.ts';

/**
 * Refuses a mutation that may be tried again by its `Idempotency-Key`: to say it was done once and do it twice would be
 * worse. Of several mutations in one request some may be refused, and an answer is kept for what was done alone.
 */
function keyRefusal({ document, operationName, contextValue }: ExecutionArgs): GraphQLError | undefined {
  const { request } = contextValue as { request: Request };
  if (!request.headers.has(IDEMPOTENCY_KEY)) return undefined;
  if (getOperationAST(document, operationName)?.operation !== 'mutation') return undefined;
  const msg = `${IDEMPOTENCY_KEY} is not taken with a mutation; send it with the POST of REST that does the same.`;
  return new GraphQLError(msg, {
    originalError: badInput([{ loc: ['header', IDEMPOTENCY_KEY], msg, type: 'unsupported' }]),
  });
}

/** Bounds a document before it is parsed and before it runs. */
const limitsPlugin: Plugin = {
  onParse({ setParseFn }) {
    setParseFn(parseBounded);
  },
  onValidate({ addValidationRule }) {
    addValidationRule(LimitsRule);
    addValidationRule(NulRule);
  },
  onExecute({ args, setExecuteFn, setResultAndStopExecution }) {
    setExecuteFn(execute); // Yoga's own takes an object with a key `then`, which may be an alias, for a promise
    const { schema, document, operationName, variableValues } = args;
    const cost = costOf(schema, document, operationName, variableValues ?? {});
    const refused = keyRefusal(args) ?? costRefusal(cost, args.contextValue as unknown as Context);
    if (refused) return setResultAndStopExecution({ errors: [refused] });
    (args.contextValue as unknown as Context).metering.charged += introspectionUnits(cost);
  },
  onParams({ params }) {
    if (params.variables) refuseNul(params.variables);
  },
};

/** Every error of every answer passes here, the last place before it is written, where the request is known. */
const errorsPlugin: Plugin = {
  onResultProcess({ result, setResult, serverContext }) {
    if (!('errors' in result) || !result.errors) return;
    const { log } = serverContext as unknown as Context;
    const errors = result.errors.map((error) => renderError(error, log));
    // Nothing ran: a refused request is 400 where the answer's media type allows it (`spec`), a fault of ours 500.
    if (!('data' in result)) {
      for (const { extensions } of errors) {
        extensions.http ??= extensions.code === 'INTERNAL' ? { status: 500 } : { status: 400, spec: true };
      }
    }
    setResult({ ...result, errors });
  },
};

/** Serializes answers as the fast path does: JSON.stringify would write doubles differently from REST. */
const stringify = ({ errors, data, extensions }: ExecutionResult): string =>
  jsonPieces({ errors: errors?.map((error) => error.toJSON()), data, extensions }).join('');
const writePlugin: Plugin = {
  onResultProcess({ result, setResult }) {
    setResult({ ...result, stringify } as typeof result);
  },
};

/** Keeps the last documents by their text. */
function documentCache<T extends NonNullable<unknown>>() {
  const kept = documentMap<T>();
  return {
    get: (text: string) => kept.get(text),
    set(text: string, value: T) {
      if (text.length <= CACHE_MAX_CHARACTERS) kept.set(text, value);
    },
  };
}

/** Large results whose body is still to be serialized, by the metering of their request. */
const unwritten = new WeakMap<Context['metering'], object>();

const jsonRange = /^(application\/(json|graphql-response\+json|\*)|\*\/\*)$/;
const streamRange = /^(text\/event-stream|multipart\/mixed)$/;

/** Whether Yoga answers an Accept as plain JSON, and not as a stream, whose frames it builds of the serialized body. */
function isJson(accept: string): boolean {
  const ranges = accept.split(',').map((range) => (range.split(';', 1)[0] as string).trim().toLowerCase());
  const first = ranges.find((range) => jsonRange.test(range) || streamRange.test(range));
  return first === undefined || jsonRange.test(first);
}

/** Leaves the body of a large answer empty, so that it is serialized later, over several turns of the event loop. */
const turnsPlugin: Plugin = {
  onResultProcess({ request, result, setResult, serverContext }) {
    const { metering } = serverContext as unknown as Context;
    if (!isJson(request.headers.get('accept') ?? '')) return;
    if (!metering.turn || Symbol.asyncIterator in result || Array.isArray(result)) return;
    const stringify = (shown: ExecutionResult) => {
      const { stringify: _, ...rest } = shown as typeof result;
      const errors = shown.errors?.map((error) => error.toJSON());
      unwritten.set(metering, { ...rest, errors });
      return '';
    };
    setResult({ ...result, stringify });
  },
};

/** The GraphQL engine. HTTP, tokens and bodies are the server's; this answers parsed requests in a context. */
export function makeYoga() {
  const yoga = createYoga<Context>({
    schema,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    cors: false,
    batching: false,
    healthCheckEndpoint: '/graphql/health-is-elsewhere',
    logging: false,
    parserAndValidationCache: { documentCache: documentCache(), errorCache: documentCache() },
    maskedErrors: false, // errorsPlugin does it, with the log of the request
    plugins: [limitsPlugin, errorsPlugin, costPlugin, writePlugin, turnsPlugin] as Plugin<object>[],
  });
  return async (request: FastifyRequest, reply: FastifyReply, context: Context) => {
    const response = await yoga.handleNodeRequestAndResponse(request, reply, context);
    const { status, headers } = response;
    const result = unwritten.get(context.metering);
    return { status, headers, body: result ? await bytesInTurns(result) : await response.text() };
  };
}
