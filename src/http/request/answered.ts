import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** As in the logs of nginx. */
const CLIENT_LEFT = 499;

export const isEventStream = (reply: FastifyReply): boolean =>
  /^text\/event-stream/.test(String(reply.getHeader('content-type')));

/** Call it before hooks that refuse requests. `onResponse` does not run if the client leaves. */
export function onAnswered(
  app: FastifyInstance,
  note: (request: FastifyRequest, reply: FastifyReply, status: number) => void,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => {
      const isWhole = reply.raw.writableFinished || isEventStream(reply);
      const body = request.answer?.body;
      const list = body instanceof Readable ? body : undefined;
      const noted = () =>
        note(request, reply, isWhole ? reply.statusCode : list?.errored ? 500 : CLIENT_LEFT);
      // The units of a list are charged when it closes.
      if (list && !list.closed) list.once('close', noted);
      else noted();
    });
    done();
  });
}
