import type { Readable } from 'node:stream';
import { useDeferStream } from '@graphql-yoga/plugin-defer-stream';
import type { FastifyRequest } from 'fastify';
import { type ExecutionArgs, type ExecutionResult, execute, GraphQLError, getOperationAST } from 'graphql';
import { createYoga, type Plugin, processRegularResult } from 'graphql-yoga';
import type { Caller } from '../../accounts/caller.ts';
import type { Metering } from '../../accounts/meter.ts';
import type { Context } from '../../context.ts';
import { bytesInTurns, jsonPieces } from '../../kernel/json-text.ts';
import { badInput, Refusal } from '../../kernel/refusal.ts';
import { IDEMPOTENCY_KEY } from '../../kernel/route.ts';
import { renderErrors } from '../errors.ts';
import type { Streams } from '../live/streams.ts';
import { acceptedParts, acceptedType, acceptsEvents, type PartsType } from './accept.ts';
import { type documentReader, idNames, type Params } from './documents.ts';
import { LimitsRule } from './limits.ts';
import { costPlugin, costRefusal } from './metering.ts';
import { CACHE_MAX_CHARACTERS, documentMap, parseBounded } from './parse.ts';
import { isParts, type Parts, partsBody, partsHeaders, runParts } from './parts.ts';
import { initialCountRefusal, PartsRule, partsIn, partsRefusal } from './parts-rule.ts';
import { costOf, introspectionUnits } from './query-cost.ts';
import { schema } from './schema.ts';
import { eventHeaders, isPlan, type Plan, planOf, rootConditions } from './subscriptions.ts';
import { checkTexts, TextRule, variableErrors } from './variables.ts';

export type GraphqlAnswer = {
  status: number;
  headers: Record<string, string>;
  /**
   * A stream for subscriptions and responses in parts, otherwise a buffer: Node sends 295 kB in 72 µs as bytes but in
   * 506 µs as text.
   */
  body: Buffer | Readable;
  units: number;
  notCached?: 'error' | 'form' | 'not_compiled';
};

/**
 * Responses are stored only for successful requests. If one of several mutations failed, a retry with the same key
 * would repeat the successful ones.
 */
function keyRefusal({ document, operationName, contextValue }: ExecutionArgs): GraphQLError | undefined {
  const { request } = contextValue as { request: Request };
  if (!request.headers.has(IDEMPOTENCY_KEY)) return undefined;
  if (getOperationAST(document, operationName)?.operation !== 'mutation') return undefined;
  const msg = `${IDEMPOTENCY_KEY} is not accepted with a mutation; send it with the POST of REST that does the same.`;
  return new GraphQLError(msg, {
    originalError: badInput([{ loc: ['header', IDEMPOTENCY_KEY], msg, type: 'unsupported' }]),
  });
}

/** Reserves the estimated units, or returns errors. */
function refusalsOf(args: ExecutionArgs): readonly GraphQLError[] | undefined {
  const faults = variableErrors(args);
  if (faults) return faults;
  const { schema, document, operationName, variableValues } = args;
  const context = args.contextValue as Context;
  const cost = costOf(schema, document, operationName, variableValues ?? {}, context);
  const refused =
    keyRefusal(args) ??
    initialCountRefusal(document, variableValues ?? {}) ??
    partsRefusal(document, cost.fields) ??
    costRefusal(cost, context);
  if (!refused) {
    context.metering.charged += introspectionUnits(cost);
    return undefined;
  }
  if (refused.extensions.code === 'COST_LIMIT') context.metering.refused();
  return [refused];
}

const plans = new WeakMap<Metering, Plan>();
const partsTypes = new WeakMap<Metering, PartsType>();
const parts = new WeakMap<Metering, Parts | Error>();

/**
 * Applies the plugin's rules only to documents with `@defer` or `@stream`, because one rule repeats a rule of
 * graphql-js.
 */
function partsPlugin(): Plugin {
  const plugin = useDeferStream() as Plugin;
  return {
    onValidate(payload) {
      if (partsIn(payload.params.documentAST) > 0) plugin.onValidate?.(payload);
      payload.addValidationRule(PartsRule);
    },
  };
}

const limitsPlugin = (readDocument: ReturnType<typeof documentReader>, streams: Streams): Plugin => ({
  onParse({ setParseFn }) {
    setParseFn(parseBounded);
  },
  onValidate({ params: { documentAST }, addValidationRule, setResult }) {
    const conditions = rootConditions(documentAST);
    if (conditions.length > 0) return setResult(conditions);
    addValidationRule(LimitsRule);
    addValidationRule(TextRule);
  },
  onExecute({ args, executeFn, setExecuteFn, setResultAndStopExecution }) {
    setExecuteFn(execute); // Yoga's own executor mistakes an object with an alias `then` for a promise
    const errors = refusalsOf(args);
    if (errors) return setResultAndStopExecution({ errors });
    const context = args.contextValue as unknown as Context;
    const { metering } = context;
    if (!partsTypes.has(metering) || partsIn(args.document) === 0) return;
    setExecuteFn(async (given: ExecutionArgs) => {
      try {
        const release = streams.hold(context.caller);
        const made = await runParts(executeFn, given, release);
        if (!isParts(made)) return made;
        parts.set(metering, made);
      } catch (error) {
        parts.set(metering, error as Error);
      }
      return { data: null }; // `makeYoga` makes the response
    });
  },
  onSubscribe({ args, setSubscribeFn, setResultAndStopExecution }) {
    const errors = refusalsOf(args);
    if (errors) return setResultAndStopExecution({ errors });
    setSubscribeFn(async (given: ExecutionArgs) => {
      const made = await planOf(given);
      if (!isPlan(made)) return made;
      plans.set((given.contextValue as Context).metering, made);
      return { data: null };
    });
  },
  onParams({ params, request, setParams }) {
    if (params.variables) checkTexts(params.variables);
    const isGet = request.method === 'GET';
    const read = isGet ? readDocument({ ...idsOf(request.url), ...params }, 'query') : readDocument(params);
    if (read instanceof GraphQLError) throw read;
    setParams(read as typeof params);
  },
});

function idsOf(url: string): Params {
  const { searchParams } = new URL(url);
  return Object.fromEntries(idNames.map((name) => [name, searchParams.get(name) ?? undefined]));
}

/** The last hook before serialization, because this hook knows the request's log. */
const errorsPlugin: Plugin = {
  onResultProcess({ result, setResult, serverContext }) {
    if (!('errors' in result) || !result.errors) return;
    const { log } = serverContext as unknown as Context;
    const errors = renderErrors(result.errors, log);
    // Without `data`, nothing has run. The status is 500 for our own faults, otherwise 400 if the media type allows it
    // (`spec`).
    if (!('data' in result)) {
      for (const { extensions } of errors) {
        extensions.http ??= extensions.code === 'INTERNAL' ? { status: 500 } : { status: 400, spec: true };
      }
    }
    setResult({ ...result, errors });
  },
};

/** `JSON.stringify` would write doubles differently from REST. */
const stringify = ({ errors, data, extensions }: ExecutionResult): string =>
  jsonPieces({ errors: errors?.map((error) => error.toJSON()), data, extensions }).join('');
const writePlugin: Plugin = {
  onResultProcess({ result, setResult }) {
    setResult({ ...result, stringify } as typeof result);
  },
};

function documentCache<T extends NonNullable<unknown>>() {
  const documents = documentMap<T>();
  return {
    get: (text: string) => documents.get(text),
    set(text: string, value: T) {
      if (text.length <= CACHE_MAX_CHARACTERS) documents.set(text, value);
    },
  };
}

const unserialized = new WeakMap<Context['metering'], object>();

/**
 * The body of a large result stays empty, because the result is serialized later, over several turns of the event loop.
 * Streams are skipped, because Yoga wraps their body.
 */
const turnsPlugin: Plugin = {
  onResultProcess({ result, resultProcessor, setResult, serverContext }) {
    const { metering } = serverContext as unknown as Context;
    if (!metering.turn || (resultProcessor as unknown) !== processRegularResult) return;
    if (Symbol.asyncIterator in result || Array.isArray(result)) return;
    const stringify = (shown: ExecutionResult) => {
      const { stringify: _, ...rest } = shown as typeof result;
      const errors = shown.errors?.map((error) => error.toJSON());
      unserialized.set(metering, { ...rest, errors });
      return '';
    };
    setResult({ ...result, stringify });
  },
};

const serverHeaders = new Set([
  ...['content-length', 'transfer-encoding', 'connection', 'content-encoding', 'cache-control', 'vary'],
]);

const notAcceptable = (message: string) => new Refusal('NOT_ACCEPTABLE', message);

export type Answering = (
  request: FastifyRequest,
  context: Context,
  newContext: (metering: Metering, line?: string) => Context,
) => Promise<GraphqlAnswer>;

export function makeYoga(readDocument: ReturnType<typeof documentReader>, streams: Streams): Answering {
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
    maskedErrors: false,
    plugins: [
      limitsPlugin(readDocument, streams),
      partsPlugin(),
      errorsPlugin,
      costPlugin,
      writePlugin,
      turnsPlugin,
    ] as Plugin<object>[],
  });
  return async (request, context, newContext) => {
    const given = request.headers.accept;
    const accept = acceptedType(given).type;
    if (!accept)
      throw notAcceptable(
        'The response is application/json or application/graphql-response+json; accept one of them.',
      );
    request.raw.headers.accept = accept; // Yoga ignores weights
    request.raw.headers.host = 'localhost'; // Yoga parses a URL with it, whatever the client sent
    const partsType = acceptedParts(given);
    if (partsType) partsTypes.set(context.metering, partsType);
    const response = await yoga.handleNodeRequest(request, context);
    const { status, headers } = response;
    const made = parts.get(context.metering);
    if (made && partsType) {
      await response.text(); // otherwise Yoga's timer for this response stays active
      if (made instanceof Error) throw made;
      const body = partsBody(made, partsType, context);
      return { status: 200, headers: partsHeaders(partsType), body, units: 0, notCached: 'form' };
    }
    const { charged: units } = context.metering;
    const result = unserialized.get(context.metering);
    const plan = plans.get(context.metering);
    if (plan) {
      await response.text(); // otherwise Yoga's timer for this response stays active
      if (!acceptsEvents(given))
        throw notAcceptable('The response to a subscription is text/event-stream; accept it.');
      const { metering, log } = context;
      const caller = request.caller as Caller;
      const body = streams.open({ ...plan, caller, metering, log, newContext });
      return { status: 200, headers: eventHeaders, body, units: 0, notCached: 'form' };
    }
    return {
      status,
      headers: Object.fromEntries(
        [...headers]
          .map(([name, value]) => [name.toLowerCase(), value] as const)
          .filter(([name]) => !serverHeaders.has(name)),
      ),
      body: result ? await bytesInTurns(result) : Buffer.from(await response.text()),
      units,
      notCached: status === 200 ? 'not_compiled' : 'error',
    };
  };
}
