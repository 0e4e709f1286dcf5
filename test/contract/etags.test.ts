import { afterAll, beforeAll, expect, it } from 'vitest';
import { routes } from '../../src/resources/index.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { document } from '../support/interface-page.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ settings: { CACHE: true } });
  await eventually(() => expect(gateway.revisions.trusted()).toBe(true));
});
afterAll(() => gateway.close());

const reads = routes
  .filter(({ method = 'GET' }) => method === 'GET')
  .map((route) => [route.path, route] as const);

it.each(reads)(
  'GET %s has an ETag and is 304 by it where the API reference says so, and nowhere else',
  async (_path, route) => {
    const operation = document.paths[route.path.replace(/:(\w+)/g, '{$1}')]?.get;
    const { status, headers } = await gateway.get(route.example);
    const tag = headers.get('etag');
    expect([status, tag !== null]).toEqual([200, '304' in (operation?.responses ?? {})]);
    if (tag === null) return;
    const again = await gateway.get(route.example, { 'if-none-match': tag });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
  },
);
