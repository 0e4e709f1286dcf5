import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../kernel/refusal.ts';

type Done = (error: Error | null, body?: unknown) => void;

/** What is wrong with a body before it is read as JSON, which is UTF-8 (RFC 8259): nothing in it is to be guessed. */
function faultOf({ headers }: FastifyRequest, body: Buffer): Refusal | undefined {
  const charset = /;\s*charset="?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    return new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The charset is not taken; send UTF-8.');
  }
  return isUtf8(body) ? undefined : new Refusal('BAD_INPUT', 'The body is not UTF-8 text.');
}

/** Has `app` take bodies of JSON, whose text `read` makes a body of. */
export function parseJsonAs(
  app: FastifyInstance,
  read: (request: FastifyRequest, text: string, done: Done) => void,
): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const fault = faultOf(request, body as Buffer);
    if (fault) done(fault);
    else read(request, body.toString(), done);
  });
}
