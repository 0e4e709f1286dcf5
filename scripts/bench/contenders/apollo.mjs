import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import DataLoader from 'dataloader';
import { resolvers, typeDefs } from './schema.mjs';
import { attestations } from './tables.mjs';

const server = new ApolloServer({
  typeDefs,
  resolvers: {
    ...resolvers,
    Operator: {
      ...resolvers.Operator,
      attestations: async ({ operatorId, idType }, { first }, { days }) => ({
        nodes: await days(idType, first).load(operatorId),
      }),
    },
  },
});
const { url } = await startStandaloneServer(server, {
  listen: { port: 0, host: '127.0.0.1' },
  context: async () => {
    const loaders = new Map();
    return {
      days(idType, first) {
        const key = `${idType} ${first}`;
        if (!loaders.has(key))
          loaders.set(key, new DataLoader((ids) => attestations([...ids], idType, first)));
        return loaders.get(key);
      },
    };
  },
});
console.log(`listening at ${url}`);
