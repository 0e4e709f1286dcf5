import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { shownFault, withoutTokens } from '../accounts/token-format.ts';
import { countError } from '../graphql/run/errors.ts';
import { type Fault, Refusal, type RefusalCode, refusalStatus } from '../kernel/refusal.ts';

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

/** For responses without a result. GraphQL clients expect a code in `errors`. */
const graphqlCodes: Record<number, RefusalCode | 'INTERNAL'> = {
  400: 'BAD_INPUT',
  401: 'UNAUTHENTICATED',
  402: 'ALLOWANCE_USED',
  406: 'NOT_ACCEPTABLE',
  413: 'TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

function withErrors({ detail }: Answer['body'], status: number) {
  const code = graphqlCodes[status];
  if (!code) return { detail };
  countError(code);
  if (!Array.isArray(detail)) return { detail, errors: [{ message: detail, extensions: { code } }] };
  const message = (detail as Fault[]).map(({ msg }) => msg).join(' ');
  return { detail, errors: [{ message, extensions: { code, faults: detail } }] };
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const answer = error instanceof Refusal ? refusalAnswer(error) : fastifyAnswer(error as FastifyError);
  if (!answer || answer.status >= 500) request.log.error({ err: error }, 'request failed');
  const { status, headers, body } = answer ?? plain(500, 'Internal server error.');
  const isGraphql = request.routeOptions.url === '/graphql';
  return reply
    .code(status)
    .headers(headers)
    .send(isGraphql ? withErrors(body, status) : body);
}
