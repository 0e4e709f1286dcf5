import { type GraphQLField, isObjectType, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { z } from 'zod';
import { schema } from '../../src/graphql/run/schema.ts';
import { rooms } from '../../src/resources/index.ts';

/**
 * The interface as a list of things that a test shows: a path answers, a parameter is taken, a parameter is refused, a
 * GraphQL field and each of its arguments is answered. What there is comes from the routes and the schema, what a test
 * shows from the calls that it makes.
 */
type Place = 'path' | 'query' | 'header' | 'body';
type Parameter = { place: Place; name: string; type?: z.ZodType };
type Operation = {
  /** `GET /v0/eth/blocks/{consensus_slot}` */
  name: string;
  room: string;
  route: (typeof rooms)[string][number];
  parameters: Parameter[];
};

const of = (place: Place, shape: Record<string, unknown> = {}): Parameter[] =>
  Object.entries(shape).map(([name, type]) => ({ place, name, type: type as z.ZodType }));

const operations: Operation[] = Object.entries(rooms).flatMap(([room, routes]) =>
  routes.map((route) => ({
    name: `${route.method ?? 'GET'} ${route.path.replace(/:(\w+)/g, '{$1}')}`,
    room,
    route,
    parameters: [
      ...of('path', route.params.shape),
      ...of('query', route.query.shape),
      ...of('body', route.body?.shape),
      ...(route.networkHeader === false ? [] : of('header', { 'X-Service-Network': undefined })),
      ...(route.method === 'POST' ? of('header', { 'Idempotency-Key': undefined }) : []),
    ],
  })),
);

const taken = ({ name }: Operation, parameter: Parameter) =>
  `${name} takes ${parameter.place} ${parameter.name}`;
const refused = ({ name }: Operation, parameter: Parameter) =>
  `${name} refuses ${parameter.place} ${parameter.name}`;

const patterns = operations.map((operation) => {
  const path = operation.route.path.replace(/:\w+/g, '[^/]+');
  return { operation, method: operation.route.method ?? 'GET', pattern: new RegExp(`^${path}/?$`) };
});

type Answer = { status: number; json: any };

/** What a REST call shows. */
export function shownByCall(target: string, init: RequestInit, { status, json }: Answer): string[] {
  const [path = '', query] = target.split('?');
  const method = init.method ?? 'GET';
  const operation = patterns.find((one) => one.method === method && one.pattern.test(path))?.operation;
  if (!operation) return [];
  if (status === 400) {
    const places: string[][] = (json?.detail as { loc: string[] }[])?.map?.((fault) => fault.loc) ?? [];
    return operation.parameters
      .filter(({ place, name }) => places.some((loc) => loc[0] === place && loc[1] === name))
      .map((parameter) => refused(operation, parameter));
  }
  if (status >= 300) return [];
  const search = new URLSearchParams(query);
  const headers = new Headers(init.headers);
  const body = typeof init.body === 'string' ? JSON.parse(init.body || '{}') : {};
  const given: Record<Place, (name: string) => boolean> = {
    path: () => true,
    query: (name) => search.has(name),
    header: (name) => headers.has(name),
    body: (name) => name in body,
  };
  const used = operation.parameters.filter(({ place, name }) => given[place](name));
  return [operation.name, ...used.map((parameter) => taken(operation, parameter))];
}

type Field = { name: string; field: GraphQLField<unknown, unknown> };

/** The fields of GraphQL that are a question of their own: those of the roots, and those that take arguments. */
const graphqlFields: Field[] = Object.values(schema.getTypeMap()).flatMap((type) => {
  if (!isObjectType(type) || type.name.startsWith('__')) return [];
  const root = type === schema.getQueryType() || type === schema.getMutationType();
  return Object.values(type.getFields())
    .filter(({ args }) => root || args.length > 0)
    .map((field) => ({ name: `${type.name}.${field.name}`, field }));
});

const argument = (field: Field, name: string) => `${field.name}(${name})`;

/** What a GraphQL request shows that is answered without an error. */
export function shownByQuery(query: string): string[] {
  const found: string[] = [];
  const info = new TypeInfo(schema);
  const note = visitWithTypeInfo(info, {
    Field() {
      const field = `${info.getParentType()?.name}.${info.getFieldDef()?.name}`;
      found.push(field);
    },
    Argument({ name }) {
      if (info.getDirective()) return;
      const field = `${info.getParentType()?.name}.${info.getFieldDef()?.name}`;
      found.push(`${field}(${name.value})`);
    },
  });
  visit(parse(query), note);
  const known = new Set(graphqlFields.map(({ name }) => name));
  return found.filter((name) => known.has(name.split('(')[0] as string));
}

/** Everything that has to be shown by a test. */
export const everything = (): string[] => [
  ...operations.flatMap((operation) => [
    operation.name,
    ...operation.parameters.flatMap((parameter) => [
      taken(operation, parameter),
      refused(operation, parameter),
    ]),
  ]),
  ...graphqlFields.flatMap((field) => [
    field.name,
    ...field.field.args.map(({ name }) => argument(field, name)),
  ]),
];
