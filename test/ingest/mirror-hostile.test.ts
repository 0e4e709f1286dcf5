import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';
import { type Asked, mirrorFrom, pageV0, reply, type Service, serviceForTest } from '../support/mirror.ts';
import { operator } from './rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());
beforeEach(async () => {
  const text =
    'truncate operator_summaries, operator_lists, mirror_runs, mirror_state, mirror_usage, datasets cascade';
  await database.pool.query({ text, values: [] });
});

const TOKEN = 'sg_a-secret-of-the-upstream';
const rows = Array.from({ length: 9 }, (_, index) =>
  operator(`Pool ${index}`, { networkPenetration: 0.5 - index / 100 }),
);
const good: Service['answer'] = (request, response) => reply(response, pageV0(rows, request));

const run = (from: string, options: Parameters<typeof mirrorFrom>[2] = {}) =>
  mirrorFrom(database.pool, from, {
    ...{ token: TOKEN, resources: ['operators'], classes: ['pool'], pageSize: 3, timeoutMs: 500 },
    ...options,
  });
const stored = async () => {
  const text = 'select operator_id from operator_summaries where not superseded order by 1';
  return (await database.pool.query({ text, values: [] })).rows.map((row) => row.operator_id);
};
const all = rows.map(({ id }) => id);

/** Answers correctly except to the n-th request (from 0). */
const butFor = (service: Service, number: number, wrong: Service['answer']) => {
  service.answer = (request, response) =>
    (service.asked.length === number + 1 ? wrong : good)(request, response);
};

async function mirrored(answer: Service['answer'] = good) {
  const service = await serviceForTest(answer);
  return { service, report: await run(service.url) };
}

/** Checks that nothing was loaded, and returns the report. */
async function refused(answer: Service['answer']) {
  const { service, report } = await mirrored(answer);
  expect(await stored()).toEqual([]);
  expect(report.complete).toBe(false);
  expect(JSON.stringify(report)).not.toContain(TOKEN);
  return { service, error: report.failures[0]?.error as string, report };
}

describe('a service that falters', () => {
  it.each<[string, Service['answer']]>([
    ['answers 500', (_request, response) => reply(response, { detail: 'no' }, 500)],
    ['answers 429 with seconds', (_request, response) => reply(response, {}, 429, { 'retry-after': '0' })],
    [
      'answers 503 with a date',
      (_request, response) => reply(response, {}, 503, { 'retry-after': new Date().toUTCString() }),
    ],
    ['resets the connection', (_request, response) => response.destroy()],
    [
      'answers half of what it announces',
      (request, response) => {
        const text = JSON.stringify(pageV0(rows, request));
        response.writeHead(200, {
          'content-type': 'application/json',
          'content-length': String(text.length),
        });
        response.write(text.slice(0, 200));
        setTimeout(() => response.destroy(), 20);
      },
    ],
    [
      'breaks off a chunked answer',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"page":{');
        setTimeout(() => response.destroy(), 20);
      },
    ],
    [
      'answers half a JSON',
      (request, response) => reply(response, JSON.stringify(pageV0(rows, request)).slice(0, -20)),
    ],
    ['answers HTML', (_request, response) => reply(response, '<html>Maintenance</html>')],
    ['does not answer', () => undefined],
  ])('is asked again when it %s', async (_name, wrong) => {
    const service = await serviceForTest(good);
    butFor(service, 1, wrong);
    const report = await run(service.url);
    expect(report).toMatchObject({ complete: true, failures: [] });
    expect(await stored()).toEqual(all);
    expect(service.paths()[2]).toBe(service.paths()[1]);
    expect(report.said).toHaveLength(1);
    expect(report.resources[0]?.requests).toBe(service.asked.length);
  });

  it('is waited for as long as Retry-After says', async () => {
    const service = await serviceForTest(good);
    butFor(service, 1, (_request, response) => reply(response, {}, 429, { 'retry-after': '1' }));
    const began = Date.now();
    expect((await run(service.url)).complete).toBe(true);
    expect(Date.now() - began).toBeGreaterThanOrEqual(990);
  });

  it('is not waited for after the mirror was stopped, however low its rate is', async () => {
    const service = await serviceForTest(good);
    const stop = new AbortController();
    const mirrored = run(service.url, { rate: 0.001, stop: stop.signal });
    await eventually(() => expect(service.asked).toHaveLength(1));
    stop.abort();
    expect((await mirrored).ended).toBe('stopped');
  });

  it('that asks to wait for an hour ends the run, which says so', async () => {
    const { service, error, report } = await refused((_request, response) =>
      reply(response, {}, 429, { 'retry-after': '3600' }),
    );
    expect(service.asked).toHaveLength(1);
    expect(error).toBe(
      '/v0/eth/operators?window=7d&idType=pool&size=3: responds with 429 and asks to wait 3600 s; run again after that.',
    );
    expect(report.ended).toBe('the service refuses further requests');
  });

  it.each<[string, Service['answer']]>([
    ['responds with 500', (_request, response) => reply(response, {}, 500)],
    ['responds with HTML instead of JSON', (_request, response) => reply(response, '<!doctype html>')],
    ['responds with invalid JSON', (_request, response) => reply(response, '{"page":')],
    ['no response in time', () => undefined],
  ])('for good is tried so often and no more: %s', async (told, answer) => {
    const { service, error } = await refused(answer);
    expect(service.asked).toHaveLength(4);
    expect(error).toContain('/v0/eth/operators?window=7d&idType=pool&size=3: ');
    expect(error).toContain(told);
    expect(error).toContain('4 times in a row; run again later, or check the service.');
  });

  it('is not tried for every list when it is away', async () => {
    const service = await serviceForTest((_request, response) => response.destroy());
    const report = await run(service.url, {
      resources: ['operators', 'stake-authorities'],
      classes: ['pool', 'entity'],
      windows: ['1d', '7d', '30d', 'all'],
    });
    expect(report.failures).toHaveLength(5);
    expect(report.ended).toBe('the service does not respond');
  });

  it.each([
    [400, 'refuses the request (400): [{"loc":["query","size"],"msg":"too large"}].'],
    [401, 'rejects the token (401); check the variable that --token-env names.'],
    [402, 'the allowance of the account is used up (402)'],
    [403, 'is forbidden for this account (403)'],
    [404, 'does not exist (404); leave it out with --resources, or check --from.'],
  ])('is not asked again after %i', async (status, told) => {
    const detail = status === 400 ? [{ loc: ['query', 'size'], msg: 'too large' }] : `never ${TOKEN}`;
    const { service, error } = await refused((_request, response) => reply(response, { detail }, status));
    expect(service.asked).toHaveLength(1);
    expect(error).toContain(told);
  });
});

describe('links and redirects that leave the service', () => {
  const elsewhere = () => serviceForTest((request, response) => reply(response, pageV0(rows, request)));

  it.each([301, 302, 307, 308])(
    'a redirect (%i) to another host is refused, and the token stays',
    async (status) => {
      const other = await elsewhere();
      const { error } = await refused((request, response) =>
        reply(response, {}, status, { location: other.url + request.path }),
      );
      expect(error).toContain(`redirects (${status}) to ${new URL(other.url).host}, which is not followed`);
      expect(other.asked).toEqual([]);
    },
  );

  it.each<[string, (other: string, own: string) => string, string]>([
    ['another host', (other) => `${other}/v0/eth/operators?from=3`, 'leaves 127.0.0.1'],
    [
      'another host without a scheme',
      (other) => `${other.replace('http:', '')}/v0/eth/operators?from=3`,
      'leaves',
    ],
    [
      'the same host by another name',
      (_other, own) => `${own.replace('127.0.0.1', 'localhost')}/v0/eth/operators?from=3`,
      'leaves',
    ],
    ['another scheme', () => 'file:///etc/passwd', 'leaves'],
    ['another path', () => '/v0/eth/slashings?from=3', 'leaves the path of the list'],
    ['a path above', () => '../../admin?from=3', 'leaves the path of the list'],
    ['no URL', () => 'http://[', 'is not a URL'],
  ])('a next to %s is refused', async (_name, next, told) => {
    const other = await elsewhere();
    const { error, service } = await refused((request, response) =>
      reply(response, { ...pageV0(rows, request), next: next(other.url, `http://${request.headers.host}`) }),
    );
    expect(error).toContain(told);
    expect(error).toContain('is not followed');
    expect(other.asked).toEqual([]);
    expect(service.asked).toHaveLength(1);
  });

  it.each<[string, (own: string) => string]>([
    ['absolute', (own) => own],
    ['absolute with the scheme of a proxy', (own) => own.replace('http:', 'https:')],
    ['with a user', (own) => own.replace('//', '//user:pass@')],
  ])('a next that is %s is followed on the address of the service', async (_name, base) => {
    const { report } = await mirrored((request, response) => {
      const page = pageV0(rows, request);
      reply(response, { ...page, next: page.next && base(`http://${request.headers.host}`) + page.next });
    });
    expect(report.failures).toEqual([]);
    expect(await stored()).toEqual(all);
  });

  it('a next below a base path may have that or not', async () => {
    const service = await serviceForTest((request, response) => {
      const page = pageV0(rows, request);
      const next =
        page.next && (request.url.searchParams.has('from') ? page.next : page.next.replace('/base', ''));
      reply(response, { ...page, next });
    });
    expect((await run(`${service.url}/base/`)).failures).toEqual([]);
    expect(service.paths().every((path) => path.startsWith('/base/v0/eth/operators?'))).toBe(true);
    expect(await stored()).toEqual(all);
  });
});

describe('links that lead nowhere', () => {
  it('a loop of next is refused', async () => {
    const { error, service } = await refused((request, response) => {
      const page = pageV0(rows, request);
      const loops = request.url.searchParams.get('from') === '3';
      reply(response, loops ? { ...page, next: '/v0/eth/operators?window=7d&idType=pool&size=3' } : page);
    });
    expect(error).toContain('next loops back to');
    expect(service.asked.length).toBe(2);
  });

  it('a page that does not advance is refused', async () => {
    let count = 0;
    const empty = await refused((request, response) =>
      reply(response, { ...pageV0(rows, request), data: [], next: `/v0/eth/operators?from=${(count += 1)}` }),
    );
    expect(empty.error).toContain('does not advance');
    expect(empty.service.asked.length).toBe(1);
  });

  it('the same rows under ever new links are refused', async () => {
    let count = 0;
    const { error, service } = await refused((request, response) => {
      const page = pageV0(rows, { ...request, url: new URL('/v0/eth/operators?size=3', request.url) });
      reply(response, { ...page, next: `/v0/eth/operators?size=3&x=${(count += 1)}` });
    });
    expect(error).toContain('lists id Pool 0 twice');
    expect(error).toContain('5 reads in a row');
    expect(service.asked.length).toBe(10);
  });

  it('more rows than total are refused', async () => {
    const { error } = await refused((request, response) =>
      reply(response, { ...pageV0(rows, request), total: 4 }),
    );
    expect(error).toContain('6 rows are listed already, but "total" is 4');
  });

  it('fewer rows than total are refused', async () => {
    const { error } = await refused((request, response) =>
      reply(response, { ...pageV0(rows, request), total: 10 }),
    );
    expect(error).toContain('9 rows are listed in all, but "total" is 10');
  });

  it.each<[string, unknown]>([
    ['no list', { hello: 1 }],
    ['a text', '"text"'],
    ['a list without total', { data: [], next: null }],
    ['a next that is no text', { data: [], total: 0, next: 7 }],
  ])('a body that is %s is refused', async (_name, body) => {
    const { service } = await refused((_request, response) => reply(response, body));
    expect(service.asked).toHaveLength(1);
  });
});

describe('a list that changes under way', () => {
  /** Answers one version of the list up to the n-th request, and another from there on. */
  const changing = (others: unknown[], after: number): Service['answer'] => {
    let count = 0;
    return (request, response) => reply(response, pageV0((count += 1) > after ? others : rows, request));
  };
  const first = operator('New', { networkPenetration: 0.9 });

  it.each<[string, unknown[]]>([
    ['a row more at its head', [first, ...rows]],
    ['a row more at its head and one less at its end', [first, ...rows.slice(0, -1)]],
    ['a row less at its head', rows.slice(1)],
    ['a row less at its head and one more at its end', [...rows.slice(1), operator('Last')]],
    ['its rows in another order', rows.toReversed()],
    ['other figures', rows.map((row) => ({ ...row, validatorCount: 99 }))],
  ])('is walked anew, and loaded as it then is: %s', async (_name, others) => {
    const { report } = await mirrored(changing(others, 1));
    expect(report).toMatchObject({ complete: true, failures: [] });
    expect(await stored()).toEqual((others as typeof rows).map(({ id }) => id).toSorted());
    expect(report.said.join()).toContain('it changed while it was read; starting again');
  });

  it('is walked anew where a row has gone before the page that is read and another has come behind it', async () => {
    const others = [...rows.slice(0, 4), ...rows.slice(5, 8), operator('New'), ...rows.slice(8)];
    const { report } = await mirrored(changing(others, 2));
    expect(report).toMatchObject({ complete: true, failures: [] });
    expect(await stored()).toEqual(others.map(({ id }) => id).toSorted());
  });

  it('is asked for twice but for its last page, unless its next names the revision that is walked', async () => {
    const { service } = await mirrored();
    // The list of liquid staking, which follows, is a separate list.
    const whole = (paths: string[]) => paths.filter((path) => !path.includes('poolType'));
    const pages = whole(service.paths());
    expect(pages).toHaveLength(5);
    expect(pages.slice(3)).toEqual(pages.slice(0, 2));
    const pinned = await mirrored((request, response) => {
      const { next, ...page } = pageV0(rows, request);
      reply(response, { ...page, next: next && `${next}&revision=1` });
    });
    expect(whole(pinned.service.paths())).toHaveLength(3);
  });

  it('is given up after some walks, and what is stored stays', async () => {
    const { service } = await mirrored();
    let count = 0;
    service.answer = (request, response) =>
      reply(response, pageV0((count += 1) % 2 ? rows : [first, ...rows], request));
    const report = await run(service.url);
    expect(report.failures[0]?.error).toContain(
      'it changed during 5 reads in a row; nothing loaded; run again when the service is not being refreshed.',
    );
    expect(await stored()).toEqual(all);
  });

  it('a row that comes again pages later is noticed too', async () => {
    const moved = [...rows.slice(0, 8), rows[0]];
    const service = await serviceForTest((request, response) => reply(response, pageV0(moved, request)));
    const { failures } = await run(service.url, { pageSize: 2 });
    const error = failures[0]?.error;
    expect(await stored()).toEqual([]);
    expect(error).toContain('repeats row 1');
    expect(error).toContain('5 reads in a row');
  });
});

describe('rows that do not fit', () => {
  it('are told with their page and their place there, and nothing of the list is loaded', async () => {
    const bad = rows.map((row, index) => (index === 4 ? { ...row, avgUptime: 7 } : row));
    const { error } = await refused((request, response) => reply(response, pageV0(bad, request)));
    expect(error).toContain('/v0/eth/operators?window=7d&idType=pool&size=3&from=3, row 2, avgUptime: ');
  });

  it('of another class or window than was asked for replace nothing', async () => {
    const others = rows.map((row) => ({ ...row, idType: 'nodeOperator' }));
    const { error } = await refused((request, response) => reply(response, pageV0(others, request)));
    expect(error).toContain('responds with rows of idType nodeOperator instead of pool; nothing loaded.');
  });

  it('do not keep other lists from being loaded', async () => {
    const service = await serviceForTest((request: Asked, response) => {
      if (request.url.searchParams.get('idType') === 'entity')
        reply(response, { data: [{}], total: 1, next: null });
      else good(request, response);
    });
    const report = await run(service.url, { classes: ['entity', 'pool'] });
    expect(report.failures).toMatchObject([{ resource: 'operators', network: 'mainnet', list: '7d entity' }]);
    expect(await stored()).toEqual(all);
  });
});

describe('the token and the headers', () => {
  it('go with every request, the network under the name that the service has for it', async () => {
    const service = await serviceForTest(good);
    await run(service.url, { networkHeader: 'X-Other-Network', networks: ['hoodi'], token: 'another-token' });
    expect(service.asked.length).toBe(10); // the list of pools, and that of liquid staking
    for (const { headers } of service.asked) {
      expect(headers).toMatchObject({ authorization: 'Bearer another-token', 'x-other-network': 'hoodi' });
      expect(headers['x-service-network']).toBeUndefined();
    }
  });

  it('a token that the service puts into a link is not told', async () => {
    const { error } = await refused((request, response) =>
      reply(response, { ...pageV0(rows, request), next: `http://evil.test/${TOKEN}` }),
    );
    expect(error).toContain('[token]');
  });

  it('compute units are counted from the header that the service has for them', async () => {
    const service = await serviceForTest((request, response) =>
      reply(response, pageV0(rows, request), 200, { 'x-units': '2.5' }),
    );
    const report = await run(service.url, { unitsHeader: 'X-Units' });
    expect(report.resources).toMatchObject([{ requests: 10, computeUnits: 25 }]);
    const silent = await run(service.url);
    expect(silent.resources).toMatchObject([{ requests: 10, computeUnits: null }]);
    const text = 'select compute_units::float8 as units from mirror_usage order by run_id';
    expect((await database.pool.query({ text, values: [] })).rows).toEqual([{ units: 25 }, { units: null }]);
  });
});
