import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { useGateway } from '../support/gateway.ts';
import { mirrorFrom, pageV0, reply, type Service, serviceForTest } from '../support/mirror.ts';
import { slow } from '../support/thorough.ts';
import { operator } from './rows.ts';

const gateway = useGateway({ template: 'empty' });

type Options = Parameters<typeof mirrorFrom>[2];
const run = (service: Service, options: Options) =>
  mirrorFrom(gateway.database.pool, service.url, { resources: ['operators'], classes: ['pool'], ...options });

describe('a round that broke off', () => {
  const resumed: Options = { windows: ['1d', '7d', '30d'], resumeWithinMs: 60_000 };
  const windowed: Service['answer'] = (request, response) => {
    const timeWindow = request.url.searchParams.get('window');
    reply(response, pageV0([operator('A', { timeWindow })], request));
  };

  it('is gone on with where it stopped', async () => {
    const stop = new AbortController();
    const service = await serviceForTest((request, response) => {
      if (service.asked.length === 3) stop.abort(); // a list of pools takes two requests
      windowed(request, response);
    });
    const first = await run(service, { ...resumed, stop: stop.signal });
    expect(first).toMatchObject({ complete: false, ended: 'stopped', resources: [{ done: 2 }] });
    service.asked.length = 0;
    const second = await run(service, resumed);
    expect(second).toMatchObject({
      complete: true,
      resumed: true,
      round: first.round,
      resources: [{ done: 1, passed: 2 }],
    });
    expect(service.asked.map(({ url }) => url.searchParams.get('window'))).toEqual(['30d', '30d']);
    expect(await run(service, resumed)).toMatchObject({ resumed: false, resources: [{ done: 3 }] });
  });

  it('by a list that failed has only that one read again', async () => {
    const service = await serviceForTest((request, response) => {
      if (request.url.searchParams.get('window') === '7d') reply(response, {}, 500);
      else windowed(request, response);
    });
    expect(await run(service, resumed)).toMatchObject({
      complete: false,
      resources: [{ done: 2, failed: 1 }],
    });
    service.answer = windowed;
    expect(await run(service, resumed)).toMatchObject({
      complete: true,
      resources: [{ done: 1, passed: 2 }],
    });
  });

  it('is begun anew when it is too old, or when other lists are asked for', async () => {
    const service = await serviceForTest((_request, response) => reply(response, {}, 500));
    await run(service, { ...resumed, attempts: 1 });
    service.answer = windowed;
    expect(await run(service, { ...resumed, resumeWithinMs: 0 })).toMatchObject({ resumed: false });
    service.answer = (_request, response) => reply(response, {}, 500);
    await run(service, { ...resumed, attempts: 1 });
    service.answer = windowed;
    expect(await run(service, { ...resumed, windows: ['1d'] })).toMatchObject({ resumed: false });
  });

  slow('is not gone on with by two at once', async () => {
    const service = await serviceForTest((request, response) =>
      setTimeout(() => windowed(request, response), 300),
    );
    const first = run(service, resumed);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await expect(run(service, resumed)).rejects.toThrow(
      `Another process mirrors ${service.url} into this database.`,
    );
    expect((await first).complete).toBe(true);
  });

  slow('ends when the connection that holds its lock is lost, and is continued by the next run', async () => {
    const service = await serviceForTest((request, response) => {
      setTimeout(() => windowed(request, response), 300);
    });
    const first = run(service, resumed);
    await eventually(async () => {
      const { rows } = await gateway.database.pool.query({
        text: `select pg_terminate_backend(l.pid) from pg_locks l join pg_database d on d.oid = l.database
          where l.locktype = 'advisory' and l.granted and d.datname = current_database() and l.objid = (hashtext($1)::bigint & 4294967295)`,
        values: [`stakegraph mirror ${service.url}`],
      });
      expect(rows).toHaveLength(1);
    });
    expect(await first).toMatchObject({
      complete: false,
      ended: 'the connection that holds the lock of this mirror was lost',
    });
    expect(await run(service, resumed)).toMatchObject({ complete: true, resumed: true });
  });
});
