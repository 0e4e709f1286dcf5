import { GraphQLError, type GraphQLErrorOptions, parse } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Context } from '../context.ts';
import { Refusal, refusalStatus } from '../kernel/refusal.ts';
import { LimitsRule, limitError, limits } from './limits.ts';
import { schema } from './schema.ts';

/** Bounds a document before it is parsed, since parsing is what a hostile one would exhaust, and before it runs. */
const limitsPlugin: Plugin = {
  onParse({ setParseFn }) {
    setParseFn((source, options) => {
      try {
        return parse(source, { ...options, maxTokens: limits.tokens });
      } catch (error) {
        if (/more (?:that|than) \d+ tokens/.test((error as Error).message)) throw limitError('tokens');
        throw error;
      }
    });
  },
  onValidate({ addValidationRule }) {
    addValidationRule(LimitsRule);
  },
};

/** Renders whatever was thrown: refusals with their code, faults of the document as they are, the rest masked. */
function maskError(error: unknown, log: (error: unknown) => void): Error {
  const original = error instanceof GraphQLError ? error.originalError : error;
  const place: GraphQLErrorOptions =
    error instanceof GraphQLError
      ? { nodes: error.nodes ?? null, path: error.path ?? null, source: error.source ?? null }
      : {};
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
  // Ours carry a code already; graphql-js's own (syntax, validation, variables) have no original error.
  if (error instanceof GraphQLError && (!original || original instanceof GraphQLError)) {
    return error.extensions.code
      ? error
      : new GraphQLError(error.message, { ...place, extensions: { ...error.extensions, code: 'BAD_QUERY' } });
  }
  log(original ?? error);
  return new GraphQLError('Internal server error.', { ...place, extensions: { code: 'INTERNAL' } });
}

/** The GraphQL engine. HTTP, tokens and bodies are the server's; this answers parsed requests in a context. */
export const makeYoga = (log: (error: unknown) => void) =>
  createYoga<Context>({
    schema,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    cors: false,
    batching: false,
    healthCheckEndpoint: '/graphql/health-is-elsewhere',
    logging: false,
    maskedErrors: { maskError: (error) => maskError(error, log) },
    plugins: [limitsPlugin as Plugin<object>],
  });
