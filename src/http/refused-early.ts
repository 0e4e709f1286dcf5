import { randomUUID } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
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

/**
 * Refuses (400) a request with no Host header or with several (RFC 9112, section 3.2). Node would answer a missing one
 * without a body, and use the first of several, while a proxy might use another.
 */
export const withHostChecked =
  (serve: RequestListener): RequestListener =>
  (request, response) => {
    const { httpVersion, rawHeaders } = request;
    let hosts = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] as string;
      if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    }
    if (hosts > 1) refuse(response, 400, `Host is given ${hosts} times; give it once.`);
    else if (hosts === 0 && httpVersion === '1.1')
      refuse(response, 400, 'Host is missing; HTTP/1.1 needs it.');
    else serve(request, response);
  };

/** Refuses (417) an Expect header other than 100-continue; Node's answer has no body. */
export const refuseExpectation: RequestListener = (_request, response) =>
  refuse(response, 417, 'The Expect header is not accepted; send 100-continue or none.');
