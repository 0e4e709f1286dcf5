import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { attributesOf, type Collector, startCollector } from '../support/collector.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { BLOCKS } from '../support/live-rows.ts';
import { subscribe } from '../support/subscribe.ts';

const lines: Record<string, unknown>[] = [];
const log = pino(
  { level: 'info' },
  new Writable({
    write(line, _encoding, done) {
      lines.push(JSON.parse(String(line)));
      done();
    },
  }),
);
let collector: Collector;
let gateway: Gateway;
let stop: () => Promise<void>;
beforeAll(async () => {
  collector = await startCollector();
  stop = await collector.trace();
  gateway = await startGateway({ log, template: 'empty' });
});
afterAll(async () => {
  await gateway.close();
  await stop();
  collector.close();
});

const lineOf = (id: string) =>
  eventually(() => {
    const [line, ...others] = lines.filter(({ reqId }) => reqId === id);
    expect(line).toBeDefined();
    expect(others).toEqual([]);
    return line as Record<string, unknown>;
  });
const spanOf = (line: Record<string, unknown>) =>
  eventually(() => {
    const span = collector.spans.find(({ spanId }) => spanId === line.span_id);
    expect(span).toBeDefined();
    return attributesOf(span as NonNullable<typeof span>);
  });
const observed = async (route: string): Promise<string[]> => {
  const { text } = await gateway.fetch('/metrics');
  return text
    .split('\n')
    .filter((line) => line.startsWith('stakegraph_http_request_seconds_count') && line.includes(route));
};

it('a request whose client leaves before the response is logged, measured and traced with status 499', async () => {
  const route = '/v0/eth/slashings';
  await gateway.database.pool.withClient(async (client) => {
    await client.query('begin; lock table slashings');
    const leave = new AbortController();
    const headers = { authorization: `Bearer ${gateway.token}`, 'x-request-id': 'left' };
    const asked = fetch(`${gateway.url}${route}`, { headers, signal: leave.signal });
    await eventually(() => expect(gateway.statements).toContainEqual(expect.stringMatching(/^slashing/)));
    leave.abort();
    await expect(asked).rejects.toThrow();
    const line = await lineOf('left');
    expect(line).toMatchObject({ msg: 'answered', route, status: 499, account: 'default' });
    expect(line.ms).toBeGreaterThan(0);
    expect(await spanOf(line)).toMatchObject({ 'http.route': route });
    expect(Number((await spanOf(line))['http.response.status_code'])).toBe(499);
    await client.query('rollback');
  });
  await gateway.get(route, { 'x-request-id': 'stays' });
  expect(await lineOf('stays')).toMatchObject({ status: 200 });
  await eventually(async () => {
    const counts = (await observed(route)).map((line) => line.replace(/.*status="(\d+)"\} /, '$1 '));
    expect(counts.sort()).toEqual(['200 1', '499 1']);
  });
  await lineOf('left');
});

it('a stream that its client closes is logged and traced with the status that was sent, and not measured', async () => {
  const stream = await subscribe(gateway, BLOCKS, {}, { headers: { 'x-request-id': 'stream' } });
  await stream.next();
  stream.close();
  const line = await lineOf('stream');
  expect(line).toMatchObject({ msg: 'stream closed', route: '/graphql', status: 200, units: 5 });
  expect(Number((await spanOf(line))['http.response.status_code'])).toBe(200);
  expect(await observed('/graphql')).toEqual([]);
});
