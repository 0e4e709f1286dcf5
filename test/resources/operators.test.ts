import { beforeEach, describe, expect, it } from 'vitest';
import { networks } from '../../src/chain/networks.ts';
import { timeWindows } from '../../src/chain/windows.ts';
import { transaction } from '../../src/db/pool.ts';
import { loadRows } from '../../src/ingest/import-file.ts';
import { operatorImporter } from '../../src/ingest/operators.ts';
import { idTypes, operatorFields } from '../../src/resources/operators/record.ts';
import { startGateway, useGateway } from '../support/gateway.ts';
import { every } from '../support/thorough.ts';
import { walkCursor, walkNext } from '../support/walk.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});

const enumOf = (value: string) => value.replace(/[A-Z]/g, '_$&').toUpperCase();
const windowEnum = { '1d': 'ONE_DAY', '7d': 'SEVEN_DAYS', '30d': 'THIRTY_DAYS', all: 'ALL' } as const;
const allFields = `operatorId idType timeWindow validatorCount avgCorrectness avgInclusionDelay avgUptime
  avgValidatorEffectiveness clientPercentages { client percentage } networkPenetration
  relayerPercentages { relayer percentage } nodeOperatorCount operatorTags { name path idType } displayName aprPercentage
  sumEndEpochBalance sumEndEpochEffectiveBalance`;

/** A REST row as text and a GraphQL row of the same fields agree when they are equal in this form. */
const fromGraphql = ({ operatorId, idType, timeWindow, ...node }: any) => ({
  id: operatorId,
  idType: idTypes.find((name) => enumOf(name) === idType),
  timeWindow: timeWindows.find((name) => windowEnum[name] === timeWindow),
  ...node,
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

  it.each(timeWindows)('answers window %s', async (window) => {
    const { json } = await list(`window=${window}&idType=pool`);
    expect(new Set(json.data.map((row: any) => row.timeWindow))).toEqual(new Set([window]));
  });

  it.each(networks)('answers the network %s', async (network) => {
    const { json } = await list('window=7d&idType=pool&size=200', { 'X-Service-Network': network });
    expect(json.total).toBe(40);
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

  it('takes parentEntity like parentId in GraphQL too, where it is deprecated', async () => {
    const pool = (await list('window=7d&idType=pool')).json.data[0].id;
    const ask = (args: string) =>
      gateway.graphql(`{ operators(window: SEVEN_DAYS, ${args}) { nodes { operatorId } } }`);
    const name = JSON.stringify(pool);
    const { data } = await ask(`parentId: ${name}`);
    expect(data.operators.nodes.length).toBeGreaterThan(0);
    expect((await ask(`parentEntity: ${name}`)).data).toEqual(data);
    expect((await ask(`parentEntity: ${name}, parentId: ${name}`)).data).toEqual(data);
    const { errors } = await ask(`parentEntity: "other", parentId: ${name}`);
    expect(errors?.[0].extensions.faults[0].loc).toEqual(['argument', 'parentEntity']);
    expect((await ask('parentEntity: ""')).errors?.[0].extensions.code).toBe('BAD_INPUT');
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

const walkQuery = (
  args: string,
) => `query ($network: Network, $idType: OperatorIdType, $window: TimeWindow!, $cursor: String) {
  operators(network: $network, idType: $idType, window: $window, ${args}) {
    edges { node { ${allFields} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

describe('REST and GraphQL', () => {
  const classes = ['pool', 'nodeOperator', 'poolShare', 'depositAddress', 'withdrawalAddress'];
  const cases = networks.flatMap((network) =>
    classes.flatMap((idType) => timeWindows.map((window) => ({ network, idType, window }))),
  );

  it.each(every(7, cases))(
    'give the same rows once each, both ways: $network $idType $window',
    async (asked) => {
      const { network, idType, window } = asked;
      const size = idType === 'pool' ? 7 : 200;
      const rows: any[] = [];
      let next: string | null = `/v0/eth/operators?window=${window}&idType=${idType}&size=${size}`;
      while (next) {
        const body: any = exact((await gateway.get(next, { 'x-service-network': network })).text);
        rows.push(...body.data);
        next = body.next;
      }
      expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
      const variables = {
        network: network.toUpperCase(),
        idType: enumOf(idType),
        window: windowEnum[window],
      };
      const forward = walkQuery(`first: ${size}, after: $cursor`);
      const backward = walkQuery(`last: ${size}, before: $cursor`);
      expect(
        (await walkCursor(gateway, 'operators', forward, 'forward', variables)).map(fromGraphql),
      ).toEqual(rows);
      expect(
        (await walkCursor(gateway, 'operators', backward, 'backward', variables)).map(fromGraphql),
      ).toEqual(rows);
    },
  );

  it('give the same pool shares of a parent', async () => {
    const pool = (await list('window=7d&idType=pool')).json.data[0].id;
    const rest = exact((await list(`window=7d&size=200&parentId=${encodeURIComponent(pool)}`)).text);
    const { data } = await gateway.graphql(
      `query ($pool: String!) {
        operators(window: SEVEN_DAYS, parentId: $pool, first: 200) { totalCount nodes { ${allFields} } }
        operator(window: SEVEN_DAYS, operatorId: $pool) { poolShares(first: 200) { totalCount nodes { ${allFields} } } }
      }`,
      { pool },
    );
    for (const connection of [data.operators, data.operator.poolShares]) {
      expect(connection.nodes.map(fromGraphql)).toEqual(rest.data);
      expect(connection.totalCount).toBe(rest.total);
    }
  });

  it('take the network of the header where no argument names one', async () => {
    const query = '{ operators(window: ALL, idType: POOL, first: 1) { nodes { network operatorId } } }';
    const { data } = await gateway.graphql(query, {}, { 'x-service-network': 'hoodi' });
    expect(data.operators.nodes[0].network).toBe('HOODI');
  });
});

describe('GraphQL operators', () => {
  const count = async (query: string, variables = {}) => {
    gateway.statements.length = 0;
    const { errors } = await gateway.graphql(query, variables);
    expect(errors).toBeUndefined();
    return [...gateway.statements];
  };

  it.each([1, 15, 200])('reads a page of %i in one statement, with its total too', async (first) => {
    const page = `operators(window: SEVEN_DAYS, first: ${first})`;
    expect(await count(`{ ${page} { nodes { operatorId } } }`)).toEqual(['operatorPages']);
    expect(await count(`{ ${page} { totalCount nodes { ${allFields} } } }`)).toEqual(['operatorPages']);
  });

  it.each([1, 15, 40])('reads a page of %i with their pool shares in two statements', async (first) => {
    const query = `{ operators(window: SEVEN_DAYS, idType: POOL, first: ${first}) {
      nodes { operatorId poolShares(first: 5) { totalCount nodes { ${allFields} } } } } }`;
    expect(await count(query)).toEqual(['operatorPages', 'operatorPages']);
  });

  it('reads the other window of each operator of a page in one more statement', async () => {
    const query =
      '{ operators(window: ALL, first: 50) { nodes { in(window: ONE_DAY) { timeWindow avgUptime } } } }';
    expect(await count(query)).toEqual(['operatorPages', 'operatorsByKey']);
  });

  it('reads all nodes of one kind in one statement', async () => {
    const { data } = await gateway.graphql('{ operators(window: ALL, first: 20) { nodes { id } } }');
    const ids = data.operators.nodes.map((node: any) => node.id);
    expect(await count('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids })).toEqual([
      'operatorsById',
    ]);
  });

  it('finds an operator again by its global id', async () => {
    const { data } = await gateway.graphql(
      `{ operators(window: ALL, idType: POOL, first: 40) { nodes { id operatorId } } }`,
    );
    for (const { id, operatorId } of data.operators.nodes) {
      const again = await gateway.graphql(
        'query ($id: ID!) { node(id: $id) { id ... on Operator { operatorId } } }',
        { id },
      );
      expect(again.data.node).toEqual({ id, operatorId });
    }
  });

  it('answers null for what does not exist, and an error for a parent that does not', async () => {
    const { data } = await gateway.graphql('{ operator(window: ALL, operatorId: "nobody") { id } }');
    expect(data.operator).toBeNull();
    const { errors } = await gateway.graphql('{ operators(window: ALL, parentId: "nobody") { totalCount } }');
    expect(errors?.[0].extensions.code).toBe('NOT_FOUND');
  });

  it.each([
    ['first: 0', 'first'],
    ['first: 201', 'first'],
    ['last: -1', 'last'],
    ['first: 1, last: 1', 'last'],
    ['after: ""', 'after'],
    ['after: "MS4xLlswXQ"', 'after'],
    ['before: "nonsense"', 'before'],
  ])('refuses %s', async (args, name) => {
    const { data, errors } = await gateway.graphql(`{ operators(window: ALL, ${args}) { totalCount } }`);
    expect(data?.operators ?? null).toBeNull();
    expect(errors?.[0].extensions).toMatchObject({
      code: 'BAD_INPUT',
      faults: [{ loc: ['argument', name] }],
    });
  });

  it('refuses a cursor of another list', async () => {
    const { data } = await gateway.graphql('{ operators(window: ALL, first: 1) { pageInfo { endCursor } } }');
    const { errors } = await gateway.graphql(
      'query ($after: String) { operators(window: ONE_DAY, after: $after) { totalCount } }',
      { after: data.operators.pageInfo.endCursor },
    );
    expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
  });

  it('answers empty pages without cursors', async () => {
    const { data } = await gateway.graphql(
      '{ operators(window: ALL, idType: VALIDATOR) { totalCount edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }',
    );
    expect(data.operators).toEqual({
      totalCount: 0,
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });
});

describe('a pool and a node operator of one name', () => {
  it('have each their own pool shares, and an entity of that name has none', async () => {
    const one = await startGateway({ template: 'empty' });
    const row = (id: string, idType: string, more = {}) => ({
      ...{ id, idType, timeWindow: '7d', network: 'mainnet', validatorCount: 1, avgCorrectness: 1 },
      ...{ avgInclusionDelay: 1, avgUptime: 1, avgValidatorEffectiveness: 99, clientPercentages: [] },
      ...{ networkPenetration: 0.1, relayerPercentages: [], nodeOperatorCount: null, operatorTags: [] },
      ...{
        displayName: null,
        aprPercentage: null,
        sumEndEpochBalance: null,
        sumEndEpochEffectiveBalance: null,
      },
      ...{ poolId: null, nodeOperatorId: null, ...more },
    });
    await transaction(one.database.pool, (client) =>
      loadRows(client, operatorImporter, [
        row('Twin', 'pool'),
        row('Twin', 'nodeOperator'),
        row('Twin', 'entity'),
        row('Twin - A', 'poolShare', { poolId: 'Twin', nodeOperatorId: 'A' }),
        row('B - Twin', 'poolShare', { poolId: 'B', nodeOperatorId: 'Twin' }),
      ] as never),
    );
    const shares = async (idType: string) => {
      const { data } = await one.graphql(
        `{ operator(operatorId: "Twin", idType: ${idType}, window: SEVEN_DAYS) { poolShares { nodes { operatorId } } } }`,
      );
      return data.operator.poolShares.nodes.map((node: any) => node.operatorId);
    };
    expect(await shares('POOL')).toEqual(['Twin - A']);
    expect(await shares('NODE_OPERATOR')).toEqual(['B - Twin']);
    expect(await shares('ENTITY')).toEqual([]);
    const { json } = await one.get('/v0/eth/operators?window=7d&parentId=Twin');
    expect(json.data.map((share: any) => share.id)).toEqual(['B - Twin', 'Twin - A']);
    await one.close();
  });
});
