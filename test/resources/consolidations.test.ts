import { beforeEach, describe, expect, it } from 'vitest';
import {
  Consolidation,
  consolidationSortFields,
  entityClasses,
} from '../../src/resources/consolidations/record.ts';
import {
  expected,
  mainnet,
  middle,
  type Owner,
  ownerOf,
  validators,
} from '../support/expected-consolidations.ts';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { sampleConsolidations, sampleOperators, sampleValidators } from '../support/sample.ts';
import { every, slow } from '../support/thorough.ts';
import { walkNext } from '../support/walk.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});

const PATH = '/v1/eth/validators/consolidations';
const list = (query: string, headers = {}) => gateway.get(`${PATH}?${query}`, headers);
const keys = Object.keys(Consolidation.shape);

/** Every result of a question. */
const all = (query: string, headers = {}) => walkNext(gateway, `${PATH}?limit=200&${query}`, headers);

describe('GET /v1/eth/validators/consolidations', () => {
  it('answers the v1 envelope, ten rows by default, oldest first, with the keys in order', async () => {
    const { status, json } = await list('');
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['previous', 'next', 'pages', 'results']);
    expect(json.results).toEqual(mainnet.slice(0, 10));
    expect(json.pages).toBe(Math.ceil(mainnet.length / 10));
    for (const row of json.results) expect(Object.keys(row)).toEqual(keys);
    const spelled = 'limit=10&offset=0&utc=false&sortBy=day&sortOrder=asc';
    expect((await list(spelled)).json.results).toEqual(json.results);
    expect(gateway.statements).toHaveLength(6);
  });

  it.each(['mainnet', 'hoodi'] as const)(
    'has every consolidation of %s, in both calendars',
    async (network) => {
      const headers = { 'x-service-network': network };
      expect(await all('', headers)).toEqual(expected(network, 'chain'));
      expect(await all('utc=true', headers)).toEqual(expected(network, 'utc'));
      expect(expected(network, 'utc')).not.toEqual(expected(network, 'chain'));
    },
  );

  it('is empty where there are none', async () => {
    const { status, json } = await list('', { 'x-service-network': 'holesky' });
    expect([status, json]).toEqual([200, { previous: null, next: null, pages: 0, results: [] }]);
  });

  it.each([
    'fromDate',
    'toDate',
    'fromDay',
    'toDay',
    'utc',
    'sortOrder',
    'validator',
    'entityId',
    'entityType',
  ])('takes an empty or null %s as absent', async (name) => {
    const { results } = (await list('')).json;
    expect((await list(`${name}=`)).json.results).toEqual(results);
    expect((await list(`${name}=null`)).json.results).toEqual(results);
  });

  it.each(['chain', 'utc'] as const)(
    'takes days and dates inclusively, by the %s calendar',
    async (calendar) => {
      const rows = expected('mainnet', calendar);
      const [first, last] = [rows[40], rows[200]] as [(typeof rows)[number], (typeof rows)[number]];
      const utc = `utc=${calendar === 'utc'}`;
      const within = rows.filter((row) => row.day >= first.day && row.day <= last.day);
      expect(within.length).toBeGreaterThan(160);
      expect(await all(`${utc}&fromDay=${first.day}&toDay=${last.day}`)).toEqual(within);
      expect(await all(`${utc}&fromDate=${first.date}&toDate=${last.date}`)).toEqual(within);
      const narrower = `fromDay=${first.day}&toDate=${last.date}&fromDate=2021-01-01&toDay=90000`;
      expect(await all(`${utc}&${narrower}`)).toEqual(within);
      expect(await all(`${utc}&fromDay=${first.day}&toDay=${first.day}`)).toEqual(
        rows.filter((row) => row.day === first.day),
      );
      expect(await all(`${utc}&fromDay=${last.day}&toDate=${first.date}`)).toEqual([]);
    },
  );

  it('takes each bound of days, and dates before genesis', async () => {
    expect(await all('fromDay=0&toDay=2147483647')).toEqual(mainnet);
    expect(await all('fromDay=2147483647')).toEqual([]);
    expect(await all('toDay=0')).toEqual([]);
    expect(await all('fromDate=0001-01-01&toDate=9999-12-31')).toEqual(mainnet);
    expect(await all('toDate=2020-11-30')).toEqual([]);
  });

  it.each(consolidationSortFields)(
    'sorts by %s, ties by epoch and source, and turns it round',
    async (field) => {
      const compare = (a: any, b: any) =>
        Number(a[field] > b[field]) - Number(a[field] < b[field]) ||
        a.epoch - b.epoch ||
        a.sourceValidatorIndex - b.sourceValidatorIndex;
      const sorted = mainnet.toSorted(compare);
      expect(await all(`sortBy=${field}`)).toEqual(sorted);
      expect(await all(`sortBy=${field}&sortOrder=desc`)).toEqual(sorted.toReversed());
    },
  );

  it('narrows to a validator on either side, by index and by public key in any case', async () => {
    for (const index of [middle.sourceValidatorIndex, middle.targetValidatorIndex]) {
      const rows = mainnet.filter(
        (row) => row.sourceValidatorIndex === index || row.targetValidatorIndex === index,
      );
      const pubkey = ownerOf.get(`mainnet:${index}`)?.validatorPubkey.toUpperCase().replace('0X', '0x');
      expect(await all(`validator=${index}`)).toEqual(rows);
      expect(await all(`validator=${pubkey}`)).toEqual(rows);
      expect(await all(`validator=${index}&sortOrder=desc`)).toEqual(rows.toReversed());
      expect(await all(`validator=${index}&toDay=${middle.day - 1}`)).toEqual(
        rows.filter((row) => row.day < middle.day),
      );
    }
    for (const nobody of ['0', '2147483647', `0x${'0'.repeat(96)}`]) {
      const { status, json } = await list(`validator=${nobody}`);
      expect([status, json]).toEqual([200, { previous: null, next: null, pages: 0, results: [] }]);
    }
  });

  it.each(entityClasses)('narrows to an entity of class %s on either side, each row once', async (idType) => {
    const has = (row: any, id: string) =>
      [...row.sourceEntities, ...row.targetEntities].some((one) => one.idType === idType && one.id === id);
    const ids = mainnet.flatMap((row) =>
      [...row.sourceEntities, ...row.targetEntities]
        .filter((one) => one.idType === idType)
        .map(({ id }) => id),
    );
    expect(ids.length).toBeGreaterThan(0);
    for (const id of [...new Set(ids)].slice(0, 5)) {
      const query = `entityType=${idType}&entityId=${encodeURIComponent(id)}`;
      expect(await all(query)).toEqual(mainnet.filter((row) => has(row, id)));
      const { validatorIndex } = { validatorIndex: middle.sourceValidatorIndex };
      expect(await all(`${query}&validator=${validatorIndex}`)).toEqual(
        mainnet.filter(
          (row) =>
            has(row, id) && [row.sourceValidatorIndex, row.targetValidatorIndex].includes(validatorIndex),
        ),
      );
    }
  });

  it('takes the address of an entity in any case', async () => {
    const id = middle.sourceEntities[0]?.id as string;
    const upper = id.toUpperCase().replace('0X', '0x');
    const rows = await all(`entityType=depositAddress&entityId=${upper}`);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows).toEqual(await all(`entityType=depositAddress&entityId=${id}`));
  });

  slow('is empty for an entity without rows in the range, 404 for one that does not exist', async () => {
    const involved = new Set(
      mainnet.flatMap((row) => [...row.sourceEntities, ...row.targetEntities].map(({ id }) => id)),
    );
    const quiet = [...sampleOperators()].find(
      (row) => row.network === 'mainnet' && row.idType === 'nodeOperator' && !involved.has(row.id),
    );
    const { status, json } = await list(
      `entityType=nodeOperator&entityId=${encodeURIComponent(quiet?.id as string)}`,
    );
    expect([status, json.results, json.pages]).toEqual([200, [], 0]);
    const known = middle.sourceEntities.find(({ idType }) => idType === 'depositAddress')?.id;
    expect((await list(`entityType=depositAddress&entityId=${known}&toDay=1`)).status).toBe(200);
    for (const query of ['nodeOperator&entityId=nobody', `withdrawalAddress&entityId=0x${'0'.repeat(40)}`]) {
      const answer = await list(`entityType=${query}`);
      const [type, id] = query.split('&entityId=');
      const name = type === 'nodeOperator' ? 'Node operator' : 'Withdrawal address';
      const detail = `${name} "${id}" was not found on mainnet.`;
      expect([answer.status, answer.json]).toEqual([404, { detail }]);
    }
    expect((await list(`validator=1&entityType=pool&entityId=nobody`)).status).toBe(404);
  });

  it.each([
    ['limit', '0', 'limit=0'],
    ['limit', '201', 'limit=201'],
    ['limit', '1.5', 'limit=1.5'],
    ['limit', 'empty', 'limit='],
    ['limit', 'null', 'limit=null'],
    ['limit', 'text', 'limit=ten'],
    ['offset', '-1', 'offset=-1'],
    ['offset', 'null', 'offset=null'],
    ['offset', '2^31', 'offset=2147483648'],
    ['fromDate', 'not a date', 'fromDate=yesterday'],
    ['toDate', '31 April', 'toDate=2024-04-31'],
    ['fromDay', '-1', 'fromDay=-1'],
    ['toDay', '2^31', 'toDay=2147483648'],
    ['utc', '1', 'utc=1'],
    ['sortBy', 'an entity', 'sortBy=sourceEntities'],
    ['sortBy', 'a public key', 'sortBy=sourceValidatorPubkey'],
    ['sortBy', 'empty', 'sortBy='],
    ['sortOrder', 'up', 'sortOrder=up'],
    ['fromDay', 'after toDay', 'fromDay=2&toDay=1'],
    ['fromDate', 'after toDate', 'fromDate=2025-02-02&toDate=2025-02-01'],
    ['validator', '-1', 'validator=-1'],
    ['validator', '2^31', 'validator=2147483648'],
    ['validator', 'a short key', 'validator=0x00'],
    ['validator', 'text', 'validator=me'],
    ['validator', '1.5', 'validator=1.5'],
    ['entityId', 'missing', 'entityType=pool'],
    ['entityType', 'missing', 'entityId=Alder%20Liquid'],
    ['entityType', 'another word', 'entityType=Pool&entityId=x'],
    ['entityType', 'a class without validators', 'entityType=privateSet&entityId=x'],
    ['entityId', '257 characters', `entityType=pool&entityId=${'x'.repeat(257)}`],
    ['entityId', 'a NUL', 'entityType=pool&entityId=a%00'],
  ])('refuses %s: %s', async (name, _what, query) => {
    const { status, json } = await list(query);
    expect(status).toBe(400);
    expect(json.detail.map((fault: any) => fault.loc)).toEqual([['query', name]]);
    expect(json.detail[0].msg).toMatch(new RegExp(`^${name} `));
  });

  it.each([
    ...['limit', 'offset', 'fromDate', 'toDate', 'fromDay', 'toDay', 'utc', 'sortBy', 'sortOrder'],
    ...['validator', 'entityId', 'entityType'],
  ])('refuses %s given twice', async (name) => {
    const { status, json } = await list(`${name}=1&${name}=1`);
    expect(status).toBe(400);
    expect(json.detail[0]).toMatchObject({ loc: ['query', name], type: 'repeated' });
  });

  it('tells all faults at once', async () => {
    const { json } = await list('limit=0&sortBy=x&validator=x', { 'x-service-network': 'goerli' });
    expect(json.detail.map((fault: any) => fault.loc[1])).toEqual([
      'X-Service-Network',
      'limit',
      'sortBy',
      'validator',
    ]);
    const pairs = await list('entityType=pool&fromDay=2&toDay=1&fromDate=2025-02-02&toDate=2025-02-01');
    expect(pairs.json.detail.map((fault: any) => fault.loc[1])).toEqual(['fromDate', 'fromDay', 'entityId']);
  });

  it('takes each allowed bound of limit and offset', async () => {
    expect((await list('limit=1')).json.results).toEqual(mainnet.slice(0, 1));
    expect((await list('limit=200')).json.results).toEqual(mainnet.slice(0, 200));
    const { status, json } = await list('offset=2147483647');
    expect([status, json.results, json.next]).toEqual([200, [], null]);
    expect(json.pages).toBe(Math.ceil(mainnet.length / 10));
  });

  const walked = every(2, ['', 'sortBy=consolidatedBalance&sortOrder=desc'], 1);
  slow.each([...walked, 'entity', 'validator'])(
    'walks forward and back, every row once: %s',
    async (which) => {
      const id = middle.sourceEntities[0]?.id as string;
      const narrowed =
        which === 'entity'
          ? `entityType=depositAddress&entityId=${id}`
          : which === 'validator'
            ? `validator=${middle.targetValidatorIndex}`
            : which;
      const everything = await all(narrowed);
      for (const limit of [7, 40]) {
        const walk = async (start: string, direction: 'next' | 'previous') => {
          const found: any[] = [];
          for (let url: string | null = start; url; ) {
            const { json } = await gateway.get(url.replace(gateway.url, ''));
            found[direction === 'next' ? 'push' : 'unshift'](...json.results);
            url = json[direction];
          }
          return found;
        };
        const first = `${PATH}?${narrowed}&limit=${limit}`;
        expect(await walk(first, 'next')).toEqual(everything);
        const past = (await gateway.get(`${first}&offset=1000`)).json;
        expect(await walk(past.previous, 'previous')).toEqual(everything);
      }
    },
  );

  it('reads a page, the entities of both sides and the count in three statements', async () => {
    await list('limit=200');
    expect(gateway.statements.toSorted()).toEqual([
      'consolidationPages',
      'consolidationTotals',
      'entitiesByValidator',
    ]);
  });

  it('has no entities for validators that are not stored', async () => {
    const row = { network: 'holesky', epoch: 120_000, consolidatedBalance: 1 };
    const pubkey = (digit: string) => `0x${digit.repeat(96)}`;
    const sides = { sourceValidatorIndex: 2_000_000_001, targetValidatorIndex: 2_000_000_002 };
    const keysOf = { sourceValidatorPubkey: pubkey('a'), targetValidatorPubkey: pubkey('b') };
    await importText(gateway, 'consolidations', JSON.stringify([{ ...row, ...sides, ...keysOf }]));
    const headers = { 'x-service-network': 'holesky' };
    for (const query of ['', `validator=${pubkey('a')}`, `validator=${pubkey('b')}`]) {
      const [found, ...others] = await all(query, headers);
      expect(found).toMatchObject({ ...sides, sourceEntities: [], targetEntities: [] });
      expect(others).toEqual([]);
    }
    await gateway.database.pool.query({
      text: `delete from consolidations where network = 'holesky'`,
      values: [],
    });
  });
});

describe('the sample data', () => {
  it('consolidates validators that left, into ones that stay, at the epoch they could be withdrawn', () => {
    const rows = [...sampleConsolidations(validators)];
    for (const row of rows) {
      const source = ownerOf.get(`${row.network}:${row.sourceValidatorIndex}`) as Owner;
      expect(source.slashed).toBe(false);
      expect(row.epoch - Number(source.exitEpoch)).toBeGreaterThanOrEqual(256);
      expect(ownerOf.get(`${row.network}:${row.targetValidatorIndex}`)?.exitEpoch).toBeNull();
    }
    expect(rows).toEqual([...sampleConsolidations([...sampleValidators()])]);
  });
});
