import fc from 'fast-check';
import { parse } from 'lossless-json';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ImportResource } from '../../src/ingest/importers/index.ts';
import { rewardPages } from '../../src/resources/network-rewards/queries.ts';
import {
  definitions,
  fieldsOf,
  type RewardsNetwork,
  rewardRecord,
} from '../../src/resources/network-rewards/record.ts';
import { inTheFarFuture } from '../support/clock.ts';
import { decimals, ratios, written } from '../support/decimals.ts';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { sampleNetworkRewards } from '../support/sample.ts';
import { every, runs, slow } from '../support/thorough.ts';

const gateway = useGateway({ template: 'empty' });
const sample = new Map(sampleNetworkRewards());
const networks = [...sample.keys()];
beforeEach(async () => {
  const tables = networks.flatMap((network) => [
    `${network}_validator_rewards`,
    `${network}_network_rewards`,
  ]);
  await gateway.database.pool.query({ text: `truncate ${tables.join()}`, values: [] });
});

type Row = Record<string, unknown>;
const load = (network: string, rows: unknown, options = {}) => {
  const text = typeof rows === 'string' ? rows : JSON.stringify(rows);
  return importText(gateway, `${network}-rewards` as ImportResource, text, options);
};
const rowsOf = (network: RewardsNetwork, kind: 'validator' | 'network'): Row[] =>
  (sample.get(network) ?? [])
    .filter((made) => made.kind === kind)
    .map(({ row }) => Object.fromEntries(fieldsOf(network, kind).map((name) => [name, row[name]])));
const [day, nextDay] = rowsOf('solana', 'network') as [Row, Row];
const voted = rowsOf('solana', 'validator')[0] as Row;
const exact = (text: string): any => parse(text, null, (digits) => digits);
const path = (network: RewardsNetwork, validator?: unknown) =>
  validator === undefined
    ? `/v1/${network}/network/rewards`
    : `/v1/${network}/validators/${validator}/rewards`;
const days = async (network: RewardsNetwork, validator?: unknown) => {
  const { status, json } = await gateway.get(`${path(network, validator)}?limit=200`);
  return status === 404 ? 404 : json.results.map((row: any) => row.day);
};
/** A row whose decimals are JSON numbers of these digits. */
const withNumbers = (row: Row, numbers: Record<string, string>) =>
  `{${Object.entries(row).map(([name, value]) => `"${name}":${numbers[name] ?? JSON.stringify(value)}`)}}`;

describe.each(every(3, networks))('importing %s-rewards', (network) => {
  const { idField } = definitions[network];
  const validators = rowsOf(network, 'validator');
  const ids = [...new Set(validators.map((row) => row[idField]))];

  slow('takes rows of validators and of the network in one file, and again without a change', async () => {
    const rows = [...rowsOf(network, 'network'), ...validators];
    expect(rows).toHaveLength(1_170);
    expect(await load(network, rows)).toMatchObject({ inserted: 1_170, updated: 0, removed: 0, faults: [] });
    const answers = async () =>
      Promise.all(
        [undefined, ...ids].map(async (id) => (await gateway.get(`${path(network, id)}?limit=200`)).text),
      );
    const before = await answers();
    expect(await load(network, rows)).toMatchObject({ inserted: 0, updated: 0, removed: 0 });
    expect(await answers()).toEqual(before);
  });

  it.each([undefined, ids[0]])('takes what REST answers, and answers the same: %s', async (id) => {
    await load(network, [...rowsOf(network, 'network'), ...validators]);
    const body = await gateway.get(`${path(network, id)}?limit=200`);
    const table = `${network}_${id === undefined ? 'network' : 'validator'}_rewards`;
    await gateway.database.pool.query({ text: `truncate ${table}`, values: [] });
    expect(await load(network, body.text)).toMatchObject({ inserted: 90, faults: [], replaced: false });
    expect((await gateway.get(`${path(network, id)}?limit=200`)).text).toBe(body.text);
  });

  it.each(['validator', 'network'] as const)(
    'keeps every digit of a %s row from the file to both APIs',
    async (kind) => {
      const [row] = rowsOf(network, kind) as [Row];
      const names = fieldsOf(network, kind).filter(
        (name) => typeof row[name] === 'string' && /^\d+\.\d+$/.test(row[name] as string),
      );
      expect(names.length).toBeGreaterThan(1);
      const id = kind === 'validator' ? row[idField] : undefined;
      const type = rewardRecord(network, kind).meta()?.id;
      const args = `network: ${network.toUpperCase()}${id === undefined ? '' : `, validatorId: "${id}"`}`;
      const query = `{ rows: ${kind}Rewards(${args}) { nodes { ... on ${type} { ${names.join(' ')} } } } }`;
      const isRatio = (name: string) => /Rate$|Fee$/.test(name) && !/Flat/.test(name);
      const value = (name: string) => written(isRatio(name) ? ratios : decimals);
      // A ratio is a Float in GraphQL: the nearest double.
      const inGraphql = ([name, exactly]: [string, unknown]) => [
        name,
        isRatio(name) ? Number(exactly) : exactly,
      ];
      const values = fc.record(Object.fromEntries(names.map((name) => [name, value(name)])));
      await fc.assert(
        fc.asyncProperty(values, async (given) => {
          const numbers = Object.fromEntries(Object.entries(given).map(([name, { json }]) => [name, json]));
          expect((await load(network, withNumbers(row, numbers))).faults).toEqual([]);
          const plain = Object.fromEntries(Object.entries(given).map(([name, one]) => [name, one.value]));
          expect(exact((await gateway.get(path(network, id))).text).results).toMatchObject([plain]);
          const shown = Object.fromEntries(Object.entries(plain).map(inGraphql));
          expect((await gateway.graphql(query)).data.rows.nodes).toEqual([shown]);
        }),
        { ...runs(8), endOnFailure: true },
      );
    },
  );

  it('has null for a name that is absent, and refuses other fields that are', async () => {
    const [row] = validators as [Row];
    for (const name of Object.keys(row)) {
      const { [name]: _, ...rest } = row;
      const { faults } = await load(network, [rest]);
      const optional =
        row[name] === null || /Name$|Ticker$|Moniker$|HashId$|^mev|^validatorPubkey$/.test(name);
      const field = name === idField ? '(row)' : name;
      expect([name, faults.map((fault) => fault.field)]).toEqual([name, optional ? [] : [field]]);
      if (optional) expect((await gateway.get(path(network, row[idField]))).json.results[0][name]).toBeNull();
    }
  });
});

describe('the hash of a Cardano pool', () => {
  const own = rowsOf('cardano', 'validator').find((row) => row.poolHashId !== null) as Row;
  const poolId = String(own.poolId);
  const hash = String(own.poolHashId);
  const byGraphql = async (validatorId: string) => {
    const query = `{ validatorRewards(network: CARDANO, validatorId: "${validatorId}") {
      nodes { validator ... on CardanoValidatorReward { date poolHashId } } pageInfo { endCursor } } }`;
    return (await gateway.graphql(query)).data.validatorRewards;
  };

  it('is 56 hex digits, taken in any letter case and answered in lower case', async () => {
    expect(hash).toMatch(/^[0-9a-f]{56}$/);
    expect(await load('cardano', [{ ...own, poolHashId: hash.toUpperCase() }])).toMatchObject({
      inserted: 1,
    });
    const { json } = await gateway.get(path('cardano', poolId));
    expect(json.results).toMatchObject([{ poolId, poolHashId: hash }]);
    expect(await byGraphql(poolId)).toMatchObject({ nodes: [{ validator: poolId, poolHashId: hash }] });
  });

  it('names its pool beside the pool id, in any letter case, also where a row has none', async () => {
    const rows = rowsOf('cardano', 'validator').filter((row) => row.poolId === poolId);
    await load('cardano', [{ ...rows[0], poolHashId: null }, ...rows.slice(1)]);
    const { json } = await gateway.get(path('cardano', poolId));
    expect(json.results[0].poolHashId).toBeNull();
    for (const name of [hash, hash.toUpperCase(), poolId.toUpperCase()]) {
      gateway.statements.length = 0;
      const answer = await gateway.get(path('cardano', name));
      expect(gateway.statements).toEqual(['rewardPages']);
      expect(answer.json.results).toEqual(json.results);
      gateway.statements.length = 0;
      expect(await byGraphql(name)).toEqual(await byGraphql(poolId));
      expect(gateway.statements).toEqual(['rewardPages', 'rewardPages']);
    }
    expect(await days('cardano', 'ab'.repeat(28))).toBe(404);
  });

  it.each([
    [12_345, 'must be text'],
    ['ab'.repeat(27), 'must be the hash of the pool, 56 hex digits in lower case'],
    [`0x${'ab'.repeat(27)}`, 'must be the hash of the pool, 56 hex digits in lower case'],
    [
      '153806dbcd134ddee69a8c5204e38ac80448f62342f8c23cfe4b7edf',
      `is 153806dbcd134ddee69a8c5204e38ac80448f62342f8c23cfe4b7edf, the hash of pool1z5uqdk7dzdxaae5633fqfcu2eqzy3a3rgtuvy087fdld7yws0xt; poolId is ${poolId}`,
    ],
  ])('is refused when it is %s', async (poolHashId, msg) => {
    const { faults } = await load('cardano', [{ ...own, poolHashId }]);
    expect(faults).toMatchObject([{ field: 'poolHashId', msg }]);
  });
});

describe('a row', () => {
  it('that is neither of a validator nor of the network is told by what it lacks', async () => {
    const { faults, loaded } = await load('solana', [{ day: '2025-01-01' }, 7]);
    expect(loaded).toBe(false);
    expect(faults[0]).toMatchObject({
      ...{ place: 'row 1', field: '(row)' },
      msg: 'has neither voteAccount (rows of validators) nor activeValidatorCount (rows of the network)',
    });
    expect(faults[1]).toMatchObject({ place: 'row 2', field: '(row)' });
  });

  it('that names its network must be of this one, in any letter case', async () => {
    expect(await load('solana', [{ ...day, network: 'SOLANA' }])).toMatchObject({ inserted: 1 });
    const { faults } = await load('solana', [{ ...day, network: 'POLYGON' }]);
    expect(faults).toMatchObject([{ msg: 'is of another network; these rows are of solana' }]);
  });

  it('of another network does not fit', async () => {
    for (const network of networks) {
      for (const row of [rowsOf(network, 'validator')[0], rowsOf(network, 'network')[0]]) {
        const other = network === 'cardano' ? 'solana' : 'cardano';
        expect((await load(other, [row])).loaded).toBe(false);
      }
    }
    const { faults } = await load('celestia', [rowsOf('babylon', 'validator')[0]]);
    expect(faults.map((fault) => fault.field)).toEqual(['validator', 'consensusAddress']);
  });

  it.each([
    ['day', '2025-02-30', /must be a date/],
    ['day', '2025-01-01T00:00:00Z', /must be a date/],
    ['voteAccount', '0x00', /base58/],
    ['epoch', -1, /at least 0/],
    ['epoch', 1.5, /a whole number/],
    ['voteCommissionRate', '1.01', /from 0 to 1/],
    ['voteCommissionRate', 5, /from 0 to 1/],
    ['totalMevRewards', '-0.1', />= 0/],
    ['totalMevRewards', '1,5', />= 0/],
    ['totalMevRewards', null, />= 0/],
    ['validatorName', '', /at least 1/],
    ['validatorName', 'a\0b', /NUL/],
  ])('with %s %j is refused', async (name, value, message) => {
    const { faults } = await load('solana', [{ ...voted, [name]: value }]);
    expect(faults).toMatchObject([{ place: 'row 1', field: name }]);
    expect(faults[0]?.msg).toMatch(message);
  });

  it.each([
    ['cardano', 'toSlotNumber', 'fromSlotNumber'],
    ['cardano', 'toBlockNumber', 'fromBlockNumber'],
    ['babylon', 'toBlockNumber', 'fromBlockNumber'],
    ['polygon', 'toCheckpoint', 'fromCheckpoint'],
  ] as const)('of %s with a %s before its %s is refused', async (network, to, from) => {
    const row = rowsOf(network, 'validator')[0] as Row;
    const { faults } = await load(network, [{ ...row, [to]: (row[from] as number) - 1 }]);
    expect(faults).toMatchObject([
      { field: to, msg: `is ${(row[from] as number) - 1}, before ${from} ${row[from]}` },
    ]);
    expect(await load(network, [{ ...row, [to]: row[from] }])).toMatchObject({ inserted: 1 });
  });

  it('with a second Polkadot era on one day is refused, with what to do', async () => {
    const [validator] = rowsOf('polkadot', 'validator');
    const [ofNetwork] = rowsOf('polkadot', 'network');
    const later = (row: Row | undefined) => ({ ...row, era: Number(row?.era) + 1 });
    const { loaded, faults } = await load('polkadot', [validator, later(validator)]);
    expect([loaded, faults[0]?.msg]).toEqual([
      false,
      'repeats row 1; if two eras end on that day, give one row: rewards and points of both added up, the rest of the later era',
    ]);
    expect((await load('polkadot', [ofNetwork, later(ofNetwork)])).loaded).toBe(false);
  });

  it('that repeats a day of a list is refused; a validator and its network share days', async () => {
    const { faults } = await load('solana', [day, voted, { ...day, epoch: 1 }, { ...voted, epoch: 1 }]);
    expect(faults).toMatchObject([
      { place: 'row 3', msg: 'repeats row 1' },
      { place: 'row 4', msg: 'repeats row 2' },
    ]);
  });

  it('has owners of a pool as a list, none too', async () => {
    const row = rowsOf('cardano', 'validator')[0] as Row;
    for (const owners of [[], ['stake1a', 'stake1"b, {c}', 'null']]) {
      await load('cardano', [{ ...row, poolOwnerStakeAddresses: owners }]);
      const { json } = await gateway.get(path('cardano', row.poolId));
      expect(json.results[0].poolOwnerStakeAddresses).toEqual(owners);
    }
    const { faults } = await load('cardano', [{ ...row, poolOwnerStakeAddresses: ['', 7] }]);
    expect(faults.map((fault) => fault.field)).toEqual([
      'poolOwnerStakeAddresses.0',
      'poolOwnerStakeAddresses.1',
    ]);
  });

  it('on the first and the last day of the calendar is answered, and paged over', async () => {
    inTheFarFuture();
    const dates = ['0001-01-01', '1969-12-31', '9999-12-31'];
    await load(
      'solana',
      dates.map((date) => ({ ...day, day: date })),
    );
    expect(await days('solana')).toEqual(dates);
    const found: string[] = [];
    for (let after: string | null = null; ; ) {
      const text = `query ($after: String) { networkRewards(network: SOLANA, first: 1, after: $after) {
        nodes { date } pageInfo { endCursor hasNextPage } } }`;
      const { networkRewards }: any = (await gateway.graphql(text, { after })).data;
      found.push(networkRewards.nodes[0].date);
      after = networkRewards.pageInfo.endCursor;
      if (!networkRewards.pageInfo.hasNextPage) break;
    }
    expect(found).toEqual(dates.toReversed());
  });
});

describe('a file of daily rewards', () => {
  const [mine, others] = [voted, rowsOf('solana', 'validator')[1] as Row];
  const on = (row: Row, date: string) => ({ ...row, day: date });
  const store = () =>
    load('solana', [
      ...['2025-01-01', '2025-01-02'].flatMap((date) => [on(day, date), on(mine, date), on(others, date)]),
    ]);

  it('adds to what is stored, also when it is a whole body', async () => {
    await store();
    const results = [on(mine, '2025-01-03')];
    expect(await load('solana', { previous: null, next: null, pages: 1, results })).toMatchObject({
      ...{ inserted: 1, removed: 0, replaced: false },
    });
    expect(await days('solana', mine.voteAccount)).toEqual(['2025-01-01', '2025-01-02', '2025-01-03']);
  });

  it('with --replace removes other days of its validators, and nothing else', async () => {
    await store();
    expect(await load('solana', [on(mine, '2025-01-02')], { replace: true })).toMatchObject({
      ...{ inserted: 0, updated: 0, removed: 1 },
    });
    expect(await days('solana', mine.voteAccount)).toEqual(['2025-01-02']);
    expect(await days('solana', others.voteAccount)).toHaveLength(2);
    expect(await days('solana')).toHaveLength(2);
  });

  it('with --replace and a day of the network removes other days of the network', async () => {
    await store();
    expect(await load('solana', [on(day, '2025-01-05')], { replace: true })).toMatchObject({
      ...{ inserted: 1, removed: 2 },
    });
    expect(await days('solana')).toEqual(['2025-01-05']);
    expect(await days('solana', mine.voteAccount)).toHaveLength(2);
  });

  it('is loaded whole or not at all, and without the faulty rows with skipInvalid', async () => {
    const rows = [day, { ...nextDay, epoch: -1 }];
    expect(await load('solana', rows)).toMatchObject({ loaded: false, inserted: 0 });
    expect(await days('solana')).toEqual([]);
    expect(await load('solana', rows, { skipInvalid: true })).toMatchObject({ loaded: true, inserted: 1 });
    expect(await days('solana')).toEqual([day.day]);
  });

  it('makes a validator known: 404 before, 200 after', async () => {
    expect(await days('solana', mine.voteAccount)).toBe(404);
    await load('solana', [on(mine, '2025-01-01')]);
    expect(await days('solana', mine.voteAccount)).toEqual(['2025-01-01']);
  });
});

describe('the tables', () => {
  it('have the fields of their records as columns, in the order of the record, and nothing else', async () => {
    for (const network of networks) {
      for (const kind of ['validator', 'network'] as const) {
        const { rows } = await gateway.database.pool.query({
          text: `select column_name from information_schema.columns where table_name = $1 order by ordinal_position`,
          values: [`${network}_${kind}_rewards`],
        });
        const snake = (name: string) => name.replace(/[A-Z]/g, '_$&').toLowerCase();
        expect(rows.map((row) => row.column_name)).toEqual(fieldsOf(network, kind).map(snake));
      }
    }
  });

  slow.each([
    { sortOrder: 'asc', limit: 1 },
    { sortOrder: 'desc', limit: 10 },
    { sortOrder: 'asc', limit: 200 },
    { sortOrder: 'desc', limit: 10, backward: true, before: 739_000 },
  ] as const)('are read by the key of a validator, in its order: %j', async ({ sortOrder, ...range }) => {
    await load('solana', rowsOf('solana', 'validator'));
    // as many validators as a network has, loaded day by day, one of them new
    await gateway.database.pool.query({
      text: `insert into solana_validator_rewards
        select (jsonb_populate_record(r, jsonb_build_object('vote_account', 'V' || i))).*
        from solana_validator_rewards r, generate_series(1, 200) i
        where r.vote_account = $1 and (i > 1 or r.day > '2025-10-20')
        order by r.day`,
      values: [voted.voteAccount],
    });
    await gateway.database.pool.query({ text: 'analyze solana_validator_rewards', values: [] });
    const asked: { text: string; values: unknown[] }[] = [];
    const db = {
      query: async (statement: (typeof asked)[number]) => {
        asked.push(statement);
        return { rows: [] };
      },
    };
    const query = { fromDate: '2025-01-01', toDate: null, sortBy: 'day', sortOrder };
    await rewardPages(db as never, { network: 'solana', kind: 'validator' }, ['V1'], query, range, ['day']);
    const { rows } = await gateway.database.pool.query({
      text: `explain ${asked[0]?.text}`,
      values: asked[0]?.values as never[],
    });
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('solana_validator_rewards_pkey');
    expect(plan).not.toMatch(/Seq Scan|rewards_day/);
  });
});
