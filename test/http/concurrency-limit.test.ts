import { Agent, request } from 'node:http';
import Fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Caller } from '../../src/accounts/caller.ts';
import { concurrencyLimit } from '../../src/http/limits/concurrency-limit.ts';
import { Refusal, refusalStatus } from '../../src/kernel/refusal.ts';
import { eventually } from '../support/eventually.ts';
import { gatewayForTest } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

// Only so many requests of an account run at once. Its other requests wait in order, for a limited time.

/** A server whose requests run until the test ends them. They have no deadline unless one is given, because machines stall. */
async function guarded(most: number, deadlineMs = 600_000) {
  const app = Fastify();
  const gate = concurrencyLimit(most, deadlineMs);
  const working = new Map<string, (failure?: Error) => void>();
  const begun: string[] = [];
  app.setErrorHandler((error, _request, reply) =>
    reply.code(error instanceof Refusal ? refusalStatus[error.code] : 500).send({}),
  );
  app.get('/free', async () => 'free');
  app.decorateRequest('caller', null);
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => {
      request.caller = { accountId: request.headers.from ?? 'a' } as Caller;
    });
    scope.addHook('preHandler', gate.enter);
    scope.addHook('onSend', async (request) => gate.leave(request));
    scope.addHook('onResponse', async (request) => gate.leave(request));
    scope.addHook('onClose', async () => gate.stop());
    scope.get('/now', (_request, reply) => reply.send('now'));
    scope.get<{ Params: { name: string } }>('/work/:name', async ({ params: { name } }) => {
      begun.push(name);
      await new Promise<void>((resolve, reject) =>
        working.set(name, (failure) => (failure ? reject(failure) : resolve())),
      );
      return name;
    });
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const agent = new Agent();
  onTestFinished(async () => {
    for (const end of working.values()) end();
    agent.destroy();
    app.server.closeAllConnections();
    await app.close();
  });
  const ask = (name: string, path = `/work/${name}`, from = 'a') => {
    const sent = request(url + path, { agent, headers: { from } });
    const status = new Promise<number | undefined>((resolve) => {
      sent.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode)));
      sent.on('error', () => resolve(undefined));
    });
    sent.end();
    return { sent, status };
  };
  /** Asks, and waits until the request works or waits. */
  const arrive = async (name: string, from?: string) => {
    const [before, waited] = [begun.length, gate.waiting()];
    const asked = ask(name, `/work/${name}`, from);
    await eventually(() => expect(begun.length + gate.waiting()).toBe(before + waited + 1));
    return asked;
  };
  return {
    gate,
    url,
    begun,
    arrive,
    ask,
    end: (name: string, failure?: Error) => working.get(name)?.(failure),
  };
}

describe('requests at work', () => {
  it('are so many at once, and the next begins when one is answered or fails', async () => {
    const { gate, begun, arrive, end } = await guarded(2);
    const asked = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) asked.push(await arrive(name));
    expect([begun, gate.waiting()]).toEqual([['a', 'b'], 3]);
    end('b');
    await eventually(() => expect(begun).toEqual(['a', 'b', 'c']));
    end('a', new Error('failed'));
    await eventually(() => expect(begun).toEqual(['a', 'b', 'c', 'd']));
    end('c');
    end('d');
    await eventually(() => expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']));
    end('e');
    expect(await Promise.all(asked.map(({ status }) => status))).toEqual([500, 200, 200, 200, 200]);
    expect(gate.waiting()).toBe(0);
  });

  it('of another account wait for none of them: of the last places, an account gets fewer than are left', async () => {
    const { gate, begun, arrive, end } = await guarded(2);
    for (const account of ['a', 'b', 'c', 'd', 'e'])
      for (const n of [1, 2, 3]) await arrive(`${account}${n}`, account);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1', 'e1']);
    await arrive('f1', 'f');
    expect(gate.waiting()).toBe(8);
    end('a1'); // f has none at work
    await eventually(() => expect(begun.slice(8)).toEqual(['f1']));
    expect(gate.waiting()).toBe(7);
  });

  it('leave when their caller goes, and one that went while it waited never begins', async () => {
    const { begun, arrive, end, gate } = await guarded(1);
    const first = await arrive('first');
    const second = await arrive('second');
    await arrive('third');
    second.sent.destroy();
    await second.status;
    first.sent.destroy();
    await first.status;
    end('first');
    await eventually(() => expect(begun).toEqual(['first', 'third']));
    expect(gate.waiting()).toBe(0);
  });

  it('keep others waiting for the deadline at the longest, which is 503 then', async () => {
    const { begun, arrive, end } = await guarded(1, 100);
    const first = await arrive('first');
    const second = await arrive('second');
    expect(await second.status).toBe(503);
    end('first');
    expect(await first.status).toBe(200);
    const third = await arrive('third');
    end('third');
    expect(await third.status).toBe(200);
    expect(begun).toEqual(['first', 'third']);
  });

  slow('keep at most 2,000 waiting: the next is 503 at once', async () => {
    const { ask, arrive, gate } = await guarded(1);
    await arrive('first');
    const waiting = Array.from({ length: 2_000 }, (_, index) => ask(`${index}`));
    await eventually(() => expect(gate.waiting()).toBe(2_000), 60_000);
    expect(await ask('more').status).toBe(503);
    for (const { sent } of waiting) sent.destroy();
  });

  slow('may be answered at once, however many wait', async () => {
    const { ask, arrive, gate, end } = await guarded(1);
    await arrive('first');
    const waiting = Array.from({ length: 1_900 }, () => ask('', '/now').status);
    await eventually(() => expect(gate.waiting()).toBe(1_900), 60_000);
    end('first');
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([200]));
  });

  it('keep nobody waiting on other routes', async () => {
    const { url, arrive } = await guarded(1);
    await arrive('first');
    expect(await (await fetch(`${url}/free`)).text()).toBe('free');
  });
});

slow('A request waits for its turn as long as WAIT_TIMEOUT_MS says, and is 503 after that', async () => {
  const gateway = await gatewayForTest({ template: 'empty', settings: { WAIT_TIMEOUT_MS: 300 } });
  const statuses: number[] = [];
  const asked = await gateway.database.pool.withClient(async (client) => {
    await client.query('begin; lock table slashings in access exclusive mode');
    const asked = Array.from({ length: 40 }, async () =>
      statuses.push((await gateway.get('/v0/eth/slashings')).status),
    );
    await eventually(() => expect(statuses).toEqual(Array(8).fill(503)), 60_000); // 32 work, on the locked table
    await client.query('rollback');
    return asked;
  });
  await Promise.all(asked);
  expect(statuses).toEqual([...Array(8).fill(503), ...Array(32).fill(200)]);
});
