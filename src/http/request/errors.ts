import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { shownFault, withoutTokens } from '../../accounts/token-format.ts';
import { countError } from '../../graphql/errors.ts';
import { errorType } from '../../graphql/run/accept.ts';
import { type Fault, Refusal, type RefusalCode, refusalStatus } from '../../kernel/refusal.ts';

/** The interface prescribes this wording. */
const fixedDetail: Partial<Record<RefusalCode, string>> = {
  UNAUTHENTICATED: 'Not authenticated',
  FORBIDDEN: "You don't have permission to do that.",
};

type Answer = { status: number; headers: Record<string, string>; body: { detail: unknown } };

const refusalAnswer = (refusal: Refusal): Answer => ({
  status: refusalStatus[refusal.code],
  headers: {
    ...refusal.headers,
    ...(refusal.code === 'UNAUTHENTICATED' ? { 'www-authenticate': 'Bearer' } : {}),
  },
  body: {
    detail: refusal.faults?.map(shownFault) ?? fixedDetail[refusal.code] ?? withoutTokens(refusal.message),
  },
});

const plain = (status: number, detail: string): Answer => ({ status, headers: {}, body: { detail } });

const details: Record<string, string> = {
  FST_ERR_BAD_URL: 'The path is not valid percent-encoding.',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty; send JSON.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as Content-Length says.',
  FST_CP_ERR_INVALID_CONTENT: 'The body is not what Content-Encoding says.',
  FST_CP_ERR_INVALID_CONTENT_ENCODING:
    'The Content-Encoding is not accepted; send gzip, br, deflate or none.',
};
const tooLarge = plain(413, 'The request is too large.');
const answers: Record<number, Answer> = {
  400: plain(400, 'The body is not valid JSON.'),
  404: plain(404, 'Not found.'),
  413: plain(413, 'The body is too large.'),
  414: tooLarge,
  415: plain(415, 'The content type is not accepted; send application/json.'),
  431: tooLarge,
};

function fastifyAnswer({ code, statusCode = 500 }: FastifyError): Answer | undefined {
  const detail = details[code];
  const answer = detail === undefined ? answers[statusCode] : plain(statusCode, detail);
  if (answer?.status !== 400) return answer;
  const loc = [code === 'FST_ERR_BAD_URL' ? 'path' : 'body'];
  return { ...answer, body: { detail: [{ loc, msg: answer.body.detail, type: 'value_error' }] } };
}

/** Codes of errors that are no refusals. */
const fastifyCodes: Record<number, RefusalCode> = {
  400: 'BAD_INPUT',
  413: 'TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

function graphqlError({ detail }: Answer['body'], code: string) {
  if (!Array.isArray(detail)) return { message: detail, extensions: { code } };
  return {
    message: (detail as Fault[]).map(({ msg }) => msg).join(' '),
    extensions: { code, faults: detail },
  };
}

/**
 * A response without a result in the type that the client accepts: GraphQL clients read `errors` whatever the status only
 * if it is `application/graphql-response+json`, in which the specification allows no `detail`.
 */
function sendGraphqlError(error: unknown, request: FastifyRequest, reply: FastifyReply, answer: Answer) {
  const code = error instanceof Refusal ? error.code : (fastifyCodes[answer.status] ?? 'INTERNAL');
  countError(code);
  const errors = [graphqlError(answer.body, code)];
  const type = errorType(request.headers.accept);
  const body = type === 'application/json' ? { ...answer.body, errors } : { errors };
  return reply.type(`${type}; charset=utf-8`).send(JSON.stringify(body));
}

const GRAPHQL_PATH = /^\/graphql\/?(\?|$)/;
/** A method that is not served has no route. */
const isGraphql = ({ routeOptions, url }: FastifyRequest): boolean =>
  GRAPHQL_PATH.test(routeOptions.url ?? url);

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const found = error instanceof Refusal ? refusalAnswer(error) : fastifyAnswer(error as FastifyError);
  if (!found || found.status >= 500) request.log.error({ err: error }, 'request failed');
  const answer = found ?? plain(500, 'Internal server error.');
  reply.code(answer.status).headers(answer.headers);
  return isGraphql(request) ? sendGraphqlError(error, request, reply, answer) : reply.send(answer.body);
}
