import type { FastifyRequest } from 'fastify';
import { isObject } from '../../kernel/json.ts';
import type { Fault } from '../../kernel/refusal.ts';
import { refersToDocument } from './documents.ts';

const isJsonObject = (text: unknown): boolean => {
  try {
    return typeof text === 'string' && isObject(JSON.parse(text));
  } catch {
    return false;
  }
};

const NOT_TRUSTED =
  'The request names a trusted document, and this gateway has none: send its text as query.';
const absent = (given: object) =>
  'documentId' in given || 'doc_id' in given ? NOT_TRUSTED : 'Give one query, as text.';

/** Runs before Yoga, which treats `{}` as a missing body and answers 500 to bad JSON in a URL. */
export function paramsFaults({ method, body, query }: FastifyRequest, byId: boolean): Fault[] {
  const fault = (loc: string[], msg: string): Fault[] => [{ loc, msg, type: 'graphql_params' }];
  if (method === 'POST') {
    if (!isObject(body)) return fault(['body'], 'The body must be one JSON object with a query.');
    if (body.query == null && refersToDocument(body, byId)) return [];
    return typeof body.query === 'string' ? [] : fault(['body', 'query'], absent(body));
  }
  const given = query as Record<string, unknown>;
  const { query: text, extensions } = given;
  const named = { ...given, extensions: isJsonObject(extensions) ? JSON.parse(String(extensions)) : {} };
  const isGiven =
    text === undefined ? refersToDocument(named, byId) : typeof text === 'string' && text !== '';
  if (!isGiven) return fault(['query', 'query'], absent(given));
  return ['variables', 'extensions'].flatMap((name) =>
    !given[name] || isJsonObject(given[name]) ? [] : fault(['query', name], `${name} must be a JSON object.`),
  );
}
