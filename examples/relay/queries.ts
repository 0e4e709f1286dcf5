// Documents for the Relay compiler. A bundler's Relay plugin replaces them; main.ts imports the compiled ones instead.
import { graphql } from 'relay-runtime';

export const documents = () => [
  graphql`
    query queriesPoolsQuery($count: Int!, $cursor: String) {
      ...queriesPools @arguments(count: $count, cursor: $cursor)
    }
  `,
  graphql`
    fragment queriesPools on Query
    @argumentDefinitions(count: { type: "Int!" }, cursor: { type: "String" })
    @refetchable(queryName: "queriesPoolsPageQuery") {
      operators(window: SEVEN_DAYS, idType: POOL, first: $count, after: $cursor)
        @connection(key: "queriesPools_operators") {
        edges {
          node {
            operatorId
            displayName
            summary(window: SEVEN_DAYS) {
              avgUptime
              validatorCount
            }
          }
        }
        pageInfo {
          endCursor
          hasNextPage
        }
      }
    }
  `,
];
