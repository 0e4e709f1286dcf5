import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CODE_FORM } from '../../accounts/page-codes.ts';
import { badInput, Refusal } from '../../kernel/refusal.ts';
import { pageSecurityHeaders } from '../request/security-headers.ts';

export type ExchangeCode = (code: string) => Promise<string | undefined>;

/** Limits the database statements of anonymous clients. Codes cannot be guessed anyway. */
const ATTEMPTS_A_SECOND = 100;

const codeForm = new RegExp(`^${CODE_FORM}$`);

const isOtherSite = ({ headers }: FastifyRequest) =>
  ![undefined, 'same-origin'].includes(headers['sec-fetch-site'] as string | undefined);

function countAttempts() {
  let second = -1;
  let attempts = 0;
  return () => {
    const now = Math.floor(performance.now() / 1_000);
    attempts = 1 + (now === second ? attempts : 0);
    second = now;
    return attempts;
  };
}

/** Trusts only the code, because behind a proxy neither the client's address nor `Host` proves anything. */
export function servePageToken(app: FastifyInstance, exchange: ExchangeCode = async () => undefined) {
  const attempt = countAttempts();
  app.post('/page-token', { bodyLimit: 1_024 }, async (request, reply) => {
    reply
      .removeHeader('access-control-allow-origin')
      .removeHeader('access-control-expose-headers')
      .headers({ ...pageSecurityHeaders, 'cache-control': 'no-store' });
    if (isOtherSite(request)) throw new Refusal('FORBIDDEN', 'Pages of other sites cannot get a token.');
    const code = (request.body as { code?: unknown } | null)?.code;
    if (typeof code !== 'string' || !codeForm.test(code))
      throw badInput([{ loc: ['body', 'code'], msg: 'the code of a link is needed', type: 'value_error' }]);
    if (attempt() > ATTEMPTS_A_SECOND) {
      const headers = { 'retry-after': '1' };
      throw new Refusal('RATE_LIMITED', 'Too many codes were tried; try again in a second.', { headers });
    }
    const token = await exchange(code);
    if (token !== undefined) return { token };
    const msg = 'is unknown, used or expired; "npx stakegraph open" prints a link with another';
    throw badInput([{ loc: ['body', 'code'], msg, type: 'value_error' }]);
  });
}
