import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../kernel/refusal.ts';

type Done = (error: Error | null, body?: unknown) => void;

/** Accepts JSON bodies in UTF-8 only (RFC 8259); `read` parses the text. */
export function parseJsonAs(
  app: FastifyInstance,
  read: (request: FastifyRequest, text: string, done: Done) => void,
): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const charset = /;\s*charset="?([^\s;"]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
    if (charset !== undefined && !/^utf-?8$/i.test(charset))
      done(new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The charset is not accepted; send UTF-8.'));
    else if (!isUtf8(body as Buffer)) done(new Refusal('BAD_INPUT', 'The body is not UTF-8 text.'));
    else read(request, body.toString(), done);
  });
}
