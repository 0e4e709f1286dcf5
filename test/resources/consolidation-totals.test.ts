import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { calendars, dateOfDay, dayOfEpoch } from '../../src/chain/calendar.ts';
import { TimeWindow } from '../../src/chain/windows.ts';
import {
  ConsolidationCapacity,
  capacitySortFields,
  EntityConsolidation,
  EntityConsolidationCapacity,
  entitySortFields,
} from '../../src/resources/consolidation-totals/record.ts';
import { entityClasses } from '../../src/resources/consolidations/record.ts';
import {
  byField,
  CAPACITY,
  consolidations,
  exactly,
  gathered,
  HEAD,
  LIMIT,
  operators,
  PATH,
  STAKE,
  shares,
  validators,
  windows,
} from '../support/consolidation-chain.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { slow } from '../support/thorough.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ template: 'empty' });
  const load = async (resource: Parameters<typeof importText>[1], rows: unknown[]) =>
    expect((await importText(gateway, resource, JSON.stringify(rows))).faults).toEqual([]);
  await load('validators', validators);
  await load('operators', shares);
  await load(
    'consolidations',
    consolidations.map(({ source: _, ...row }) => row),
  );
  await load('chain-balances', [
    { epoch: HEAD - 225, totalActiveBalance: '1' },
    { epoch: HEAD, totalActiveBalance: String(STAKE) },
    { network: 'hoodi', epoch: 2_000, totalActiveBalance: String(STAKE) },
  ]);
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.statements.length = 0;
});

/** Every result of a question, by following `next`. */
async function all(path: string): Promise<any[]> {
  const found: any[] = [];
  for (let url: string | null = path; url; ) {
    const { status, text } = await gateway.get(url.replace(gateway.url, ''));
    if (status !== 200) throw new Error(text);
    const body = exactly(text);
    found.push(...body.results);
    url = body.next;
  }
  return found;
}
/** The same backward, from past the end. */
async function back(path: string): Promise<any[]> {
  const found: any[] = [];
  for (let url: string | null = `${path}&offset=1000`; url; ) {
    const { text } = await gateway.get(url.replace(gateway.url, ''));
    const body = exactly(text);
    found.unshift(...body.results);
    url = body.previous;
  }
  return found;
}

const parameters = {
  [PATH]: [
    'limit',
    'offset',
    'fromDate',
    'toDate',
    'fromDay',
    'toDay',
    'utc',
    'sortBy',
    'sortOrder',
    'entityType',
  ],
  [`${CAPACITY}/entity`]: ['limit', 'offset', 'window', 'sortBy', 'sortOrder', 'entityType'],
};

describe('GET /v1/eth/entityConsolidations', () => {
  it.each(entityClasses.flatMap((idType) => calendars.map((calendar) => ({ idType, calendar }))))(
    'gathers by $idType as a plain loop does, $calendar calendar',
    async ({ idType, calendar }) => {
      const rows = await all(`${PATH}?entityType=${idType}&utc=${calendar === 'utc'}`);
      expect(rows.length).toBeGreaterThan(1);
      expect(rows).toEqual(gathered(idType, calendar).sort(byField('consolidatedBalance', 'desc')));
      for (const row of rows) expect(Object.keys(row)).toEqual(Object.keys(EntityConsolidation.shape));
    },
  );

  it('answers node operators by balance, largest first, when nothing is asked', async () => {
    const { status, json } = await gateway.get(PATH);
    expect([status, Object.keys(json)]).toEqual([200, ['previous', 'next', 'pages', 'results']]);
    const spelled =
      'entityType=nodeOperator&limit=10&offset=0&sortBy=consolidatedBalance&sortOrder=desc&utc=false';
    expect((await gateway.get(`${PATH}?${spelled}`)).json.results).toEqual(json.results);
    expect(json.results.map((row: any) => row.id).sort()).toEqual(operators);
    expect(json.pages).toBe(1);
  });

  it.each(entitySortFields)('sorts by %s in both orders, ties by id, and walks both ways', async (field) => {
    for (const order of ['asc', 'desc'] as const) {
      const due = gathered('poolShare', 'chain').sort(byField(field, order));
      const path = `${PATH}?entityType=poolShare&limit=3&sortBy=${field}&sortOrder=${order}`;
      expect(await all(path)).toEqual(due);
      expect(await back(path)).toEqual(due);
    }
  });

  it.each(calendars)('narrows to days and dates of the %s calendar, ends inclusive', async (calendar) => {
    const dayOf = (row: (typeof consolidations)[number]) => dayOfEpoch('mainnet', calendar, row.epoch);
    const days = consolidations.map(dayOf).sort((a, b) => a - b);
    const [first, last] = [days[50] as number, days[120] as number];
    const due = gathered('pool', calendar, (row) => dayOf(row) >= first && dayOf(row) <= last);
    const path = `${PATH}?entityType=pool&utc=${calendar === 'utc'}`;
    const dates = [dateOfDay('mainnet', first), dateOfDay('mainnet', last)];
    due.sort(byField('consolidatedBalance', 'desc'));
    expect(await all(`${path}&fromDay=${first}&toDay=${last}`)).toEqual(due);
    expect(await all(`${path}&fromDate=${dates[0]}&toDate=${dates[1]}`)).toEqual(due);
    expect(await all(`${path}&fromDay=${last}&toDate=${dates[0]}`)).toEqual([]);
  });

  it('answers two statements, and an empty list for another network', async () => {
    await gateway.get(PATH);
    expect(gateway.statements.toSorted()).toEqual(['entityConsolidationPage', 'entityConsolidationTotal']);
    const { json } = await gateway.get(PATH, { 'x-service-network': 'hoodi' });
    expect(json).toEqual({ previous: null, next: null, pages: 0, results: [] });
  });

  slow('writes sums past 2^53 with every digit', async () => {
    const mine = Array.from({ length: 5_000 }, (_, index) => index + 10_000);
    const pubkeys = (index: number) => `0x${String(index).padStart(96, 'c')}`;
    const rows = mine.map((index) => ({
      ...{ network: 'holesky', epoch: 120_000, consolidatedBalance: '2047999999999' },
      ...{ sourceValidatorIndex: index, sourceValidatorPubkey: pubkeys(index) },
      ...{ targetValidatorIndex: 1, targetValidatorPubkey: pubkeys(1) },
    }));
    const owned = mine.map((validatorIndex) => ({
      ...validators[0],
      ...{ network: 'holesky', validatorIndex, validatorPubkey: pubkeys(validatorIndex), pool: 'P' },
    }));
    await importText(gateway, 'validators', JSON.stringify(owned));
    await importText(gateway, 'consolidations', JSON.stringify(rows));
    const { text } = await gateway.get(`${PATH}?entityType=pool`, { 'x-service-network': 'holesky' });
    const sum = 2_047_999_999_999n * 5_000n;
    expect(sum > 2n ** 53n).toBe(true);
    expect(text).toContain(`"consolidatedBalance":${sum},`);
  });
});

describe.each(Object.keys(parameters) as (keyof typeof parameters)[])('the parameters of GET %s', (path) => {
  const window = path === PATH ? '' : 'window=all&';
  const ask = (query: string) => gateway.get(`${path}?${query}`);

  it.each(parameters[path] as string[])('%s is refused when given twice', async (name) => {
    const { status, json } = await ask(`${name === 'window' ? '' : window}${name}=1&${name}=1`);
    expect(status).toBe(400);
    expect(json.detail[0]).toMatchObject({ loc: ['query', name], type: 'repeated' });
  });

  const nullable = ['fromDate', 'toDate', 'fromDay', 'toDay', 'utc', 'sortOrder', 'entityType'];
  it.each((parameters[path] as string[]).filter((name) => nullable.includes(name)))(
    '%s is absent when empty or null',
    async (name) => {
      const bare = (await ask(window)).json;
      for (const value of ['', 'null'])
        expect((await ask(`${window}${name}=${value}`)).json.results).toEqual(bare.results);
    },
  );

  it.each(
    [
      'limit=0',
      'limit=201',
      'limit=1.5',
      'limit=',
      'limit=null',
      'offset=-1',
      'offset=',
      'offset=2147483648',
      'fromDate=2025-02-30',
      'toDate=x',
      'fromDay=-1',
      'toDay=2147483648',
      'utc=yes',
      'sortBy=idType',
      'sortBy=',
      'sortOrder=up',
      'entityType=validator',
      'entityType=entity',
      'fromDay=2&toDay=1',
      'fromDate=2025-02-02&toDate=2025-02-01',
      'window=2d',
      'window=',
      'window=null',
    ].filter((query) => (parameters[path] as string[]).includes(query.split('=')[0] as string)),
  )('%s is refused by name', async (query) => {
    const name = query.split('=')[0] as string;
    const { status, json } = await ask(`${name === 'window' ? '' : window}${query}`);
    expect(status).toBe(400);
    expect(json.detail.map((fault: any) => fault.loc)).toEqual([['query', name]]);
  });

  it('limit and offset are taken at their bounds', async () => {
    expect((await ask(`${window}limit=1`)).json.results).toHaveLength(1);
    expect((await ask(`${window}limit=200`)).json.results).toHaveLength(operators.length);
    const { status, json } = await ask(`${window}offset=2147483647`);
    expect([status, json.results, json.next, json.pages]).toEqual([200, [], null, 1]);
  });
});

describe('GET /v1/eth/consolidationCapacity', () => {
  it('answers one record a window, as a plain loop gives it, in two statements', async () => {
    const { status, text } = await gateway.get(CAPACITY);
    expect(status).toBe(200);
    expect(exactly(text)).toEqual(windows.map((window) => window.record));
    for (const row of exactly(text))
      expect(Object.keys(row)).toEqual(Object.keys(ConsolidationCapacity.shape));
    expect(gateway.statements).toEqual(['latestChainBalances', 'consolidatedIn']);
    expect(windows[3]?.record.capacity).toBe(287_000_000_000n * 35_969n);
    expect(windows[3]?.record.capacity).toBeGreaterThan(2n ** 53n);
  });

  it('has no capacity before Electra, and nothing to tell without an active balance', async () => {
    const hoodi = (await gateway.get(CAPACITY, { 'x-service-network': 'hoodi' })).json;
    expect(hoodi).toEqual(
      TimeWindow.options.map((timeWindow) => ({
        ...{ timeWindow, latestEpoch: 2_000, consolidationChurnLimit: Number(LIMIT), capacity: 0 },
        ...{ consolidatedBalance: 0, consolidationCount: 0, capacityFilled: null },
      })),
    );
    expect((await gateway.get(CAPACITY, { 'x-service-network': 'holesky' })).json).toEqual([]);
    const entity = await gateway.get(`${CAPACITY}/entity?window=1d`, { 'x-service-network': 'holesky' });
    expect(entity.json).toEqual({ previous: null, next: null, pages: 0, results: [] });
  });
});

describe('GET /v1/eth/consolidationCapacity/entity', () => {
  const due = (
    place: number,
    idType: (typeof entityClasses)[number],
    field: string,
    order: 'asc' | 'desc',
  ) => {
    const { record, within } = windows[place] as (typeof windows)[number];
    return gathered(idType, 'chain', within)
      .map(({ id, consolidatedBalance, consolidationCount }) => ({
        ...record,
        ...{ id, idType, consolidatedBalance, consolidationCount },
        capacityShare: Number(consolidatedBalance) / Number(record.capacity),
      }))
      .sort(byField(field, order));
  };

  it.each(TimeWindow.options.map((window, place) => ({ window, place })))(
    'is due by a plain loop in $window',
    async ({ window, place }) => {
      for (const idType of entityClasses) {
        const path = `${CAPACITY}/entity?window=${window}&entityType=${idType}&limit=3`;
        const rows = await all(path);
        expect(rows).toEqual(due(place, idType, 'consolidatedBalance', 'desc'));
        expect(await back(path)).toEqual(rows);
        for (const row of rows)
          expect(Object.keys(row)).toEqual(Object.keys(EntityConsolidationCapacity.shape));
      }
    },
  );

  it.each(capacitySortFields)('sorts by %s in both orders', async (field) => {
    for (const order of ['asc', 'desc'] as const) {
      const rows = await all(`${CAPACITY}/entity?window=7d&sortBy=${field}&sortOrder=${order}`);
      expect(rows).toEqual(due(1, 'nodeOperator', field, order));
    }
  });

  it('has shares that add up to no more than what is filled', async () => {
    const rows = await all(`${CAPACITY}/entity?window=all&entityType=depositAddress`);
    const sum = rows.reduce((total, row) => total + row.capacityShare, 0);
    expect(sum).toBeCloseTo(rows[0].capacityFilled, 12); // every source has a depositor
  });

  it('requires a window', async () => {
    const { status, json } = await gateway.get(`${CAPACITY}/entity`);
    expect([status, json.detail[0].loc, json.detail[0].type]).toEqual([400, ['query', 'window'], 'missing']);
  });
});

describe('GraphQL', () => {
  const enumName = (value: string) => value.replace(/[A-Z]/g, '_$&').toUpperCase();
  const orderName = (field: string) => (field === 'id' ? 'OPERATOR_ID' : enumName(field));
  const walk = async (field: string, args: string, columns: string, step: 'next' | 'previous') => {
    const nodes: any[] = [];
    for (let cursor: string | null = null; ; ) {
      const page = step === 'next' ? 'first: 3, after: $cursor' : 'last: 2, before: $cursor';
      const { data, errors } = await gateway.graphql(
        `query ($cursor: String) { ${field}(${args}, ${page}) { totalCount nodes { ${columns} }
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
        { cursor },
      );
      expect(errors).toBeUndefined();
      nodes[step === 'next' ? 'push' : 'unshift'](...data[field].nodes);
      const { hasNextPage, hasPreviousPage, startCursor, endCursor } = data[field].pageInfo;
      if (!(step === 'next' ? hasNextPage : hasPreviousPage)) {
        expect(nodes).toHaveLength(data[field].totalCount);
        return nodes;
      }
      cursor = step === 'next' ? endCursor : startCursor;
    }
  };
  const asNode = ({ id, idType, timeWindow, ...row }: any) => ({
    operatorId: id,
    idType: enumName(idType),
    ...Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
    ),
  });

  it.each(entitySortFields)(
    'operatorConsolidations by %s are those of REST in both directions',
    async (field) => {
      const columns = Object.keys(EntityConsolidation.shape).join(' ').replace('id ', 'operatorId ');
      for (const order of ['asc', 'desc']) {
        const rest = await all(`${PATH}?entityType=poolShare&sortBy=${field}&sortOrder=${order}`);
        const args = `idType: POOL_SHARE, orderBy: { field: ${orderName(field)}, direction: ${enumName(order)} }`;
        for (const step of ['next', 'previous'] as const)
          expect(await walk('operatorConsolidations', args, columns, step)).toEqual(rest.map(asNode));
      }
    },
  );

  it.each(capacitySortFields)('operatorConsolidationCapacities by %s are those of REST', async (field) => {
    const columns = Object.keys(EntityConsolidationCapacity.shape)
      .filter((name) => name !== 'id' && name !== 'timeWindow')
      .join(' ');
    const rest = await all(`${CAPACITY}/entity?window=30d&sortBy=${field}`);
    const args = `window: THIRTY_DAYS, orderBy: { field: ${orderName(field)} }`;
    for (const step of ['next', 'previous'] as const) {
      const nodes = await walk('operatorConsolidationCapacities', args, `operatorId ${columns}`, step);
      expect(nodes).toEqual(rest.map(asNode));
    }
  });

  it('consolidationCapacities of every network is two statements', async () => {
    const { data } = await gateway.graphql(`{
      mainnet: consolidationCapacities { window capacity consolidatedBalance capacityFilled }
      hoodi: consolidationCapacities(network: HOODI) { window capacity }
      holesky: consolidationCapacities(network: HOLESKY) { window }
    }`);
    expect(data.mainnet.map((row: any) => row.capacity)).toEqual(
      windows.map((window) => String(window.record.capacity)),
    );
    expect(data.mainnet.map((row: any) => row.window)).toEqual([
      'ONE_DAY',
      'SEVEN_DAYS',
      'THIRTY_DAYS',
      'ALL',
    ]);
    expect([data.hoodi.length, data.holesky.length]).toEqual([4, 0]);
    expect(gateway.statements).toEqual(['latestChainBalances', 'consolidatedIn']);
  });

  it('counts only when asked', async () => {
    await gateway.graphql('{ operatorConsolidations { nodes { operatorId } } }');
    expect(gateway.statements).toEqual(['entityConsolidationPage']);
    gateway.statements.length = 0;
    await gateway.graphql('{ operatorConsolidationCapacities(window: ALL) { nodes { operatorId } } }');
    expect(gateway.statements).toEqual(['latestChainBalances', 'consolidatedIn', 'entityConsolidationPage']);
  });

  it.each([
    ['operatorConsolidations(first: 201)', 'first'],
    ['operatorConsolidations(last: 0)', 'last'],
    ['operatorConsolidations(after: "x")', 'after'],
    ['operatorConsolidations(idType: ENTITY)', 'idType'],
    ['operatorConsolidations(toDay: -1)', 'toDay'],
    ['operatorConsolidations(fromDate: "2025-02-02", toDate: "2025-02-01")', 'fromDate'],
    ['operatorConsolidationCapacities(window: ALL, first: 201)', 'first'],
    ['operatorConsolidationCapacities(window: ALL, idType: VALIDATOR)', 'idType'],
  ])('refuses %s', async (field, name) => {
    const { errors } = await gateway.graphql(`{ ${field} { totalCount } }`);
    expect(errors?.[0].extensions).toMatchObject({
      code: 'BAD_INPUT',
      faults: [{ loc: ['argument', name] }],
    });
  });
});
