import { at } from '../url/base.ts';
import { token } from './token.ts';

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

let early: { body: string; response: Promise<Response> } | undefined;

/** Sends a request before the application is there, which then takes the response of the same request. */
export function postEarly(body: string): Promise<Response> {
  const response = post(body);
  response.catch(() => undefined);
  early = { body, response };
  return response.then((one) => one.clone());
}

export function postGraphql(body: string): Promise<Response> {
  const sent = early?.body === body ? early.response : undefined;
  early = undefined;
  return sent ?? post(body);
}
