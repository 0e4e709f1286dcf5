import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings, sendsTraces } from '../../src/config/index.ts';
import { attributesOf, type Collector, type Exported, startCollector } from '../support/collector.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

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
let spans: Exported[];
let gateway: Gateway;
let stop: () => Promise<void>;
beforeAll(async () => {
  collector = await startCollector();
  ({ spans } = collector);
  stop = await collector.trace({ OTEL_SERVICE_NAME: 'gateway-of-test' });
  gateway = await startGateway({ log, settings: { CACHE: true } });
});
afterAll(async () => {
  await gateway.close();
  await stop();
  collector.close();
});

let traces = 0;
const newTrace = () => String((traces += 1)).padStart(32, 'a');
const parentOf = (trace: string, sampled = true) => ({
  traceparent: `00-${trace}-00f067aa0ba902b7-0${sampled ? 1 : 0}`,
});

/** The spans of a trace as nested lists of names, once the span of the request is there. */
const treeOf = (trace: string) =>
  eventually(() => {
    const own = spans.filter(({ traceId }) => traceId === trace);
    const root = own.find(({ parentSpanId }) => parentSpanId === '00f067aa0ba902b7');
    expect(root).toBeDefined();
    return { root: root as Exported, tree: collector.treeOf(root as Exported), own };
  });

describe('the spans of a request', () => {
  it('of GraphQL are the operation, its batches and their statements, below the caller’s span', async () => {
    const trace = newTrace();
    const query = `query Pools($id: String!) {
      a: operator(operatorId: $id, idType: POOL) { operatorId summary(window: SEVEN_DAYS) { validatorCount } }
      slashings(first: 2) { nodes { validatorIndex } } }`;
    const { errors } = await gateway.graphql(query, { id: 'Secret4711' }, parentOf(trace));
    expect(errors).toBeUndefined();
    const { root, tree, own } = await treeOf(trace);
    expect(tree.slice(0, 2)).toEqual(['POST /graphql', ['cache']]);
    const [operation, ...rest] = tree.slice(2);
    expect(rest).toEqual([]);
    const [name, ...below] = operation as unknown[];
    expect(name).toBe('query Pools');
    expect(below).toContainEqual(['batch', [expect.stringMatching(/^\w+$/)]]);
    expect(attributesOf(root)).toMatchObject({
      ...{ 'http.request.method': 'POST', 'http.route': '/graphql', 'stakegraph.account': 'default' },
      'stakegraph.token.name': 'test',
    });
    expect(Number(attributesOf(root)['http.response.status_code'])).toBe(200);
    const statement = own.find(({ kind }) => kind === 3) as Exported;
    expect(attributesOf(statement)).toEqual({ 'db.system.name': 'postgresql' });
    expect(root.kind).toBe(2);
    expect(JSON.stringify(own)).not.toMatch(/Secret|select|sgt_/i);
  });

  it('of REST are the cache and its statements, and a cached response has only the cache', async () => {
    const path = '/v0/eth/operators?window=7d&idType=pool&size=3';
    const [first, again] = [newTrace(), newTrace()];
    await gateway.get(path, parentOf(first));
    const { tree, own } = await treeOf(first);
    expect(tree.slice(0, 2)).toEqual(['GET /v0/eth/operators', ['cache']]);
    expect(tree.length).toBeGreaterThan(2);
    const hit = own.find(({ name }) => name === 'cache') as Exported;
    expect(attributesOf(hit)).toEqual({ 'stakegraph.cache.hit': false });
    await gateway.get(path, parentOf(again));
    const cached = await treeOf(again);
    expect(cached.tree).toEqual(['GET /v0/eth/operators', ['cache']]);
    expect(attributesOf(cached.own.find(({ name }) => name === 'cache') as Exported)).toEqual({
      'stakegraph.cache.hit': true,
    });
  });

  it('of a mutation have its transaction with each statement', async () => {
    const trace = newTrace();
    const query = 'mutation { createPrivateSet(input: { name: "A" }) { privateSet { setId } } }';
    await gateway.graphql(query, {}, parentOf(trace));
    const { tree } = await treeOf(trace);
    const text = JSON.stringify(tree);
    expect(text).toContain('["transaction",');
    expect(text).toContain('["insertSet"]');
    expect(text).toContain('["audit"]');
  });

  it('of several requests at once stay in the trace of each', async () => {
    const asked = Array.from({ length: 6 }, newTrace);
    await Promise.all(
      asked.map((trace, at) =>
        gateway.graphql(
          `{ operator(operatorId: "x${at}", idType: POOL) { operatorId } }`,
          {},
          parentOf(trace),
        ),
      ),
    );
    for (const trace of asked) {
      const { tree } = await treeOf(trace);
      expect(tree[0]).toBe('POST /graphql');
      expect(JSON.stringify(tree)).toContain('"query"');
    }
  });

  it('are not sent if the caller’s trace is not sampled, and its log lines still name the trace', async () => {
    const [off, on] = [newTrace(), newTrace()];
    await gateway.get('/v0/eth/slashings', { ...parentOf(off, false), 'x-request-id': 'off' });
    await gateway.get('/v0/eth/slashings', { ...parentOf(on), 'x-request-id': 'on' });
    await treeOf(on);
    expect(spans.filter(({ traceId }) => traceId === off)).toEqual([]);
    for (const [id, trace] of [
      ['off', off],
      ['on', on],
    ]) {
      const line = lines.find(({ reqId, msg }) => reqId === id && msg === 'answered');
      expect(line).toMatchObject({ trace_id: trace, span_id: expect.stringMatching(/^[\da-f]{16}$/) });
    }
  });

  it('are none for probes and scrapes, also not of their statements', async () => {
    for (const path of ['/ready', '/health', '/metrics']) {
      expect((await gateway.fetch(path)).status).toBe(200);
      expect((await gateway.fetch(`${path}/`)).status).toBe(200);
    }
    const trace = newTrace();
    await gateway.get('/v0/eth/slashings?size=3', parentOf(trace));
    await treeOf(trace);
    const names = spans.map(({ name }) => name);
    expect(names.filter((name) => /ready|health|metrics|newestPositions|lastRuns/.test(name))).toEqual([]);
  });

  it('begin a trace of their own without a valid traceparent', async () => {
    await gateway.get('/v0/eth/slashings?size=7', { traceparent: 'nonsense', 'x-request-id': 'own' });
    const line = await eventually(() => {
      const found = lines.find(({ reqId, msg }) => reqId === 'own' && msg === 'answered');
      expect(found).toBeDefined();
      return found as Record<string, unknown>;
    });
    await eventually(() => expect(spans.map(({ traceId }) => traceId)).toContain(line.trace_id));
  });

  it('keep the tracestate of the caller but for tokens in it', async () => {
    const trace = newTrace();
    const tracestate = `one=${gateway.token},other=kept`;
    await gateway.get('/v0/eth/slashings?size=8', { ...parentOf(trace), tracestate });
    await treeOf(trace);
    const body = collector.bodies.find((one) => one.includes(trace));
    expect(body).toContain('"traceState":"other=kept"');
    expect(body).not.toContain(gateway.token);
  });
});

it('the export names the service, goes to /v1/traces, and holds no token', () => {
  expect(JSON.stringify(collector.resources[0])).toContain('gateway-of-test');
  expect(collector.bodies.every((body) => body.startsWith('POST /v1/traces '))).toBe(true);
  expect(collector.bodies.join('\n')).not.toContain(gateway.token);
});

describe('settings of tracing', () => {
  it.each([
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'is "grpc"; http/protobuf or http/json is needed'],
    ['OTEL_TRACES_SAMPLER', 'jaeger', 'is "jaeger"; one of always_on'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'grpc', 'is "grpc"; http/protobuf or http/json is needed'],
    ['OTEL_TRACES_EXPORTER', 'console', 'is "console"; otlp or none is needed'],
    ['OTEL_TRACES_SAMPLER_ARG', '2', 'is "2"; a ratio from 0 to 1 is needed'],
    ['OTEL_TRACES_SAMPLER_ARG', '.', 'is "."; a ratio from 0 to 1 is needed'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2', 'OTEL_EXPORTER_OTLP_HEADERS: name=value pairs'],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'hunter2', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS: name=value pairs'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'OTEL_EXPORTER_OTLP_ENDPOINT: an http://'],
  ])('%s refuses %s', (name, value, told) => {
    expect(() => readSettings({ [name]: value })).toThrow(told);
  });

  it('are read as the standard says', () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:1';
    const sends = (more: object) => sendsTraces(readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT, ...more }));
    expect(sends({})).toBe(true);
    expect(sends({ OTEL_SDK_DISABLED: 'False' })).toBe(true);
    expect(sends({ OTEL_SDK_DISABLED: 'TRUE' })).toBe(false);
    expect(sends({ OTEL_TRACES_EXPORTER: 'none' })).toBe(false);
    expect(readSettings({ OTEL_TRACES_SAMPLER_ARG: '.5' }).OTEL_TRACES_SAMPLER_ARG).toBe(0.5);
  });
});
