import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { privateHeaders, securityHeaders } from './security-headers.ts';

function refuse(response: ServerResponse, status: number, detail: string): void {
  const body = JSON.stringify({ detail });
  response
    .writeHead(status, {
      ...securityHeaders,
      ...privateHeaders,
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': randomUUID(),
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    })
    .end(body);
}

/** What is wrong with the Host of a request (RFC 9112, section 3.2); undefined where nothing is. */
function hostFault({ httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return `Host is given ${hosts} times; give it once.`;
  return hosts === 0 && httpVersion === '1.1' ? 'Host is missing; HTTP/1.1 needs it.' : undefined;
}

/**
 * Refuses (400) a request without Host, which Node would answer without a body, or with several, of which Node takes the
 * first and a proxy may take another.
 */
export const withHostChecked =
  (serve: RequestListener): RequestListener =>
  (request, response) => {
    const fault = hostFault(request);
    if (fault === undefined) serve(request, response);
    else refuse(response, 400, fault);
  };

/** Refuses (417) an Expect that is not 100-continue, to which Node answers no body. */
export const refuseExpectation: RequestListener = (_request, response) =>
  refuse(response, 417, 'The Expect header is not taken; send 100-continue or none.');
