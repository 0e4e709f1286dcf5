import { createRequire } from 'node:module';
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { resolvers, typeDefs } from './schema.mjs';
import { attestations } from './tables.mjs';

// Mercurius maps no enum values in resolvers, a schema that is made for it does; in its own realm of graphql.
const { makeExecutableSchema } = createRequire(import.meta.url)('@graphql-tools/schema');

const app = Fastify();
await app.register(mercurius, {
  schema: makeExecutableSchema({ typeDefs, resolvers }),
  jit: 1,
  loaders: {
    Operator: {
      attestations: async (queries) => {
        const [{ obj, params }] = queries;
        const ids = queries.map((query) => query.obj.operatorId);
        return (await attestations(ids, obj.idType, params.first)).map((nodes) => ({ nodes }));
      },
    },
  },
});
await app.listen({ port: 0, host: '127.0.0.1' });
console.log(`listening at http://127.0.0.1:${app.server.address().port}`);
