import { z } from 'zod';
import { computeUnits, type Weight, weightOf } from '../../accounts/compute-units.ts';
import { networkParam } from '../../chain/params.ts';
import type { Context } from '../../context.ts';
import { leafOf } from '../../kernel/leaves.ts';
import { paramDocument } from '../../kernel/params.ts';
import { refusalStatus } from '../../kernel/refusal.ts';
import { IDEMPOTENCY_KEY, type Route } from '../../kernel/route.ts';

type Json = Record<string, unknown>;

const schemaOf = (schema: z.ZodType, found: Map<string, Json>, io: 'input' | 'output' = 'output'): Json => {
  const document = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    override: ({ zodSchema, jsonSchema }) => {
      const leaf = leafOf(zodSchema);
      if (jsonSchema.type !== 'string' || (leaf?.kind !== 'BigInt' && leaf?.kind !== 'Decimal')) return;
      if (!leaf.raw) return void Object.assign(jsonSchema, { format: 'decimal' });
      // A string in the row becomes a JSON number in the answer.
      delete jsonSchema.pattern;
      const { kind, raw, wide, ...range } = leaf;
      const whole = { type: 'integer', ...(wide ? {} : { format: 'int64' }) };
      const type = kind === 'BigInt' ? whole : { type: 'number' };
      Object.assign(jsonSchema, type, range);
    },
  }) as Json;
  return hoist(document, found);
};

/** Moves `$defs` to the components, which all paths share. */
function hoist(document: Json, found: Map<string, Json>): Json {
  const { $schema: _schema, $defs, ...rest } = document;
  const relink = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(relink);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) =>
        key === '$ref'
          ? [key, String(inner).replace('#/$defs/', '#/components/schemas/')]
          : [key, relink(inner)],
      ),
    );
  };
  for (const [name, definition] of Object.entries(($defs ?? {}) as Json)) {
    const { id: _id, ...schema } = relink(definition) as Json;
    found.set(name, schema);
  }
  const { id, ...own } = relink(rest) as Json;
  if (typeof id !== 'string') return own;
  found.set(id, own);
  return { $ref: `#/components/schemas/${id}` };
}

function exampleValues(route: Route<Context>): Record<string, string> {
  const [path = '', query] = route.example.split('?');
  const names = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);
  const pattern = new RegExp(`^${route.path.replace(/:\w+/g, '([^/]+)')}$`);
  const found = pattern.exec(path)?.slice(1) ?? [];
  const inPath = names.map((name, index) => [name, decodeURIComponent(found[index] ?? '')]);
  return { ...Object.fromEntries(inPath), ...Object.fromEntries(new URLSearchParams(query)) };
}

function parameters(
  shape: Record<string, z.ZodType>,
  place: 'query' | 'path' | 'header',
  values: Record<string, string> = {},
): Json[] {
  return Object.entries(shape).map(([name, type]) => {
    const document = paramDocument(type);
    if (!document) throw new Error(`Parameter ${name} is not documented.`);
    const { description, deprecated, examples, ...schema } = document.schema;
    return {
      name,
      in: place,
      required: document.required,
      description,
      ...(deprecated ? { deprecated } : {}),
      ...(name in values ? { example: schema.type === 'integer' ? Number(values[name]) : values[name] } : {}),
      schema: { ...schema, ...(examples ? { examples } : {}) },
    };
  });
}

const errorText: Record<string, string> = {
  400: 'Invalid input: one item for each fault found.',
  401: 'The token is missing, malformed, unknown, revoked or expired.',
  402: 'The allowance of the account is used up; the message says how much it is and when it resets.',
  404: 'The requested object does not exist.',
  429: 'Over the rate of the account; see Retry-After, RateLimit and RateLimit-Policy.',
  503: 'The database cannot answer now; see Retry-After.',
};

const writeErrorText: Record<string, string> = {
  403: 'The account has as many sets, or a set as many validators, as its tier allows.',
  409: 'A request with this Idempotency-Key is being answered; see Retry-After.',
  413: 'The body is too large.',
  415: 'The content type is not accepted; send application/json.',
};

const errorReplies = (route: Route<Context>): Json =>
  Object.fromEntries(
    Object.entries({ ...errorText, ...(route.body ? writeErrorText : {}) }).map(([status, description]) => [
      status,
      {
        description,
        headers: { 'X-Service-Compute-Units': { $ref: '#/components/headers/ComputeUnits' } },
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );

const errorSchema: Json = {
  type: 'object',
  description: `What is wrong. Statuses: ${[...new Set(Object.values(refusalStatus))].join(', ')} and 500.`,
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

const idempotencyKey: Json = {
  name: IDEMPOTENCY_KEY,
  in: 'header',
  required: false,
  description:
    '1 to 255 visible ASCII characters of your choice, such as a UUID. Prevents a retry from being applied twice: for 24 hours the same request with the same key gets the first response again, marked `Idempotency-Replayed: true`. The same key with another request is 400; with the first request still in progress, 409. Refused requests store no key.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const requestBody = (route: Route<Context>, found: Map<string, Json>): Json =>
  route.body
    ? {
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: schemaOf(route.body, found, 'input'), example: route.exampleBody },
          },
        },
      }
    : {};

const answer = (route: Route<Context>, found: Map<string, Json>): Json => ({
  description: route.status === 204 ? 'Done; there is no body.' : 'The answer.',
  headers: replyHeaders(route),
  ...(route.status === 204
    ? {}
    : { content: { 'application/json': { schema: schemaOf(route.reply, found) } } }),
});

/** Tags of private data, which is not cached. */
const privateTags = new Set(['Tags', 'Private sets']);
const isCached = ({ method = 'GET', tag }: Route<Context>) => method === 'GET' && !privateTags.has(tag);

const unchanged = (route: Route<Context>): Json =>
  isCached(route)
    ? {
        304: {
          description: 'Not modified, by If-None-Match; costs what the call costs without its rows.',
          headers: replyHeaders(route),
        },
      }
    : {};

const replyHeaders = (route: Route<Context>): Json => ({
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

function costText({ base, item }: Weight): string {
  const once = `Costs ${base} compute unit${base === 1 ? '' : 's'}`;
  return item === 0 ? `${once}.` : `${once} and ${item} for each row.`;
}

export function openApiDocument(
  routes: readonly Route<Context>[],
  networkHeader: string,
  version: string,
): Json {
  const schemas = new Map<string, Json>();
  const network = parameters({ [networkHeader]: networkParam() }, 'header');
  const paths: Json = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    const { method = 'GET' } = route;
    paths[path] = {
      ...(paths[path] as Json | undefined),
      [method.toLowerCase()]: {
        operationId: route.operationId,
        tags: [route.tag],
        summary: route.summary,
        description: `${route.description} ${costText(weightOf(route.units ?? route.operationId))}`,
        'x-compute-units': weightOf(route.units ?? route.operationId),
        ...(route.successor ? { deprecated: true } : {}),
        parameters: [
          ...parameters(route.params.shape, 'path', exampleValues(route)),
          ...parameters(route.query.shape, 'query', exampleValues(route)),
          ...(route.networkHeader === false ? [] : network),
          ...(method === 'POST' ? [idempotencyKey] : []),
        ],
        ...requestBody(route, schemas),
        responses: {
          [route.status ?? 200]: answer(route, schemas),
          ...unchanged(route),
          ...errorReplies(route),
        },
      },
    };
  }
  schemas.set('Error', errorSchema);
  return {
    openapi: '3.1.0',
    info: {
      title: 'stakegraph',
      version,
      description:
        'Performance, rewards and network statistics of proof-of-stake validators. The same rows as GraphQL at `/graphql`. Each path costs compute units, a number for the call and one for each row returned; `X-Service-Compute-Units` has their sum. GraphQL costs what the paths that it replaces cost.',
      'x-compute-units': computeUnits,
    },
    security: [{ token: [] }],
    paths,
    components: {
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: {
        RequestId: {
          description:
            'The id that the request has, if it is 1 to 128 characters of [A-Za-z0-9_.:-] without a token, else a new one.',
          schema: { type: 'string' },
        },
        ComputeUnits: {
          description:
            'Compute units charged. Errors of the caller cost 1; 401, 402, 429 and errors of the server are free.',
          schema: { type: 'integer', minimum: 0 },
        },
        ETag: {
          description:
            'Identifies these bytes: If-None-Match with it gets 304 while they are the same. Absent for private sets and with CACHE=off.',
          schema: { type: 'string' },
        },
        LastModified: {
          description: 'When the data of the response last changed.',
          schema: { type: 'string' },
        },
        Deprecation: {
          description: 'Since when this path is deprecated (RFC 9745): seconds since 1970 after an @.',
          schema: { type: 'string' },
        },
        Link: {
          description: 'The path that replaces it, with rel="successor-version" (RFC 8288).',
          schema: { type: 'string' },
        },
      },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}
