import { at } from '../url/base.ts';
import { token } from './stored-token.ts';

const post = (body: string) =>
  fetch(at('/graphql'), {
    method: 'POST',
    headers: {
      accept: 'application/graphql-response+json',
      authorization: `Bearer ${token()}`,
      'content-type': 'application/json',
    },
    body,
  });

export const bodyOf = (query: string | null | undefined, operationName: string, variables: object) =>
  JSON.stringify({ query, operationName, variables });

/** What `first.ts` has requested: it is a script of its own. */
const shared = globalThis as { stakegraphFirst?: { body: string; response: Promise<Response> } | undefined };

/** Sends a request before the application is there, which then takes the response of the same request. */
export function postEarly(body: string): Promise<Response> {
  const response = post(body);
  response.catch(() => undefined);
  shared.stakegraphFirst = { body, response };
  return response.then((one) => one.clone());
}

export function postGraphql(body: string): Promise<Response> {
  const early = shared.stakegraphFirst;
  shared.stakegraphFirst = undefined;
  return early?.body === body ? early.response : post(body);
}
