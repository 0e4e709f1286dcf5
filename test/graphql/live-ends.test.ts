import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { setTier } from '../../src/accounts/accounts.ts';
import { listTokens, revokeToken } from '../../src/accounts/tokens.ts';
import { makeAccount } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import {
  createDatabase,
  type Gateway,
  gatewayForTest,
  startGateway,
  useGateway,
} from '../support/gateway.ts';
import { BLOCKS, importBlocks, slotsOf } from '../support/live-rows.ts';
import { subscribe } from '../support/subscribe.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway({ template: 'empty' });

const endedBy = async ({ fetch }: Gateway, reason: string) => {
  const { text } = await fetch('/metrics');
  return Number(
    new RegExp(`^stakegraph_streams_ended_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(text)?.[1],
  );
};

describe('a stream ends', () => {
  it('within seconds when its token is revoked, with UNAUTHENTICATED', async () => {
    const { token, name } = await makeAccount(gateway);
    const { token: other } = await makeAccount(gateway);
    const stream = await subscribe(gateway, BLOCKS, {}, { token });
    const kept = await subscribe(gateway, BLOCKS, {}, { token: other });
    for (const one of [stream, kept]) await one.next();
    const [own] = (await listTokens(gateway.database.pool)).filter(({ account }) => account === name);
    const revokedAt = performance.now();
    await revokeToken(gateway.database.pool, own?.tokenId as string);
    const { errors } = await stream.next();
    expect(errors).toEqual([
      { message: 'The token was revoked or has expired.', extensions: { code: 'UNAUTHENTICATED' } },
    ]);
    await stream.ended;
    expect(performance.now() - revokedAt).toBeLessThan(5_000);
    expect(stream.completed()).toBe(true);
    await importBlocks(gateway, [1]);
    expect(slotsOf(await kept.next())).toEqual([1]);
  });

  it('when the tier of its account changes, so that the client subscribes again with its new limits', async () => {
    const { token, name } = await makeAccount(gateway, { tier: 'build' });
    const stream = await subscribe(gateway, BLOCKS, {}, { token });
    await stream.next();
    await setTier(gateway.database.pool, { name, tier: 'growth' });
    await stream.ended;
    expect([stream.completed(), stream.results.length]).toEqual([false, 1]);
  });

  it('for the gateway when the client goes away', async () => {
    const before = await endedBy(gateway, 'client');
    const stream = await subscribe(gateway, BLOCKS);
    await stream.next();
    stream.close();
    await eventually(async () => expect(await endedBy(gateway, 'client')).toBeGreaterThan(before), 5_000);
  });

  slow(
    'at shutdown without an event complete, so that the client subscribes again, and continues on another replica without a gap',
    async () => {
      const database = await createDatabase('empty');
      onTestFinished(() => database.drop());
      const [first, second] = [await startGateway({ database }), await gatewayForTest({ database })];
      const { token } = first;
      const stream = await subscribe(first, BLOCKS);
      await stream.next();
      await importBlocks(second, [1]);
      const { revision } = (await stream.next()).data.blockAdded;
      await first.close();
      await stream.ended;
      expect(stream.completed()).toBe(false);
      await importBlocks(second, [3, 2]);
      const next = await subscribe(second, BLOCKS, { after: revision }, { token });
      expect(slotsOf(await next.next())).toEqual([2, 3]);
    },
  );
});

/** A client that subscribes and reads nothing until it is told to. */
async function stalled(url: string, token: string, query: string, variables: object) {
  const body = JSON.stringify({ query, variables });
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return {
    async read(): Promise<string> {
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.resume();
      await new Promise((done) => socket.once('end', done).once('close', done));
      return Buffer.concat(chunks).toString();
    },
  };
}

describe('a slow reader', () => {
  const everything = `subscription ($after: Int) { blockAdded(after: $after) { revision blocks {
    ${['id', 'network', 'epoch', 'consensusSlot', 'consensusBlockRoot', 'blockTimestamp', 'validatorIndex'].join(' ')}
    ${Array.from({ length: 20 }, (_, index) => `a${index}: consensusBlockRoot`).join(' ')} } } }`;

  slow(
    'is dropped with a reason that it reads at the end, and holds no more than an event meanwhile',
    async () => {
      const own = await gatewayForTest({ template: 'empty' });
      await importBlocks(
        own,
        Array.from({ length: 9_000 }, (_, index) => index),
      );
      const client = await stalled(own.url, own.token, everything, { after: 0 });
      await eventually(async () => expect(await endedBy(own, 'slow_reader')).toBe(1), 60_000);
      const { text } = await own.fetch('/metrics');
      const events = Number(/^stakegraph_stream_events_total (\d+)$/m.exec(text)?.[1]);
      expect(events).toBeLessThan(180);
      const read = await client.read();
      expect(read.split('event: next').length - 1).toBe(events + 1);
      expect(read).toContain(
        '{"errors":[{"message":"The stream was closed, because the client read too slowly. Subscribe again.","extensions":{"code":"SLOW_READER"}}]}\n\n',
      );
      expect(read).toContain('event: complete\ndata:\n\n');
    },
  );

  slow('that never reads costs no memory: with 50 of them it stays flat, until all are dropped', async () => {
    const own = await gatewayForTest({ template: 'empty' });
    await importBlocks(
      own,
      Array.from({ length: 9_000 }, (_, index) => index),
    );
    const accounts = await Promise.all([1, 2, 3].map(() => makeAccount(own)));
    const used = () => {
      const { heapUsed, external } = process.memoryUsage();
      return (heapUsed + external) / 1e6;
    };
    const before = used();
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        stalled(own.url, accounts[index % 3]?.token as string, everything, { after: 0 }),
      ),
    );
    const most = { mb: 0 };
    const sampling = setInterval(() => {
      most.mb = Math.max(most.mb, used() - before);
    }, 100);
    onTestFinished(() => clearInterval(sampling));
    await eventually(async () => expect(await endedBy(own, 'slow_reader')).toBe(50), 90_000);
    const { text } = await own.fetch('/metrics');
    const events = Number(/^stakegraph_stream_events_total (\d+)$/m.exec(text)?.[1]);
    const sent = Math.round(events / 50);
    process.stdout.write(
      `50 readers that never read: at most ${Math.round(most.mb)} MB more, ${sent} of 180 events each\n`,
    );
    expect(most.mb).toBeLessThan(150);
    expect(text).toMatch(/^stakegraph_streams 0$/m);
  });
});
