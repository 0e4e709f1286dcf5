// The REST paths with types from openapi.json: the days of one pool, page by page until `next` is null.
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/rest.js';

export type Day = components['schemas']['AttestationRecord'];

/** Days on which the pool attested, oldest first. Throws an error with the gateway's message. */
export async function attestationsOf(url: string, token: string, pool: string): Promise<Day[]> {
  const api = createClient<paths, 'application/json'>({
    baseUrl: url,
    headers: { authorization: `Bearer ${token}` },
  });
  const days: Day[] = [];
  for (let offset = 0; ; ) {
    const { data, error } = await api.GET('/v1/eth/entities/{entity_id}/attestations', {
      params: { path: { entity_id: pool }, query: { entityType: 'pool', limit: 25, offset } },
    });
    if (error) throw new Error(JSON.stringify(error.detail));
    days.push(...data.results);
    if (data.next === null) return days;
    offset += data.results.length;
  }
}
