import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Network } from '../chain/networks.ts';
import type { Context } from '../context.ts';
import { makeYoga } from '../graphql/yoga.ts';
import { badInput } from '../kernel/refusal.ts';
import { readNetwork } from './rest.ts';

const MAX_BODY = 256 * 1024;

/** `/graphql` over POST and GET. */
export function serveGraphql(
  app: FastifyInstance,
  options: {
    networkHeaders: readonly string[];
    makeContext: (request: FastifyRequest, network: Network) => Context;
  },
) {
  const yoga = makeYoga((error) => app.log.error({ err: error }, 'resolver failed'));
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    bodyLimit: MAX_BODY,
    exposeHeadRoute: false,
    async handler(request, reply) {
      const { network, faults } = readNetwork(request, options.networkHeaders);
      if (faults.length > 0) throw badInput(faults);
      const context = options.makeContext(request, network);
      const response = await yoga.handleNodeRequestAndResponse(request, reply, context);
      for (const [name, value] of response.headers) if (name !== 'content-length') reply.header(name, value);
      return reply.code(response.status).send(await response.text());
    },
  });
}
