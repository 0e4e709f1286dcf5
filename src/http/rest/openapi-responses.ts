import { readFileSync } from 'node:fs';
import type { Context } from '../../context.ts';
import { refusalStatus } from '../../kernel/refusal.ts';
import type { Route } from '../../kernel/route.ts';
import { type JsonObject, schemaOf, schemaRef } from './openapi-schemas.ts';
import { listOf } from './row-forms.ts';

/** `npm run examples` writes the file from the sample data. */
type ResponseExamples = { operations: Record<string, unknown>; errors: Record<string, unknown> };
const examples = JSON.parse(
  readFileSync(new URL('response-examples.json', import.meta.url), 'utf8'),
) as ResponseExamples;

const errors: Record<string, [name: string, description: string]> = {
  400: ['BadRequest', 'Invalid input: one item for each fault found.'],
  401: ['Unauthorized', 'The token is missing, malformed, unknown, revoked or expired.'],
  402: [
    'PaymentRequired',
    'The allowance of the account is used up; the message says how much it is and when it resets.',
  ],
  403: ['Forbidden', 'The account has as many sets, or a set as many validators, as its tier allows.'],
  404: ['NotFound', 'The requested object does not exist.'],
  409: ['Conflict', 'A request with this Idempotency-Key is being answered; see Retry-After.'],
  413: ['ContentTooLarge', 'The body is too large.'],
  415: ['UnsupportedMediaType', 'The content type is not accepted; send application/json.'],
  429: ['TooManyRequests', 'Over the rate of the account; see Retry-After, RateLimit and RateLimit-Policy.'],
  503: ['ServiceUnavailable', 'The database cannot answer now; see Retry-After.'],
};
const ofWrites = new Set(['403', '409', '413', '415']);

const errorReplies = (route: Route<Context>): JsonObject =>
  Object.fromEntries(
    Object.entries(errors)
      .filter(([status]) => route.body || !ofWrites.has(status))
      .map(([status, [name]]) => [status, { $ref: `#/components/responses/${name}` }]),
  );

export const errorResponses = (): JsonObject =>
  Object.fromEntries(
    Object.entries(errors).map(([status, [name, description]]) => [
      name,
      {
        description,
        headers: { 'X-Service-Compute-Units': { $ref: '#/components/headers/ComputeUnits' } },
        content: { 'application/json': { schema: schemaRef('Error'), example: examples.errors[status] } },
      },
    ]),
  );

/** REST has a response for every `Accept`, so it has no 406. */
const { NOT_ACCEPTABLE: _, ...ofRest } = refusalStatus;

export const errorSchema: JsonObject = {
  type: 'object',
  description: `What is wrong. Statuses: ${[...new Set(Object.values(ofRest))].join(', ')} and 500.`,
  required: ['detail'],
  properties: {
    detail: {
      anyOf: [
        { type: 'string' },
        {
          type: 'array',
          items: {
            type: 'object',
            required: ['loc', 'msg', 'type'],
            properties: {
              loc: {
                type: 'array',
                items: { type: ['string', 'integer'] },
                description: 'Where the fault is.',
              },
              msg: { type: 'string', description: 'What is wrong and what would be right.' },
              type: { type: 'string', description: 'The kind of fault.' },
            },
          },
        },
      ],
    },
  },
};

const answer = (route: Route<Context>, found: Map<string, JsonObject>): JsonObject => ({
  description: route.status === 204 ? 'Done; there is no body.' : 'The answer.',
  headers: replyHeaders(route),
  ...(route.status === 204
    ? {}
    : {
        content: {
          'application/json': {
            schema: schemaOf(route.reply, found),
            example: examples.operations[route.operationId],
          },
          ...otherForms(route),
        },
      }),
});

const otherForms = ({ method = 'GET', reply }: Route<Context>): JsonObject =>
  method === 'GET' && listOf(reply)
    ? {
        'text/csv': {
          schema: {
            type: 'string',
            description:
              'A line with the names of the fields, then a line for each row (RFC 4180). Null is empty, an empty text is quoted, and lists are JSON. With `bom=true` in `Accept`, a byte order mark first, for Excel. With `all` in the query, the whole list.',
          },
        },
        'application/x-ndjson': {
          schema: {
            type: 'string',
            description: 'A line of JSON for each row. With `all` in the query, the whole list.',
          },
        },
      }
    : {};

const privateTags = new Set(['Tags', 'Private sets']);
const isCached = ({ method = 'GET', tag }: Route<Context>) => method === 'GET' && !privateTags.has(tag);

const unchanged = (route: Route<Context>): JsonObject =>
  isCached(route)
    ? {
        304: {
          description: 'Not modified, by If-None-Match; costs what the call costs without its rows.',
          headers: replyHeaders(route),
        },
      }
    : {};

const replyHeaders = (route: Route<Context>): JsonObject => ({
  'X-Request-Id': { $ref: '#/components/headers/RequestId' },
  'X-Service-Compute-Units': { $ref: '#/components/headers/ComputeUnits' },
  ...(isCached(route)
    ? {
        ETag: { $ref: '#/components/headers/ETag' },
        'Last-Modified': { $ref: '#/components/headers/LastModified' },
      }
    : {}),
  ...(route.successor
    ? {
        Deprecation: { $ref: '#/components/headers/Deprecation' },
        Link: { $ref: '#/components/headers/Link' },
      }
    : {}),
});

export const responsesOf = (route: Route<Context>, found: Map<string, JsonObject>): JsonObject => ({
  [route.status ?? 200]: answer(route, found),
  ...unchanged(route),
  ...errorReplies(route),
});
