// Relay without React: loads a page of pools and then the others into the connection in Relay's store.
import {
  createOperationDescriptor,
  Environment,
  fetchQuery,
  getSingularSelector,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';
import type { queriesPools$data } from '../generated/relay/queriesPools.graphql.js';
import fragment from '../generated/relay/queriesPools.graphql.js';
import nextPage from '../generated/relay/queriesPoolsPageQuery.graphql.js';
import firstPage, { type queriesPoolsQuery } from '../generated/relay/queriesPoolsQuery.graphql.js';

export function createEnvironment(url: string, token: string): Environment {
  const network = Network.create(async (request, variables) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: request.text, variables }),
    });
    return await response.json();
  });
  return new Environment({ network, store: new Store(new RecordSource()) });
}

/** Names of all pools, by network penetration. */
export async function poolNames(environment: Environment, count = 5): Promise<string[]> {
  const variables = { count, cursor: null };
  await fetchQuery<queriesPoolsQuery>(environment, firstPage, variables).toPromise();
  const root = environment.lookup(createOperationDescriptor(firstPage, variables).fragment);
  const selector = getSingularSelector(fragment, root.data as never);
  if (selector?.kind !== 'SingularReaderSelector') throw new Error('The fragment is not in the store.');
  for (;;) {
    const { operators } = environment.lookup(selector).data as unknown as queriesPools$data;
    if (!operators?.pageInfo.hasNextPage)
      return operators?.edges.map(({ node }) => node.displayName ?? node.operatorId) ?? [];
    const cursor = operators.pageInfo.endCursor;
    await fetchQuery(environment, nextPage, { count, cursor }).toPromise();
  }
}
