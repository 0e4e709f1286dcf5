import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { bodyFaults } from '../../kernel/body.ts';
import { paramDocument, paramFaults } from '../../kernel/params.ts';
import type { Fault } from '../../kernel/refusal.ts';
import type { Route } from '../../kernel/route.ts';

function readPart(schema: z.ZodObject, part: string, input: unknown, faults: Fault[]) {
  // Adds a key for every documented parameter, because zod does not check missing keys.
  const given = input as Record<string, unknown>;
  const names = Object.keys(schema.shape);
  const read = schema.safeParse(
    Object.fromEntries(names.map((name) => [name, Object.hasOwn(given, name) ? given[name] : undefined])),
  );
  if (read.success) return read.data;
  faults.push(...paramFaults(read.error, part));
  const wrong = new Set(read.error.issues.map((issue) => issue.path[0]));
  const right = names.filter((name) => !wrong.has(name));
  return Object.fromEntries(
    right.map((name) => [name, z.parse(schema.shape[name] as z.ZodType, given[name])]),
  );
}

export function inputReader(route: Pick<Route<Context>, 'params' | 'query' | 'crossFieldFaults'>) {
  return (request: FastifyRequest, faults: Fault[]) => {
    const params = readPart(route.params, 'path', request.params, faults);
    const query = readPart(route.query, 'query', request.query, faults);
    faults.push(...(route.crossFieldFaults?.(query as never) ?? []));
    const names = Object.keys(request.query as object).filter((name) => !(name in route.query.shape));
    if (names.length > 0) {
      const unknown = names.slice(0, 20).map((name) => name.slice(0, 64));
      request.log.debug({ unknown }, 'unknown parameters ignored');
    }
    return { params, query };
  };
}

export function readBody(schema: z.ZodObject, input: unknown, faults: Fault[]) {
  const read = schema.safeParse(input ?? undefined);
  if (read.success) return read.data;
  faults.push(...bodyFaults(read.error));
  return undefined;
}

const absent = new Set<unknown>([undefined, '', 'null']);

export function deprecationReader(route: Pick<Route<Context>, 'query'>) {
  const names = Object.entries(route.query.shape).flatMap(([name, type]) =>
    paramDocument(type)?.schema.deprecated ? [name] : [],
  );
  return (query: Record<string, unknown>): boolean => names.some((name) => !absent.has(query[name]));
}
