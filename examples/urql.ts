// urql with its normalized cache: three pages of pools. The cache warns if a type or a key is not as the schema says.
import { Client, fetchExchange, gql } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import type { IntrospectionQuery } from 'graphql';

const POOLS = gql<Page, { after: string | null }>`
  query Pools($after: String) {
    operators(window: THIRTY_DAYS, idType: POOL, first: 3, after: $after) {
      edges {
        node {
          id
          operatorId
          operatorTags {
            name
          }
          summary(window: THIRTY_DAYS) {
            id
            avgValidatorEffectiveness
            clientPercentages {
              client
              ratio
            }
            asOf {
              time
            }
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;

type Page = {
  operators: {
    edges: { node: { id: string; operatorId: string } }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
};

/** Parts of an object, which have no id: urql stores them with the object. */
const parts = ['AsOf', 'ClientPercentage', 'OperatorTag', 'RelayerPercentage'];

/** @param schema the result of an introspection query, by which the cache checks what it reads */
export function createClient(url: string, token: string, schema: IntrospectionQuery): Client {
  return new Client({
    url: `${url}/graphql`,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${token}` } },
    exchanges: [
      cacheExchange({
        schema,
        keys: Object.fromEntries(parts.map((name) => [name, () => null])),
        resolvers: { Query: { operators: relayPagination() } },
      }),
      fetchExchange,
    ],
  });
}

/** Ids of the pools of the first pages, each once. */
export async function poolIds(client: Client, pages = 3): Promise<string[]> {
  let after: string | null = null;
  let ids: string[] = [];
  for (let page = 0; page < pages; page += 1) {
    const { data, error }: { data?: Page; error?: Error } = await client.query(POOLS, { after });
    if (error) throw error;
    if (!data) break;
    ids = data.operators.edges.map(({ node }) => node.operatorId); // with the pages before
    after = data.operators.pageInfo.endCursor;
    if (!data.operators.pageInfo.hasNextPage) break;
  }
  return ids;
}
