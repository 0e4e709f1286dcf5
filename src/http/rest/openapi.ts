import type { z } from 'zod';
import { computeUnits, type Weight, weightOf } from '../../accounts/compute-units.ts';
import { networkParam } from '../../chain/params.ts';
import type { Context } from '../../context.ts';
import { paramDocument } from '../../kernel/params.ts';
import { IDEMPOTENCY_KEY, type Route } from '../../kernel/route.ts';
import { definitions } from '../../resources/network-rewards/record.ts';
import { errorResponses, errorSchema, responsesOf } from './openapi-responses.ts';
import { type JsonObject, schemaOf } from './openapi-schemas.ts';

const tags: Record<string, string> = {
  Operators: 'Pools, node operators, addresses and their performance in a window.',
  Attestations: 'Attestation duties of an entity over time.',
  Blocks: 'Blocks and missed slots, with the rewards of their proposers.',
  'Sync committee rewards': 'What the members of a sync committee earned or lost in a slot.',
  'Chain daily rewards': 'What all validators of a network earned in a day.',
  Slashings: 'Slashed validators, with their balances and penalties.',
  Validators: 'Validators by their figures of a range of days.',
  Consolidations: 'Consolidations of validators, by entity, and the use of their churn limit.',
  Tags: 'Groups of validators that an account defines.',
  'Private sets': 'Figures over time of the validators of a tag, visible only to the account that owns it.',
  Solana: 'The Solana network, its stake authorities and daily rewards.',
};
for (const { title } of Object.values(definitions)) tags[title] ??= `Daily rewards of ${title}.`;

function exampleValues(route: Route<Context>): Record<string, string> {
  const [path = '', query] = route.example.split('?');
  const names = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);
  const pattern = new RegExp(`^${route.path.replace(/:\w+/g, '([^/]+)')}$`);
  const found = pattern.exec(path)?.slice(1) ?? [];
  const inPath = names.map((name, index) => [name, decodeURIComponent(found[index] ?? '')]);
  return { ...Object.fromEntries(inPath), ...Object.fromEntries(new URLSearchParams(query)) };
}

const isNumber = (type: unknown, value = '') => [type].flat().includes('integer') && /^\d+$/.test(value);

function parameters(
  shape: Record<string, z.ZodType>,
  place: 'query' | 'path' | 'header',
  values: Record<string, string> = {},
): JsonObject[] {
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
      ...(name in values
        ? { example: isNumber(schema.type, values[name]) ? Number(values[name]) : values[name] }
        : {}),
      schema: { ...schema, ...(examples ? { examples } : {}) },
    };
  });
}

const idempotencyKey: JsonObject = {
  name: IDEMPOTENCY_KEY,
  in: 'header',
  required: false,
  description:
    '1 to 255 visible ASCII characters of your choice, such as a UUID. Prevents a retry from being applied twice: for 24 hours the same request with the same key gets the first response again, marked `Idempotency-Replayed: true`. The same key with another request is 400; with the first request still in progress, 409. Refused requests store no key.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const requestBody = (route: Route<Context>, found: Map<string, JsonObject>): JsonObject =>
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

function costText({ base, item, reads }: Weight): string {
  const once = `Costs ${base} compute unit${base === 1 ? '' : 's'}`;
  const rows = item === 0 ? once : `${once} and ${item} for each row`;
  return reads === undefined ? `${rows}.` : `${rows}, and 1 for each 1,000 ${reads}.`;
}

export function openApiDocument(
  routes: readonly Route<Context>[],
  networkHeader: string,
  version: string,
  /** Below which clients see the gateway. */
  basePath = '',
): JsonObject {
  const schemas = new Map<string, JsonObject>();
  const network = parameters({ [networkHeader]: networkParam() }, 'header');
  const paths: JsonObject = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    const { method = 'GET' } = route;
    paths[path] = {
      ...(paths[path] as JsonObject | undefined),
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
        responses: responsesOf(route, schemas),
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
      contact: { name: 'The operator of this gateway' },
      license: { name: 'MIT', identifier: 'MIT' },
      'x-compute-units': computeUnits,
    },
    servers: [{ url: basePath || '/', description: 'This gateway.' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ token: [] }],
    paths,
    components: {
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: errorResponses(),
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
