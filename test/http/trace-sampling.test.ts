import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Collector, startCollector } from '../support/collector.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { hostileHeaderValues, rawRequest } from '../support/raw-request.ts';

const PATH = '/v0/eth/slashings?size=2';
const SPAN = '00f067aa0ba902b7';
let traces = 0;
const newTrace = () => String((traces += 1)).padStart(32, 'b');
const parentOf = (trace: string, sampled: boolean) => ({
  ...{ traceparent: `00-${trace}-${SPAN}-0${sampled ? 1 : 0}`, tracestate: 'caller=yes' },
});

describe.each([
  ['keeps no trace', 'parentbased_traceidratio', '0', 0],
  ['keeps every trace', 'parentbased_always_on', '1', 1],
])('a gateway that %s of its own', (_, sampler, ratio, kept) => {
  let collector: Collector;
  let gateway: Gateway;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    collector = await startCollector();
    stop = await collector.trace({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio });
    gateway = await startGateway({ settings: { CACHE: true } });
  });
  afterAll(async () => {
    await gateway.close();
    await stop();
    collector.close();
  });
  const spansOf = (trace: string) => collector.spans.filter(({ traceId }) => traceId === trace);
  const anonymous = (headers: Record<string, string>) => fetch(gateway.url + PATH, { headers });

  it('takes no decision from a caller without a valid token', async () => {
    const asked = [true, false, true].map((sampled) => [newTrace(), sampled] as const);
    for (const [index, [trace, sampled]] of asked.entries()) {
      const token = index === 2 ? { authorization: `Bearer sgt_${'x'.repeat(43)}` } : {};
      expect((await anonymous({ ...parentOf(trace, sampled), ...token })).status).toBe(401);
    }
    const known = newTrace();
    await gateway.get(PATH, parentOf(known, true));
    await eventually(() => expect(spansOf(known).length).toBeGreaterThan(0));
    for (const [trace] of asked) expect(spansOf(trace)).toEqual([]);
    await eventually(() =>
      expect(collector.roots('GET /v0/eth/slashings')).toHaveLength(kept * asked.length),
    );
    expect(collector.bodies.join().match(/caller=yes/g) ?? []).toHaveLength(spansOf(known).length);
  });

  it('answers and sends its spans whatever the headers of a trace', async () => {
    for (const name of ['traceparent', 'tracestate', 'baggage'])
      for (const value of hostileHeaderValues) {
        const headers = { ...parentOf(newTrace(), true), [name]: value };
        const { status, text } = await rawRequest(gateway, 'GET', PATH, headers);
        expect([name, value.slice(0, 60), status, text.slice(0, 2_000)]).toEqual([
          ...[name, value.slice(0, 60), expect.toSatisfy((code: number) => code < 500)],
          expect.not.stringContaining('INTERNAL'),
        ]);
      }
    const after = newTrace();
    await gateway.get(PATH, parentOf(after, true));
    await eventually(() => expect(spansOf(after).length).toBeGreaterThan(0));
  });

  it('takes the decision of a caller with a token, also of a cached response', async () => {
    const [on, off, cached] = [newTrace(), newTrace(), newTrace()];
    await gateway.get(PATH, parentOf(off, false));
    await gateway.get(PATH, parentOf(on, true));
    await gateway.get(PATH, parentOf(cached, true));
    for (const trace of [on, cached])
      await eventually(() =>
        expect(spansOf(trace).find(({ parentSpanId }) => parentSpanId === SPAN)).toBeDefined(),
      );
    expect(spansOf(off)).toEqual([]);
  });
});
