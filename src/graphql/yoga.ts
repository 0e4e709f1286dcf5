import { GraphQLError, type GraphQLErrorOptions, parse } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { Context } from '../context.ts';
import { boundedMap } from '../kernel/bounded.ts';
import { Refusal, refusalStatus } from '../kernel/refusal.ts';
import { costError, LimitsRule, limitError, limits } from './limits.ts';
import { costPlugin } from './metering.ts';
import { NulRule, refuseNul } from './nul.ts';
import { schema } from './schema.ts';
import { costOf } from './size.ts';

/** Bounds a document before it is parsed, since parsing is what a hostile one would exhaust, and before it runs. */
const limitsPlugin: Plugin = {
  onParse({ setParseFn }) {
    setParseFn((source, options) => {
      try {
        return parse(source, { ...options, maxTokens: limits.tokens });
      } catch (error) {
        if (/more (?:that|than) \d+ tokens/.test((error as Error).message)) throw limitError('tokens');
        if (error instanceof RangeError) throw limitError('depth'); // nested so deeply that the parser's stack is full
        throw error;
      }
    });
  },
  onValidate({ addValidationRule }) {
    addValidationRule(LimitsRule);
    addValidationRule(NulRule);
  },
  onExecute({ args, setResultAndStopExecution }) {
    const { schema, document, operationName, variableValues } = args;
    const { rows, units } = costOf(schema, document, operationName, variableValues ?? {});
    const { metering } = args.contextValue as unknown as Context;
    metering.estimated = units;
    const left = metering.standing().unitsRemaining;
    if (rows > limits.rows) setResultAndStopExecution({ errors: [limitError('rows')] });
    else if (left !== null && units > left) setResultAndStopExecution({ errors: [costError(units, left)] });
  },
  onParams({ params }) {
    if (params.variables) refuseNul(params.variables);
  },
};

const ownCodes = new Set<unknown>([...Object.keys(refusalStatus), 'BAD_QUERY', 'INTERNAL']);

/** Renders whatever was thrown: refusals with their code, faults of the request as BAD_QUERY, the rest masked. */
function render(error: GraphQLError, log: Logger): GraphQLError {
  const { nodes = null, path = null, source = null, positions = null, extensions } = error;
  const original = error.originalError;
  const place: GraphQLErrorOptions = { nodes, path, source, positions };
  if (original instanceof Refusal) {
    const away = original.code === 'UNAVAILABLE';
    return new GraphQLError(original.message, {
      ...place,
      extensions: {
        code: original.code,
        ...(original.faults ? { faults: original.faults } : {}),
        ...(away ? { http: { status: refusalStatus[original.code], headers: original.headers } } : {}),
      },
    });
  }
  // Ours carry a code of ours already; those of graphql-js and Yoga have none or their own.
  if ((!original || original instanceof GraphQLError) && !extensions.unexpected) {
    if (ownCodes.has(extensions.code)) return error;
    const { http } = extensions;
    return new GraphQLError(error.message, {
      ...place,
      extensions: { code: 'BAD_QUERY', ...(http ? { http } : {}) },
    });
  }
  log.error({ err: original ?? error }, 'resolver failed');
  return new GraphQLError('Internal server error.', { ...place, extensions: { code: 'INTERNAL' } });
}

/** Every error of every answer passes here, the last place before it is written, where the request is known. */
const errorsPlugin: Plugin = {
  onResultProcess({ result, setResult, serverContext }) {
    if (!('errors' in result) || !result.errors) return;
    const { log } = serverContext as unknown as Context;
    const errors = result.errors.map((error) => render(error, log));
    // Nothing ran: a refused request is 400 where the answer's media type allows it (`spec`), a fault of ours 500.
    if (!('data' in result)) {
      for (const { extensions } of errors) {
        extensions.http ??= extensions.code === 'INTERNAL' ? { status: 500 } : { status: 400, spec: true };
      }
    }
    setResult({ ...result, errors });
  },
};

const CACHED_LENGTH = 16_384;

/** Keeps the last documents by their text. Long ones are not kept: a caller could fill the memory with literals. */
function documentCache<T>() {
  const kept = boundedMap<T>(1_000);
  return {
    get: kept.get,
    set(text: string, value: T) {
      if (text.length <= CACHED_LENGTH) kept.set(text, value);
    },
  };
}

/** The GraphQL engine. HTTP, tokens and bodies are the server's; this answers parsed requests in a context. */
export const makeYoga = () =>
  createYoga<Context>({
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
    plugins: [limitsPlugin as Plugin<object>, errorsPlugin as Plugin<object>, costPlugin as Plugin<object>],
  });
