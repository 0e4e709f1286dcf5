import type { IncomingMessage, RequestListener } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { cleanPath } from '../../kernel/base-path.ts';

/** By request: the path below which the client sees the gateway, if that is known and not the root. */
const paths = new WeakMap<IncomingMessage, string>();
/** Requests from whose target that path was removed here, and not by a proxy. */
const shortened = new WeakSet<IncomingMessage>();

type Raw = Pick<FastifyRequest, 'raw'>;

/** `''` or like `/stake`. */
export const basePathOf = ({ raw }: Raw): string => paths.get(raw) ?? '';

export const wasShortened = ({ raw }: Raw): boolean => shortened.has(raw);

/**
 * How a page names the gateway, with a slash at the end: by the path if that is known, else by as many steps up as the
 * page is deep, which is right below any path that a proxy removes.
 */
export function rootOf(request: FastifyRequest): string {
  const path = basePathOf(request);
  if (path) return `${path}/`;
  const depth = (request.url.split('?', 1)[0] as string).split('/').length - 2;
  return depth > 0 ? '../'.repeat(depth) : './';
}

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** Where clients reach the gateway, without a slash at the end. `path` is that of `basePathOf`. */
export const baseUrl = (publicUrl: string | undefined, protocol: string, host = '', path = ''): string =>
  publicUrl ?? `${protocol === 'https' ? protocol : 'http'}://${HOST.test(host) ? host : 'localhost'}${path}`;

function trusts(networks: readonly string[]): (request: IncomingMessage) => boolean {
  const trusted = new BlockList();
  const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    if (bits === undefined) trusted.addAddress(address, familyOf(address));
    else trusted.addSubnet(address, Number(bits), familyOf(address));
  }
  return ({ socket: { remoteAddress } }) =>
    remoteAddress !== undefined && trusted.check(remoteAddress, familyOf(remoteAddress));
}

/** Clients append `next` to a base URL that has the path already, or resolve it: the path may come twice. */
const MOST_TIMES = 2;
const ORIGIN = /^https?:\/\/[^/?#]*/i;

function withoutPath(url: string, path: string): string {
  const origin = ORIGIN.exec(url)?.[0] ?? '';
  let target = url.slice(origin.length);
  for (let time = 0; time < MOST_TIMES; time += 1) {
    if (!target.startsWith(path) || !['/', '?', undefined].includes(target[path.length])) break;
    target = target.slice(path.length);
  }
  return origin + (target.startsWith('/') ? target : `/${target}`);
}

/**
 * Serves below the path of PUBLIC_URL, or below that of X-Forwarded-Prefix if a trusted proxy sends it, whether or not
 * the proxy removes the path. A prefix that is no clean path is ignored, like a wrong X-Forwarded-Host.
 */
export function belowBase(settings: {
  PUBLIC_URL?: string | undefined;
  TRUST_PROXY?: readonly string[] | undefined;
}): (serve: RequestListener) => RequestListener {
  const { PUBLIC_URL, TRUST_PROXY } = settings;
  const publicPath = PUBLIC_URL && new URL(PUBLIC_URL).pathname.replace(/\/$/, '');
  const isTrusted = TRUST_PROXY && trusts(TRUST_PROXY);
  if (!publicPath && (publicPath === '' || !isTrusted)) return (serve) => serve;
  const pathOf = (request: IncomingMessage): string => {
    if (publicPath !== undefined) return publicPath;
    const prefix = request.headers['x-forwarded-prefix'];
    return prefix !== undefined && isTrusted?.(request) ? (cleanPath(String(prefix)) ?? '') : '';
  };
  return (serve) => (request, response) => {
    const path = pathOf(request);
    if (path) {
      paths.set(request, path);
      const { url = '/' } = request;
      request.url = withoutPath(url, path);
      if (request.url !== url) shortened.add(request);
    }
    serve(request, response);
  };
}
