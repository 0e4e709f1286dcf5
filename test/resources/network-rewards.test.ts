import { parse } from 'lossless-json';
import { beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { rewardLists } from '../support/rewards.ts';
import { every } from '../support/thorough.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});

const paths = rewardLists.flatMap(({ network, id, sortedBy }) => [
  { path: `/v1/${network}/validators/${id}/rewards`, sortedBy },
  { path: `/v1/${network}/network/rewards`, sortedBy },
]);
/** The sample data: 90 days to the last of October. */
const FIRST = '2025-08-03';
const LAST = '2025-10-31';

/** The body with each number as the text it was written with. */
const exact = (text: string): any => parse(text, null, (digits) => digits);
const daysOf = (body: any): string[] => body.results.map((row: any) => row.day);

describe.each(every(3, paths))('GET $path', ({ path, sortedBy }) => {
  const get = (query = '', headers = {}) => gateway.get(`${path}?${query}`, headers);
  const days = async (query: string) => daysOf((await get(query)).json);

  it('answers the v1 envelope, 10 days from the oldest on by default', async () => {
    const { status, json, headers, text } = await get();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys(json)).toEqual(['previous', 'next', 'pages', 'results']);
    expect(json).toMatchObject({ previous: null, pages: 9 });
    expect(daysOf(json)).toHaveLength(10);
    expect(daysOf(json)[0]).toBe(FIRST);
    for (const utc of ['true', 'false']) {
      const written = await get(`limit=10&offset=0&utc=${utc}&sortBy=day&sortOrder=asc`);
      expect(written.json.results).toEqual(json.results);
      expect(exact(text).results).toEqual(exact(written.text).results);
    }
  });

  it('reads a page in one statement, wherever it lies and however it is sorted', async () => {
    for (const query of [
      '',
      'offset=80',
      'sortOrder=desc',
      `sortBy=${sortedBy}&offset=80`,
      'fromDate=2025-10-01',
    ]) {
      gateway.statements.length = 0;
      await get(query);
      expect(gateway.statements).toEqual(['rewardPages']);
    }
  });

  it('takes each bound of limit and offset', async () => {
    expect(await days('limit=1')).toEqual([FIRST]);
    expect(await days('limit=200')).toHaveLength(90);
    expect(await days('offset=89')).toEqual([LAST]);
    const past = await get('offset=2147483647&limit=7');
    expect(past.json).toMatchObject({ next: null, pages: 13, results: [] });
    expect(past.json.previous).toBe(`${gateway.url}${path}?offset=83&limit=7`);
  });

  it('narrows to a range of dates, ends inclusive, by either name', async () => {
    for (const [from, to] of [
      ['fromDate', 'toDate'],
      ['fromDay', 'toDay'],
    ]) {
      expect(await days(`${from}=2025-09-01&${to}=2025-09-03`)).toEqual([
        '2025-09-01',
        '2025-09-02',
        '2025-09-03',
      ]);
      expect(await days(`${from}=${LAST}`)).toEqual([LAST]);
      expect(await days(`${to}=${FIRST}`)).toEqual([FIRST]);
      expect(await days(`${from}=${LAST}&${to}=${LAST}`)).toEqual([LAST]);
    }
    expect((await get('fromDate=2025-10-25')).json.pages).toBe(1);
  });

  it('takes the narrower of fromDate and fromDay, and of toDate and toDay', async () => {
    const narrow = ['2025-09-02', '2025-09-03'];
    expect(await days('fromDate=2025-09-02&fromDay=2025-08-20&toDate=2025-09-10&toDay=2025-09-03')).toEqual(
      narrow,
    );
    expect(await days('fromDate=2025-08-20&fromDay=2025-09-02&toDate=2025-09-03&toDay=2025-09-10')).toEqual(
      narrow,
    );
    expect(await days('fromDate=2025-10-02&toDay=2025-09-03')).toEqual([]);
  });

  it('is 200 and empty where the range has no rows', async () => {
    for (const query of ['fromDate=2025-11-01', 'toDate=0001-01-01', 'fromDay=9999-12-31']) {
      const { status, json } = await get(query);
      expect([status, json]).toEqual([200, { previous: null, next: null, pages: 0, results: [] }]);
    }
  });

  it.each(['fromDate', 'toDate', 'fromDay', 'toDay', 'utc', 'sortOrder'])(
    'takes an empty %s, and null, as absent',
    async (name) => {
      const bare = (await get()).json;
      for (const value of ['', 'null'])
        expect((await get(`${name}=${value}`)).json.results).toEqual(bare.results);
    },
  );

  const badDates = [
    '1200',
    '2025-02-29',
    '2025-13-01',
    '25-01-01',
    '2025-01-01T00:00:00Z',
    '0000-01-01',
    'x',
  ];
  it.each([
    ['limit', ['', 'null', '0', '201', '-1', '1.5', '0x10', '1e1', 'x', '9223372036854775808']],
    ['offset', ['', 'null', '-1', '1.5', 'x', '2147483648']],
    ['fromDate', badDates],
    ['toDate', badDates],
    ['fromDay', badDates],
    ['toDay', badDates],
    ['utc', ['0', '1', 'yes']],
    ['sortBy', ['', 'null', 'Day', 'id', 'validator', 'x', '__proto__']],
    ['sortOrder', ['up', 'ASC', '1']],
  ])('refuses a wrong %s with 400 naming it: %j', async (name, values) => {
    for (const value of values) {
      const { status, json } = await get(`${name}=${value}`);
      expect([value, status, json.detail.length]).toEqual([value, 400, 1]);
      expect(json.detail[0].loc).toEqual(['query', name]);
      expect(json.detail[0].msg).toMatch(new RegExp(`^${name} is .+ is needed\\.$`));
    }
  });

  it.each(['limit', 'offset', 'fromDate', 'toDate', 'fromDay', 'toDay', 'utc', 'sortBy', 'sortOrder'])(
    'refuses %s given twice',
    async (name) => {
      const { status, json } = await get(`${name}=1&${name}=1`);
      expect(status).toBe(400);
      expect(json.detail).toMatchObject([{ loc: ['query', name], type: 'repeated' }]);
    },
  );

  it('refuses ranges that end before they begin, both at once', async () => {
    const query = 'fromDate=2025-09-02&toDate=2025-09-01&fromDay=2025-09-02&toDay=2025-09-01';
    const { status, json } = await get(query);
    expect(status).toBe(400);
    expect(json.detail).toEqual([
      { loc: ['query', 'fromDate'], msg: 'fromDate is 2025-09-02, after toDate 2025-09-01.', type: 'range' },
      { loc: ['query', 'fromDay'], msg: 'fromDay is 2025-09-02, after toDay 2025-09-01.', type: 'range' },
    ]);
  });

  it('tells all faults at once', async () => {
    const { json } = await get('limit=0&offset=a&fromDay=7&utc=no&sortBy=b&sortOrder=c');
    const told = json.detail.map((fault: any) => fault.loc.join('.'));
    expect(told).toEqual(
      ['limit', 'offset', 'fromDay', 'utc', 'sortBy', 'sortOrder'].map((n) => `query.${n}`),
    );
  });

  it('sorts by each number and date of the record, ties by day, and lists them when it refuses', async () => {
    const rows: any[] = exact((await get('limit=200')).text).results;
    const { json } = await get('sortBy=nothing');
    const fields = String(/one of (.+) is needed/.exec(json.detail[0].msg)?.[1]).split(', ');
    const numbers = Object.entries((await get('limit=200')).json.results[0])
      .filter(([name, value]) => (typeof value === 'number' && !name.endsWith('Id')) || name === 'day')
      .map(([name]) => name);
    expect(fields).toEqual(numbers);
    expect(fields).toContain('day');
    const scaled = (value: string) => {
      if (/^\d{4}-\d\d-\d\d$/.test(value)) return BigInt(value.replaceAll('-', ''));
      const [whole = '', fraction = ''] = value.split('.');
      return BigInt(whole + fraction.padEnd(40, '0'));
    };
    for (const sortBy of fields) {
      for (const sortOrder of ['asc', 'desc']) {
        const sign = sortOrder === 'asc' ? 1 : -1;
        const sorted = [...rows].sort((a, b) => {
          const [x, y] = [scaled(String(a[sortBy])), scaled(String(b[sortBy]))];
          return x === y ? (a.day < b.day ? -1 : 1) : x < y ? -sign : sign;
        });
        const { text } = await get(`limit=200&sortBy=${sortBy}&sortOrder=${sortOrder}`);
        expect(exact(text).results, sortBy).toEqual(sorted);
      }
    }
  });

  it.each(['', 'sortOrder=desc', `sortBy=${sortedBy}`, `sortBy=${sortedBy}&sortOrder=desc`])(
    'gives each row once by next, and walking back by previous: %s',
    async (query) => {
      const walk = async (start: string, way: 'next' | 'previous') => {
        const found: any[] = [];
        for (let link: string | null = start; link; ) {
          const body = exact((await gateway.get(link.replace(gateway.url, ''))).text);
          if (way === 'next') found.push(...body.results);
          else found.unshift(...body.results);
          link = body[way];
        }
        return found;
      };
      const whole = exact((await get(`${query}&limit=200`)).text).results;
      expect(new Set(whole.map((row: any) => row.day)).size).toBe(90);
      expect(await walk(`${path}?${query}&limit=7`, 'next')).toEqual(whole);
      expect(await walk(`${path}?${query}&limit=7&offset=90`, 'previous')).toEqual(whole);
    },
  );

  it('links to the pages around it with the query of the caller', async () => {
    const { json } = await get('limit=10&x=a%20b&offset=20&fromDate=2025-08-10');
    expect(json).toMatchObject({
      previous: `${gateway.url}${path}?limit=10&x=a+b&offset=10&fromDate=2025-08-10`,
      next: `${gateway.url}${path}?limit=10&x=a+b&offset=30&fromDate=2025-08-10`,
      pages: 9,
    });
  });

  it('does not look at the network header, which is of Ethereum', async () => {
    expect((await get('', { 'x-service-network': 'goerli' })).text).toBe((await get()).text);
  });

  it('needs a token and a method that reads', async () => {
    expect((await gateway.fetch(path)).status).toBe(401);
    const { status, headers } = await gateway.fetch(path, { method: 'POST' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const authorization = `Bearer ${gateway.token}`;
    const head = await gateway.fetch(path, { method: 'HEAD', headers: { authorization } });
    expect([head.status, head.text]).toEqual([200, '']);
  });
});

describe('a validator', () => {
  it.each(rewardLists)('that was never seen on $network is 404', async ({ network, unknown }) => {
    const answer = await gateway.get(`/v1/${network}/validators/${unknown}/rewards`);
    expect([answer.status, answer.json]).toEqual([
      404,
      { detail: `Validator ${JSON.stringify(unknown)} was not found on ${network}.` },
    ]);
    const query = `{ validatorRewards(network: ${network.toUpperCase()}, validatorId: "${unknown}") { nodes { date } } }`;
    const { data, errors } = await gateway.graphql(query);
    expect([data, errors?.[0].extensions.code]).toEqual([{ validatorRewards: null }, 'NOT_FOUND']);
  });

  it.each(rewardLists.flatMap(({ network, malformed }) => malformed.map((id) => ({ network, id }))))(
    'of $network cannot be called $id: 400 that tells the form',
    async ({ network, id }) => {
      const { status, json } = await gateway.get(`/v1/${network}/validators/${id}/rewards`);
      expect(status).toBe(400);
      expect(json.detail).toMatchObject([{ loc: ['path', 'validator_id'], type: 'format' }]);
      expect(json.detail[0].msg).toMatch(/^validator_id is ".+"; an? .+ like .+ is needed\.$/);
      const query = `{ validatorRewards(network: ${network.toUpperCase()}, validatorId: "${id}") { nodes { date } } }`;
      const { errors } = await gateway.graphql(query);
      expect(errors?.[0]).toMatchObject({ extensions: { code: 'BAD_INPUT' }, path: ['validatorRewards'] });
      expect(errors?.[0].message).toMatch(/^validatorId is ".+"; an? .+ like .+ is needed\.$/);
    },
  );

  it.each(rewardLists.filter(({ id }) => /^(bbnvaloper|celestiavaloper|pool)1/.test(id)))(
    'of $network is found by its bech32 address in capitals too',
    async ({ network, id }) => {
      const { json } = await gateway.get(`/v1/${network}/validators/${id.toUpperCase()}/rewards`);
      const lower = await gateway.get(`/v1/${network}/validators/${id}/rewards`);
      expect(json.results).toEqual(lower.json.results);
    },
  );

  it('of one network is none of another, even where ids have one form', async () => {
    const [babylon] = rewardLists.filter(({ network }) => network === 'babylon');
    expect((await gateway.get(`/v1/celestia/validators/${babylon?.id}/rewards`)).status).toBe(400);
  });

  it('has its own rows only', async () => {
    const [of27, of38] = await Promise.all(
      [27, 38].map(async (id) => (await gateway.get(`/v1/polygon/validators/${id}/rewards`)).json.results),
    );
    expect(new Set(of27.map((row: any) => row.validatorId))).toEqual(new Set([27]));
    expect(new Set(of38.map((row: any) => row.validatorId))).toEqual(new Set([38]));
  });
});

describe('another network', () => {
  it.each([
    'eth',
    'ethereum',
    'mainnet',
    'Solana',
    'solana ',
    'cosmos',
    'null',
    '..',
    '__proto__',
    'toString',
  ])('%s is 404 on both paths', async (network) => {
    const name = encodeURIComponent(network).replaceAll('.', '%2E');
    expect((await gateway.get(`/v1/${name}/network/rewards`)).status).toBe(404);
    expect((await gateway.get(`/v1/${name}/validators/27/rewards`)).status).toBe(404);
  });

  it.each([
    '/v0/solana/network/rewards',
    '/v1/solana/rewards',
    '/v1/solana/validators/rewards',
    '/v1/solana/validators',
    '/v1/solana/network/rewards/2025-08-03',
  ])('%s is no path', async (path) => {
    expect((await gateway.get(path)).status).toBe(404);
  });

  it('paths of Solana that were there before still answer', async () => {
    expect((await gateway.get('/v1/solana/network/overview')).json.results).toHaveLength(4);
    expect((await gateway.get('/v1/solana/delegators/stakeAuthorities?window=7d')).status).toBe(200);
  });
});
