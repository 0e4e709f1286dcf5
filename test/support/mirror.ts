import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Pool } from '../../src/db/pool.ts';
import { type MirrorScope, mirrorClasses, mirrorResources } from '../../src/ingest/mirror/options.ts';
import type { RoundReport } from '../../src/ingest/mirror/report.ts';
import { type MirrorOptions, mirrorOnce } from '../../src/ingest/mirror/run.ts';

export type Mirrored = RoundReport & { said: string[] };

/** Mirrors the service at `from` into a database as the command does, without waiting long for anything. */
export async function mirrorFrom(
  pool: Pool,
  from: string,
  options: Partial<Omit<MirrorOptions, 'scope' | 'from'>> &
    Partial<MirrorScope> & { stop?: AbortSignal } = {},
): Promise<Mirrored> {
  const { token = 'a-token', attempts = 4, firstBackoffMs = 2, resumeWithinMs = 0, ...rest } = options;
  const {
    stop = new AbortController().signal,
    rate = 10_000,
    timeoutMs = 2_000,
    replace = false,
    ...scope
  } = rest;
  const said: string[] = [];
  const report = await mirrorOnce(
    pool,
    {
      from: new URL(from),
      ...{ token, attempts, firstBackoffMs, resumeWithinMs, rate, timeoutMs, replace },
      networkHeader: options.networkHeader ?? 'X-Service-Network',
      unitsHeader: options.unitsHeader ?? 'X-Service-Compute-Units',
      scope: {
        resources: mirrorResources,
        resourcesNamed: scope.resources !== undefined,
        networks: ['mainnet'],
        windows: ['7d'],
        classes: mirrorClasses,
        attestationsOf: ['pool', 'nodeOperator'],
        calendars: ['chain'],
        blockSlots: 7_200,
        committeeSlots: 32,
        validators: [],
        full: false,
        pageSize: 200,
        ...scope,
      },
    },
    { stop, say: (message) => said.push(message) },
  );
  return { ...report, said };
}

export type Asked = { path: string; url: URL; headers: IncomingHttpHeaders };
export type Service = {
  url: string;
  /** Every request that came in. */
  asked: Asked[];
  /** Paths and queries of these. */
  paths(): string[];
  /** How requests are answered from now on. */
  answer: (request: Asked, response: ServerResponse) => unknown;
};

/** A service of one's own over HTTP, for one test. */
export async function serviceForTest(answer: Service['answer']): Promise<Service> {
  const asked: Asked[] = [];
  const service: Service = { url: '', asked, paths: () => asked.map(({ path }) => path), answer };
  const server = createServer((request, response) => {
    const one = {
      path: request.url as string,
      url: new URL(request.url as string, service.url),
      headers: request.headers,
    };
    asked.push(one);
    service.answer(one, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return service;
}

/** Answers JSON. */
export function reply(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** A page of a v0 list of these rows, as `from` and `size` ask for it. */
export function pageV0(rows: readonly unknown[], { url }: Asked) {
  const from = Number(url.searchParams.get('from') ?? 0);
  const size = Number(url.searchParams.get('size') ?? 15);
  const to = Math.min(rows.length, from + size);
  const query = new URLSearchParams(url.searchParams);
  query.set('from', String(to));
  return {
    page: { from, to, size, granularity: null, filterType: null },
    total: rows.length,
    data: rows.slice(from, to),
    next: to < rows.length ? `${url.pathname}?${query}` : (null as string | null),
  };
}
