import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { accountOf } from '../support/account.ts';
import { makeAccount, storedUsage } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';
import { BLOCKS, importBlocks, slotsOf } from '../support/live-rows.ts';
import { subscribe } from '../support/subscribe.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway({ template: 'empty' });

describe('a subscription over HTTP', () => {
  it.each(['GET', 'POST'] as const)('is answered to %s with Accept: text/event-stream', async (method) => {
    const stream = await subscribe(gateway, BLOCKS, {}, { method });
    expect([stream.status, slotsOf(await stream.next())]).toEqual([200, []]);
    expect(stream.text()).toMatch(/^:\n\nevent: next\ndata: \{"data":.*\}\n\n$/);
    expect(Object.fromEntries(stream.headers)).toMatchObject({
      'cache-control': expect.stringContaining('no-store'),
      'x-accel-buffering': 'no',
    });
  });

  it.each([['*/*'], ['application/json, text/event-stream;q=0.5'], ['text/event-stream, multipart/mixed']])(
    'is answered to Accept: %s',
    async (accept) => {
      const stream = await subscribe(gateway, BLOCKS, {}, { headers: { accept } });
      expect(slotsOf(await stream.next())).toEqual([]);
    },
  );

  it.each(['application/json', 'multipart/mixed', 'application/graphql-response+json'])(
    'is 406 to Accept: %s, which it names the other for',
    async (accept) => {
      const { status, json } = await gateway.graphql(BLOCKS, {}, { accept });
      expect([status, json.errors[0].message]).toEqual([
        406,
        'The response to a subscription is text/event-stream; accept it.',
      ]);
    },
  );

  it('is never compressed, because that would hold events back', async () => {
    const stream = await subscribe(gateway, BLOCKS, {}, { headers: { 'accept-encoding': 'gzip, br' } });
    await stream.next();
    expect(stream.headers.get('content-encoding')).toBeNull();
  });

  it('needs a token', async () => {
    const stream = await subscribe(gateway, BLOCKS, {}, { token: 'none' });
    expect(stream.status).toBe(401);
  });

  it('is refused like a query where the document exceeds a limit or is invalid', async () => {
    const cases: [query: string, code: string][] = [
      ['subscription { blockAdded { revision } datasetChanged { datasets { name } } }', 'BAD_QUERY'],
      ['subscription { blockAdded { nothing } }', 'BAD_QUERY'],
      ['subscription { blockAdded @skip(if: true) { revision } }', 'BAD_QUERY'],
      ['subscription { ... @include(if: false) { blockAdded { revision } } }', 'BAD_QUERY'],
      [
        'subscription { ...F } fragment F on Subscription { blockAdded @skip(if: false) { revision } }',
        'BAD_QUERY',
      ],
      [
        `subscription { blockAdded { blocks { ${'proposer { operators { id } '.repeat(7)}${'}'.repeat(7)} } } }`,
        'BAD_QUERY',
      ],
      [
        'subscription { blockAdded { blocks { proposer { proposedBlocks(first: 200) { nodes { syncCommitteeRewards(first: 200) { nodes { id } } } } } } } }',
        'QUERY_LIMIT',
      ],
    ];
    for (const [query, code] of cases) {
      const stream = await subscribe(gateway, query);
      await stream.ended;
      expect([query, stream.results[0]?.errors[0].extensions.code]).toEqual([query, code]);
    }
  });

  slow(
    'sends a heartbeat at least every 15 seconds',
    async () => {
      const stream = await subscribe(gateway, BLOCKS);
      await stream.next();
      const before = stream.text().length;
      await eventually(() => expect(stream.text().slice(before)).toBe(':\n\n'), 16_000);
    },
    30_000,
  );
});

describe('a trusted subscription', () => {
  it('is found by its id over GET and POST, and with TRUSTED_ONLY no other is answered', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trusted-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'documents.json');
    writeFileSync(file, JSON.stringify({ live: BLOCKS }));
    const settings = { TRUSTED_DOCUMENTS: file, TRUSTED_ONLY: true };
    const own = await gatewayForTest({ template: 'empty', settings });
    for (const method of ['GET', 'POST'] as const) {
      const stream = await subscribe(own, BLOCKS, { after: 0 }, { method, members: { documentId: 'live' } });
      expect(slotsOf(await stream.next())).toEqual([]);
    }
    const other = await subscribe(own, 'subscription { blockAdded { revision } }');
    await other.ended;
    expect(other.text()).toContain('"FORBIDDEN"');
  });
});

describe('the cost of a subscription', () => {
  it('is one request, its base, and its rows as they are sent', async () => {
    const account = await makeAccount(gateway);
    const { token } = account;
    const used = async () => {
      await gateway.meter.flush();
      return storedUsage(gateway, account.name);
    };
    const stream = await subscribe(gateway, BLOCKS, {}, { token });
    await stream.next();
    expect(await used()).toEqual({ units: 5, requests: 1 });
    await importBlocks(gateway, [1, 2, 3]);
    await stream.next();
    expect(await used()).toEqual({ units: 8, requests: 1 });
    const links = await subscribe(
      gateway,
      'subscription { blockAdded { blocks { proposer { operators { id } } } } }',
      {},
      { token },
    );
    await links.next();
    stream.close();
    await importBlocks(gateway, [4]);
    expect((await links.next()).extensions.cost).toEqual({ charged: 1, remaining: null });
  });

  it('counts against the allowance: the stream ends with ALLOWANCE_USED when it is used up', async () => {
    const { token } = await makeAccount(gateway, { tier: 'build', unitAllowance: 7 });
    const stream = await subscribe(gateway, BLOCKS, {}, { token });
    expect((await stream.next()).extensions.cost).toEqual({ charged: 0, remaining: 2 });
    await importBlocks(gateway, [11, 12]);
    expect((await stream.next()).extensions.cost).toEqual({ charged: 2, remaining: 0 });
    await importBlocks(gateway, [14]);
    const { errors } = await stream.next();
    expect(errors[0]).toMatchObject({
      message: expect.stringContaining('7 of 7 compute units'),
      extensions: { code: 'ALLOWANCE_USED' },
    });
    await stream.ended;
    expect(stream.completed()).toBe(true);
  });

  it('ends with ALLOWANCE_USED before an event that may cost more than is left', async () => {
    const { token } = await makeAccount(gateway, { tier: 'build', unitAllowance: 7 });
    const stream = await subscribe(gateway, BLOCKS, {}, { token });
    await stream.next();
    await importBlocks(gateway, [15, 16, 17]);
    expect((await stream.next()).errors[0]).toMatchObject({
      message: expect.stringMatching(
        /^The next event may cost 3 compute units; 2 of 7 are left\. The allowance resets at 20/,
      ),
      extensions: { code: 'ALLOWANCE_USED' },
    });
    await stream.ended;
    expect(stream.completed()).toBe(true);
  });

  slow('stays within the allowance with 20 streams opened together', async () => {
    const { name, token } = await makeAccount(gateway, {
      tier: 'build',
      rateLimit: 100,
      unitAllowance: 3_000,
    });
    const aliases = ['a', 'b', 'c', 'd', 'e'].map(
      (alias) => `${alias}: syncCommitteeRewards(first: 1) { totalCount }`,
    );
    const query = `subscription { blockAdded { blocks { consensusSlot ${aliases} } } }`;
    const streams = [];
    for (let n = 0; n < 20; n += 1) streams.push(await subscribe(gateway, query, {}, { token }));
    for (const stream of streams) expect((await stream.next()).errors).toBeUndefined();
    await importBlocks(
      gateway,
      Array.from({ length: 50 }, (_, n) => 1_000 + n),
    );
    const events = await Promise.all(streams.map(({ next }) => next()));
    const refused = events.filter(({ errors }) => errors);
    expect(refused.map(({ errors }) => errors[0].extensions.code)).toEqual(
      Array(refused.length).fill('ALLOWANCE_USED'),
    );
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(20);
    await gateway.meter.flush();
    const { units } = await storedUsage(gateway, name);
    expect(units).toBeGreaterThan(1_000);
    expect(units).toBeLessThanOrEqual(3_000);
  });

  it('is refused before it opens where an event may cost more than is left', async () => {
    const { token } = await makeAccount(gateway, { tier: 'build', unitAllowance: 20 });
    const query = 'subscription { blockAdded { blocks { proposer { proposedBlocks { totalCount } } } } }';
    const stream = await subscribe(gateway, query, {}, { token });
    await stream.ended;
    expect(stream.results[0].errors[0].extensions.code).toBe('COST_LIMIT');
  });

  it('counts against the rate when it opens', async () => {
    const { token } = await makeAccount(gateway, { tier: 'build', rateLimit: 1 });
    const streams = await Promise.all([1, 2, 3].map(() => subscribe(gateway, BLOCKS, {}, { token })));
    expect(streams.map(({ status }) => status).toSorted()).toContain(429);
  });
});

describe('the number of streams', () => {
  it('is at most 20 a token; one that is closed makes room', async () => {
    const { token } = await accountOf(gateway);
    const open = () => subscribe(gateway, BLOCKS, {}, { token });
    const streams = await Promise.all(Array.from({ length: 20 }, open));
    for (const stream of streams) await stream.next();
    const refused = await open();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    await refused.ended;
    expect(JSON.parse(refused.text()).errors).toEqual([
      {
        message: 'The token has 20 streams open, which is the most; close one.',
        extensions: { code: 'RATE_LIMITED' },
      },
    ]);
    streams[0]?.close();
    await eventually(async () => expect((await open()).status).toBe(200));
  });

  slow('leaves the last third of MAX_STREAMS to accounts with fewer than two', async () => {
    const own = await gatewayForTest({ template: 'empty', settings: { MAX_STREAMS: 9 } });
    const open = async (token: string) => {
      const stream = await subscribe(own, BLOCKS, {}, { token });
      if (stream.status === 200) await stream.next();
      return stream.status;
    };
    const { token } = await accountOf(own);
    const statuses = [];
    for (let n = 0; n < 7; n += 1) statuses.push(await open(token));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 503]);
    for (let n = 0; n < 3; n += 1) {
      const other = await accountOf(own);
      expect([n, await open(other.token)]).toEqual([n, 200]);
    }
    expect(await open((await accountOf(own)).token)).toBe(503);
  });

  it('is at most MAX_STREAMS of all tokens', async () => {
    const own = await gatewayForTest({ template: 'empty', settings: { MAX_STREAMS: 2 } });
    const streams = [await subscribe(own, BLOCKS), await subscribe(own, BLOCKS)];
    for (const stream of streams) await stream.next();
    const refused = await subscribe(own, BLOCKS);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    const { text } = await own.fetch('/metrics');
    expect(text).toMatch(/^stakegraph_streams 2$/m);
    expect(text).toMatch(/^stakegraph_streams_refused_total 1$/m);
    expect(text).toMatch(/^stakegraph_stream_events_total 2$/m);
    expect(text).toMatch(/^stakegraph_streams_ended_total\{reason="slow_reader"\} 0$/m);
  });
});
