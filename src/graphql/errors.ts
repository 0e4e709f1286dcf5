import { GraphQLError, type GraphQLErrorOptions } from 'graphql';
import type { Logger } from 'pino';
import { shownFault, withoutTokens } from '../accounts/token-format.ts';
import { ranIntoTimeout } from '../db/connection.ts';
import { Refusal, refusalStatus } from '../kernel/refusal.ts';

const ownCodes = [
  ...Object.keys(refusalStatus),
  'BAD_QUERY',
  'INTERNAL',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
  'SLOW_READER',
];

export const errorCounts = new Map(ownCodes.map((code) => [code, 0]));

export function countError(code: string): void {
  errorCounts.set(code, (errorCounts.get(code) ?? 0) + 1);
}

export function renderError(error: GraphQLError, log: Logger): GraphQLError {
  const rendered = render(error, log);
  countError(String(rendered.extensions.code));
  return rendered;
}

/** A mistake in a field of a list has an error for each row. */
const MAX_ERRORS = 100;

export function renderErrors(errors: readonly GraphQLError[], log: Logger): GraphQLError[] {
  const rendered = errors.slice(0, MAX_ERRORS).map((error) => renderError(error, log));
  const left = errors.length - rendered.length;
  if (left > 0) {
    const { code } = (rendered.at(-1) as GraphQLError).extensions;
    rendered.push(new GraphQLError(`${left} more errors are not listed.`, { extensions: { code } }));
  }
  return rendered;
}

const MAX_MESSAGE = 1_000;

/** graphql-js quotes whole variables. */
const shortened = (message: string) =>
  message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;

/** How graphql-js reports the value of a variable; a wrong use of a variable in the document begins otherwise. */
const VALUE = /^Variable "\$(\w+)" (?:got invalid value|of required type|of non-null type)/;

/** graphql-js names a variable in its message only. A fault in the document has `locations`. */
function locOf({ message }: GraphQLError): string[] {
  const [, variable] = VALUE.exec(message) ?? [];
  return variable === undefined ? ['document'] : ['variable', variable];
}

const httpOf = (refusal: Refusal) => ({
  status: refusalStatus[refusal.code],
  headers: refusal.headers,
  timedOut: ranIntoTimeout(refusal),
});

function render(error: GraphQLError, log: Logger): GraphQLError {
  const { nodes = null, path = null, source = null, positions = null, extensions } = error;
  const original = error.originalError;
  const place: GraphQLErrorOptions = { nodes, path, source, positions };
  if (original instanceof Refusal) {
    const away = original.code === 'UNAVAILABLE';
    return new GraphQLError(withoutTokens(original.message), {
      ...place,
      extensions: {
        code: original.code,
        ...(original.faults ? { faults: original.faults.map(shownFault) } : {}),
        ...(away ? { http: httpOf(original) } : {}),
      },
    });
  }
  if ((!original || original instanceof GraphQLError) && !extensions.unexpected) {
    const { code, http } = extensions;
    const message = withoutTokens(shortened(error.message));
    if (code === 'BAD_INPUT' || (!code && VALUE.test(error.message))) {
      const faults = extensions.faults ?? [{ loc: locOf(error), msg: message, type: 'value_error' }];
      return new GraphQLError(message, {
        ...place,
        extensions: { ...extensions, code: 'BAD_INPUT', faults },
      });
    }
    return new GraphQLError(message, {
      ...place,
      extensions: errorCounts.has(String(code))
        ? extensions
        : { code: 'BAD_QUERY', ...(http ? { http } : {}) },
    });
  }
  log.error({ err: original ?? error }, 'resolver failed');
  return new GraphQLError('Internal server error.', { ...place, extensions: { code: 'INTERNAL' } });
}

export function withoutHttp(error: GraphQLError) {
  const { http: _, ...extensions } = error.extensions;
  return { ...error.toJSON(), extensions };
}
