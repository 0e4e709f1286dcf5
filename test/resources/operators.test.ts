import { beforeEach, describe, expect, it } from 'vitest';
import { TimeWindow } from '../../src/chain/windows.ts';
import { operatorFields } from '../../src/resources/operators/record.ts';
import { networks } from '../../src/sample/chain.ts';
import { useGateway } from '../support/gateway.ts';
import { walkNext } from '../support/walk.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});

/** Digits past 2^53 survive as text. */
const exact = (text: string) => JSON.parse(text.replace(/("sumEndEpoch\w*Balance"):(\d+)/g, '$1:"$2"'));

const list = (query: string, headers = {}) => gateway.get(`/v0/eth/operators?${query}`, headers);
const summary = (id: string, query: string, headers = {}) =>
  gateway.get(`/v0/eth/operators/${encodeURIComponent(id)}/summary?${query}`, headers);

describe('GET /v0/eth/operators', () => {
  it('answers the documented envelope with the documented keys in order', async () => {
    const { status, text, headers } = await list('window=7d&idType=pool');
    const body = exact(text);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys(body)).toEqual(['page', 'total', 'data', 'next']);
    expect(body.page).toEqual({ from: 0, to: 15, size: 15 });
    expect(body.total).toBe(40);
    for (const row of body.data) expect(Object.keys(row)).toEqual(operatorFields);
  });

  it('orders by network penetration descending with nulls last, then validator count descending, then id', async () => {
    const rows = await walkNext(gateway, '/v0/eth/operators?window=7d&idType=withdrawalAddress&size=200');
    const key = (row: any) => [row.networkPenetration ?? -1, row.validatorCount];
    for (const [index, row] of rows.entries()) {
      const before = rows[index - 1];
      if (!before) continue;
      const [a, b] = [key(before), key(row)];
      const order = (b[0] ?? 0) - (a[0] ?? 0) || (b[1] ?? 0) - (a[1] ?? 0) || (before.id < row.id ? -1 : 1);
      expect(order).toBeLessThan(0);
    }
  });

  it('repeats the effective parameters in a relative next', async () => {
    const { json } = await list('window=30d&size=5&idType=pool&poolType=cex&from=1&ignored=1');
    expect(json.next).toBe('/v0/eth/operators?window=30d&poolType=cex&idType=pool&from=6&size=5&revision=1');
  });

  it('is null at the end and past the end, where the page is empty', async () => {
    expect((await list('window=7d&idType=pool&from=39')).json.next).toBeNull();
    const past = (await list('window=7d&idType=pool&from=4000')).json;
    expect(past).toEqual({ page: { from: 4000, to: 4000, size: 15 }, total: 40, data: [], next: null });
  });

  it('answers deposit addresses of mainnet, 15 from the first on, by default', async () => {
    const bare = await list('window=7d');
    const spelled = await list('window=7d&idType=depositAddress&poolType=all&from=0&size=15', {
      'x-service-network': 'mainnet',
    });
    expect(bare.text).toBe(spelled.text);
  });

  it.each(['from', 'size', 'parentId', 'parentEntity'])(
    'takes an empty or null %s as absent',
    async (name) => {
      const { text } = await list('window=7d&idType=pool');
      expect((await list(`window=7d&idType=pool&${name}=`)).text).toBe(text);
      expect((await list(`window=7d&idType=pool&${name}=null`)).text).toBe(text);
    },
  );

  it.each(TimeWindow.options)('answers window %s', async (window) => {
    const { json } = await list(`window=${window}&idType=pool`);
    expect(new Set(json.data.map((row: any) => row.timeWindow))).toEqual(new Set([window]));
  });

  it.each(networks)('answers the network %s', async (network) => {
    const { json } = await list('window=7d&idType=pool&size=200', { 'X-Service-Network': network });
    expect(json.total).toBe(network === 'mainnet' ? 40 : 12);
    const other = await list('window=7d&idType=pool&size=200', {
      'X-Service-Network': network === 'hoodi' ? 'mainnet' : 'hoodi',
    });
    expect(json.data).not.toEqual(other.json.data);
  });

  it('narrows pools to exchanges and liquid staking by their tags', async () => {
    const tags = async (type: string) => {
      const rows = (await list(`window=7d&idType=pool&size=200&poolType=${type}`)).json.data;
      return rows.map((row: any) => row.operatorTags.map((tag: any) => tag.name));
    };
    const [all, cex, lst] = [await tags('all'), await tags('cex'), await tags('lst')];
    expect(cex).toEqual(all.filter((names: string[]) => names.includes('exchange')));
    expect(lst).toEqual(all.filter((names: string[]) => names.includes('liquid staking')));
    expect(cex.length * lst.length).toBeGreaterThan(0);
  });

  it('narrows pool shares by their pool', async () => {
    const pools = (await list('window=7d&idType=pool&size=200&poolType=cex')).json.data.map(
      (row: any) => row.id,
    );
    const shares = await walkNext(
      gateway,
      '/v0/eth/operators?window=7d&idType=poolShare&size=200&poolType=cex',
    );
    expect(shares.length).toBeGreaterThan(0);
    for (const share of shares)
      expect(pools.some((pool: string) => share.id.startsWith(`${pool} - `))).toBe(true);
  });

  it('leaves other classes whole whatever poolType says', async () => {
    const { json } = await list('window=7d&idType=nodeOperator&poolType=cex');
    expect(json.total).toBe(200);
  });

  it('answers the pool shares of a pool or a node operator for parentId, whatever idType says', async () => {
    const pool = (await list('window=7d&idType=pool')).json.data[0].id;
    const shares = (await list(`window=7d&size=200&parentId=${encodeURIComponent(pool)}`)).json;
    expect(shares.total).toBeGreaterThan(0);
    for (const row of shares.data) expect(row.idType).toBe('poolShare');
    const other = (await list(`window=7d&size=200&idType=validator&parentId=${encodeURIComponent(pool)}`))
      .json;
    expect(other.data).toEqual(shares.data);
    const operator = shares.data[0].id.slice(pool.length + 3);
    const ofOperator = (await list(`window=7d&size=200&parentId=${encodeURIComponent(operator)}`)).json;
    expect(ofOperator.data.map((row: any) => row.id)).toContain(shares.data[0].id);
  });

  it('answers parentEntity like parentId, with a Deprecation header', async () => {
    const pool = encodeURIComponent((await list('window=7d&idType=pool')).json.data[0].id);
    const now = await list(`window=7d&parentId=${pool}`);
    const then = await list(`window=7d&parentEntity=${pool}`);
    expect(then.text).toBe(now.text);
    expect(then.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(now.headers.get('deprecation')).toBeNull();
    expect((await list(`window=7d&parentEntity=${pool}&parentId=${pool}`)).status).toBe(200);
    const conflict = await list(`window=7d&parentEntity=other&parentId=${pool}`);
    expect(conflict.status).toBe(400);
    expect(conflict.json.detail[0].loc).toEqual(['query', 'parentEntity']);
    const nobody = await list('window=7d&parentEntity=nobody');
    expect(nobody.status).toBe(404);
    for (const { headers } of [conflict, nobody]) expect(headers.get('deprecation')).toMatch(/^@\d+$/);
    expect((await list('window=7d&parentEntity=null')).headers.get('deprecation')).toBeNull();
  });

  it('answers 404 for a parent that does not exist', async () => {
    const { status, json } = await list('window=7d&parentId=nobody');
    const detail = 'Pool or node operator "nobody" was not found on mainnet.';
    expect([status, json]).toEqual([404, { detail }]);
  });

  it('answers an empty list of private sets to an account that has none', async () => {
    expect((await list('window=7d&idType=privateSet', { 'x-service-network': 'hoodi' })).json).toMatchObject({
      total: 0,
      data: [],
      next: null,
    });
  });

  it.each([
    ['window', ''],
    ['window', '1w'],
    ['window', '7D'],
    ['window', 'null'],
    ['poolType', 'dex'],
    ['poolType', ''],
    ['idType', 'Pool'],
    ['idType', 'null'],
    ['from', '-1'],
    ['from', '1.5'],
    ['from', '1e3'],
    ['from', '9223372036854775808'],
    ['from', ' 1'],
    ['size', '0'],
    ['size', '201'],
    ['size', '-1'],
    ['size', '1.5'],
    ['size', '1e3'],
    ['size', '9223372036854775808'],
    ['size', '0x10'],
    ['parentId', '%00'],
    ['parentId', 'x'.repeat(257)],
  ])('refuses %s=%s with 400 naming it', async (name, value) => {
    const query = name === 'window' ? `window=${value}` : `window=7d&${name}=${value}`;
    const { status, json } = await list(query);
    expect(status).toBe(400);
    expect(json.detail).toHaveLength(1);
    expect(json.detail[0].loc).toEqual(['query', name]);
    expect(json.detail[0].msg).toMatch(new RegExp(`^${name} `));
    expect(json.detail[0].type).not.toBe('');
  });

  it.each(['window', 'poolType', 'idType', 'from', 'size', 'parentId', 'parentEntity'])(
    'refuses %s given twice',
    async (name) => {
      const { status, json } = await list(
        `window=7d&${name}=1&${name}=1`.replace(/^window=7d&(?=window)/, ''),
      );
      expect(status).toBe(400);
      expect(json.detail[0]).toMatchObject({ loc: ['query', name], type: 'repeated' });
    },
  );

  it('tells all faults at once, those of the header too', async () => {
    const { status, json } = await list('size=0&from=a&idType=b', { 'x-service-network': 'goerli' });
    expect(status).toBe(400);
    expect(json.detail.map((fault: any) => fault.loc.join('.'))).toEqual([
      'header.X-Service-Network',
      'query.window',
      'query.idType',
      'query.from',
      'query.size',
    ]);
  });

  it('takes each allowed bound of size', async () => {
    expect((await list('window=7d&size=1')).json.data).toHaveLength(1);
    expect((await list('window=7d&size=200')).json.data).toHaveLength(200);
  });
});

describe('GET /v0/eth/operators/{operator_id}/summary', () => {
  it('answers the same row as the list, digit for digit', async () => {
    for (const idType of ['pool', 'nodeOperator', 'poolShare', 'depositAddress', 'withdrawalAddress']) {
      const rows = exact((await list(`window=7d&idType=${idType}&size=5`)).text).data;
      for (const row of rows) {
        const { status, text } = await summary(row.id, `window=7d&idType=${idType}`);
        expect([status, exact(text)]).toEqual([200, row]);
      }
    }
  });

  it.each(networks)('answers the network %s', async (network) => {
    const headers = { 'x-service-network': network };
    const [row] = (await list('window=all&idType=nodeOperator&size=1', headers)).json.data;
    expect((await summary(row.id, 'window=all', headers)).json).toEqual(row);
  });

  it('infers pools, node operators and pool shares, and takes an address as a deposit address', async () => {
    for (const idType of ['pool', 'nodeOperator', 'poolShare', 'depositAddress']) {
      const id = (await list(`window=1d&idType=${idType}&size=1`)).json.data[0].id;
      for (const query of ['window=1d', 'window=1d&idType=', 'window=1d&idType=null']) {
        expect((await summary(id, query)).json).toMatchObject({ id, idType });
      }
    }
    const withdrawal = (await list('window=1d&idType=withdrawalAddress&size=1')).json.data[0].id;
    expect((await summary(withdrawal, 'window=1d')).status).toBe(404);
  });

  it('matches addresses in any letter case and names in their own', async () => {
    const { id } = (await list('window=7d&size=1')).json.data[0];
    expect((await summary(id.toUpperCase().replace('0X', '0x'), 'window=7d')).json.id).toBe(id);
    const pool = (await list('window=7d&idType=pool&size=1')).json.data[0].id;
    expect((await summary(pool.toLowerCase(), 'window=7d')).status).toBe(404);
  });

  it('finds names with any characters', async () => {
    const rows = (await list('window=7d&idType=pool&size=200')).json.data;
    for (const { id } of rows) expect((await summary(id, 'window=7d')).json.id).toBe(id);
  });

  it('answers 404 for what does not exist and 400 for what cannot', async () => {
    expect((await summary('nobody', 'window=7d')).status).toBe(404);
    const { status, json } = await summary('a\0b', 'window=2d');
    expect(status).toBe(400);
    expect(json.detail.map((fault: any) => fault.loc)).toEqual([
      ['path', 'operator_id'],
      ['query', 'window'],
    ]);
  });

  it('answers balances past 2^53 with all digits', async () => {
    const { text } = await list('window=all&idType=pool&size=1');
    const digits = /"sumEndEpochBalance":(\d+)/.exec(text)?.[1] as string;
    expect(BigInt(digits)).toBeGreaterThan(2n ** 53n);
    expect(digits).not.toBe(String(Number(digits)));
  });
});
