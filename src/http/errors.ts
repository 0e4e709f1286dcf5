import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { shownFault } from '../accounts/token-format.ts';
import { Refusal, type RefusalCode, refusalStatus } from '../kernel/refusal.ts';

/** The texts that the interface fixes; the other codes answer with the refusal's own message. */
const fixedDetail: Partial<Record<RefusalCode, string>> = {
  UNAUTHENTICATED: 'Not authenticated',
  FORBIDDEN: "You don't have permission to do that.",
};

type Answer = { status: number; headers: Record<string, string>; body: { detail: unknown } };

/** A refusal as REST answers it: `{"detail": …}`, with one item for each fault of the input. */
const refusalAnswer = (refusal: Refusal): Answer => ({
  status: refusalStatus[refusal.code],
  headers: {
    ...refusal.headers,
    ...(refusal.code === 'UNAUTHENTICATED' ? { 'www-authenticate': 'Bearer' } : {}),
  },
  body: { detail: refusal.faults?.map(shownFault) ?? fixedDetail[refusal.code] ?? refusal.message },
});

const plain = (status: number, detail: string): Answer => ({ status, headers: {}, body: { detail } });

/** Fastify's own refusals, before a handler of ours is reached. */
function fastifyAnswer(error: FastifyError): Answer | undefined {
  switch (error.statusCode) {
    case 400:
      return plain(
        400,
        error.code === 'FST_ERR_BAD_URL'
          ? 'The path is not valid percent-encoding.'
          : 'The body is not valid JSON.',
      );
    case 404:
      return plain(404, 'Not found.');
    case 413:
      return plain(413, 'The body is larger than is taken.');
    case 414:
    case 431:
      return plain(413, 'The request is larger than is taken.');
    case 415:
      return plain(415, 'The content type is not taken; send application/json.');
    default:
      return undefined;
  }
}

/** Renders whatever was thrown. What is not a refusal is masked, and logged with the request's id. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const answer = error instanceof Refusal ? refusalAnswer(error) : fastifyAnswer(error as FastifyError);
  if (!answer || answer.status >= 500) request.log.error({ err: error }, 'request failed');
  const { status, headers, body } = answer ?? plain(500, 'Internal server error.');
  return reply.code(status).headers(headers).send(body);
}
