import { GraphQLError } from 'graphql';
import { badInput, quoted, Refusal } from '../../kernel/refusal.ts';
import type { TrustedDocuments } from './trusted-documents.ts';

/** GraphQL-Codegen's clients send `documentId`; users of Relay choose the name. */
export const idNames = ['documentId', 'doc_id', 'id'] as const;

export type Params = { query?: unknown; extensions?: unknown } & {
  [Name in (typeof idNames)[number]]?: unknown;
};

const HASH = 'extensions.persistedQuery.sha256Hash';

function hashOf(extensions: unknown): unknown {
  const { persistedQuery } = (extensions ?? {}) as { persistedQuery?: { sha256Hash?: unknown } | null };
  return persistedQuery ? (persistedQuery.sha256Hash ?? null) : undefined;
}

export const refersToDocument = (params: Params, byId: boolean): boolean =>
  hashOf(params.extensions) !== undefined || (byId && idNames.some((name) => params[name] != null));

/** Status 200 makes the clients of Apollo and urql send the document's text. */
const persistedQueryError = (message: string, code: string) =>
  new GraphQLError(message, { extensions: { code, http: { status: 200 } } });

const refusal = (original: Refusal) => new GraphQLError(original.message, { originalError: original });

export const documentReader =
  (trusted: TrustedDocuments | undefined) =>
  (params: Params, place: 'body' | 'query' = 'body'): Params | GraphQLError => {
    const { documentId, doc_id, id, ...plain } = params;
    const hash = hashOf(params.extensions);
    if (!trusted) {
      if (hash === undefined || params.query) return params;
      return persistedQueryError('PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED');
    }
    if (params.query) {
      if (!trusted.only || trusted.texts.has(params.query as string)) return plain;
      const msg = 'Only trusted documents are answered; this one is not among those of TRUSTED_DOCUMENTS.';
      return refusal(new Refusal('FORBIDDEN', msg));
    }
    const named = { documentId, doc_id, id, [HASH]: hash };
    const given = Object.entries(named).filter(([, value]) => value !== undefined && value !== null);
    const [name, value] = given[0] ?? [];
    if (name === undefined) return plain;
    const fault = (msg: string) => refusal(badInput([{ loc: [place, name], msg, type: 'graphql_params' }]));
    if (given.some(([, other]) => other !== value))
      return fault(`${given.map(([other]) => other).join(' and ')} name different documents; send one.`);
    const query = trusted.byId.get(value as string);
    if (query !== undefined) return { ...plain, query };
    if (name === HASH) return persistedQueryError('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND');
    return fault(`${name} is ${quoted(String(value))}, which is not a trusted document.`);
  };
