import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { gatewayForTest } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

const block = (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};
const PATH = '/v0/eth/operators?window=7d&idType=pool&size=1';

slow(
  'a gateway whose event loop was blocked for seconds, as at its start, answers if its limit is longer',
  async () => {
    const gateway = await gatewayForTest({ maxEventLoopDelayMs: 600_000 });
    for (let n = 0; n < 3; n += 1) {
      block(1_100);
      await turn();
    }
    expect((await gateway.get(PATH)).status).toBe(200);
  },
);

slow(
  'a gateway whose event loop is always late refuses data with 503 and Retry-After, until it is not',
  async () => {
    const gateway = await gatewayForTest({ maxEventLoopDelayMs: 100 });
    let late = true;
    const blocking = (async () => {
      while (late) {
        block(250);
        await turn();
      }
    })();
    await eventually(async () => {
      const { status, headers } = await gateway.get(PATH);
      expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    }, 60_000);
    expect((await gateway.fetch('/health')).status).toBe(200);
    late = false;
    await blocking;
    await eventually(async () => expect((await gateway.get(PATH)).status).toBe(200), 60_000);
  },
);
