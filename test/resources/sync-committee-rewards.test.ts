import { describe, expect, it } from 'vitest';
import { slotStart } from '../../src/chain/calendar.ts';
import { encodeCursor } from '../../src/kernel/cursor.ts';
import { syncCommitteeRewardFields } from '../../src/resources/sync-committee-rewards/record.ts';
import { networks } from '../../src/sample/chain.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';
import { headEpoch } from '../support/sample.ts';
import { walkNext } from '../support/walk.ts';

const gateway = useGateway();

/** The last slot of the sample data, of its two epochs. */
const head = headEpoch.mainnet * 32 - 1;
const slot = head - 5;
const missed = head - 63 + 37;
const path = (at: number | string = slot) => `/v0/eth/blocks/${at}/syncCommitteeRewards`;
const list = (query = '', at: number | string = slot, headers = {}) =>
  gateway.get(`${path(at)}?${query}`, headers);
const statementsOf = async (run: () => Promise<unknown>) => {
  gateway.statements.length = 0;
  await run();
  return [...gateway.statements];
};

describe('GET /v0/eth/blocks/{consensus_slot}/syncCommitteeRewards', () => {
  it('answers the documented envelope, the whole committee by default, with the documented keys in order', async () => {
    const { status, json, text, headers } = await list();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys(json)).toEqual(['page', 'total', 'data', 'next']);
    expect(json).toMatchObject({ page: { from: 0, to: 512, size: 512 }, total: 512, next: null });
    expect(json.data).toHaveLength(512);
    for (const row of json.data) expect(Object.keys(row)).toEqual(syncCommitteeRewardFields);
    expect((await list('from=0&limit=512')).text).toBe(text);
    expect((await gateway.get(path())).text).toBe(text);
  });

  it('derives epoch and moment from the slot, and carries signed Gwei as text', async () => {
    const { data } = (await list()).json;
    const blockTimestamp = new Date(slotStart('mainnet', slot) * 1000).toISOString().replace('.000Z', 'Z');
    for (const row of data) {
      expect(row).toMatchObject({ consensusSlot: slot, epoch: Math.floor(slot / 32), blockTimestamp });
      expect(row.syncCommitteeRewards).toMatch(/^-?[1-9]\d*$/);
    }
    const signs = data.map((row: any) => row.syncCommitteeRewards.startsWith('-'));
    expect(new Set(signs)).toEqual(new Set([true, false]));
  });

  it('has one row for each seat, ascending by validator index, so that some validators come twice', async () => {
    const stored = await gateway.database.pool.query({
      text: `select validator_index, reward::text from sync_committee_rewards
        where network = 'mainnet' and slot = $1 order by validator_index, position`,
      values: [slot],
    });
    const { data } = (await list()).json;
    expect(data.map((row: any) => [row.validatorIndex, row.syncCommitteeRewards])).toEqual(
      stored.rows.map((row) => [row.validator_index, row.reward]),
    );
    expect(new Set(data.map((row: any) => row.validatorIndex)).size).toBeLessThan(512);
  });

  it('gives every row once at any page size, by following a relative next', async () => {
    const { data } = (await list()).json;
    expect((await list('limit=5&from=1&ignored=1')).json.next).toBe(`${path()}?from=6&limit=5`);
    for (const limit of [7, 100, 511]) {
      expect(await walkNext(gateway, `${path()}?limit=${limit}`)).toEqual(data);
    }
  });

  it('takes each bound of limit and from, and is empty past the end', async () => {
    const { data } = (await list()).json;
    expect((await list('limit=1')).json).toMatchObject({ page: { from: 0, to: 1, size: 1 }, total: 512 });
    const last = (await list('from=511')).json;
    expect(last).toEqual({
      page: { from: 511, to: 512, size: 512 },
      total: 512,
      data: [data[511]],
      next: null,
    });
    for (const from of [512, 40_000, 2147483647]) {
      const page = { from, to: from, size: 512 };
      expect((await list(`from=${from}`)).json).toEqual({ page, total: 512, data: [], next: null });
    }
  });

  it('takes an empty or null from as absent', async () => {
    const { text } = await list();
    expect((await list('from=')).text).toBe(text);
    expect((await list('from=null')).text).toBe(text);
  });

  it('answers 200 and nothing for a slot without a block, and 404 for one after the head', async () => {
    const nothing = { page: { from: 0, to: 0, size: 512 }, total: 0, data: [], next: null };
    for (const at of [missed, 0]) expect((await list('', at)).json).toEqual(nothing);
    expect((await list('', head)).json.total).toBe(512);
    for (const at of [head + 1, 2147483647]) {
      const { status, json } = await list('', at);
      expect([status, json]).toEqual([404, { detail: `A reward of slot ${at} was not found on mainnet.` }]);
    }
    const empty = await gatewayForTest({ template: 'empty' });
    expect((await empty.get(path(0))).status).toBe(404);
  });

  it('answers 404 for a block whose rewards are not stored yet, which GraphQL has as null', async () => {
    const at = head - 64;
    expect((await gateway.get(`/v0/eth/blocks/${at}`)).json.consensusProposerDuty).toBe('proposed');
    expect(await list('', at)).toMatchObject({ status: 404 });
    const { data, errors } = await gateway.graphql(
      `{ block(slot: ${at}) { syncCommitteeRewards(first: 1) { totalCount } } }`,
    );
    expect([data, errors]).toEqual([{ block: { syncCommitteeRewards: null } }, undefined]);
  });

  it.each(networks)('answers the network %s', async (network) => {
    const last = headEpoch[network] * 32 - 1;
    const { json } = await list('', last, { 'X-Service-Network': network });
    expect(json.total).toBe(512);
    expect(json.data[0].consensusSlot).toBe(last);
  });

  it.each([
    ['limit', '0'],
    ['limit', '513'],
    ['limit', '-1'],
    ['limit', '1.5'],
    ['limit', '1e2'],
    ['limit', ''],
    ['limit', 'null'],
    ['limit', '9223372036854775808'],
    ['from', '-1'],
    ['from', '1.5'],
    ['from', 'first'],
    ['from', '2147483648'],
  ])('refuses %s=%s with 400 naming it', async (name, value) => {
    const { status, json } = await list(`${name}=${value}`);
    expect(status).toBe(400);
    expect(json.detail.map((fault: any) => fault.loc)).toEqual([['query', name]]);
  });

  it.each(['-1', '1.5', 'head', '0x10', '2147483648', '%20'])('refuses the slot %s with 400', async (at) => {
    const { status, json } = await list('', at);
    expect(status).toBe(400);
    expect(json.detail.map((fault: any) => fault.loc)).toEqual([['path', 'consensus_slot']]);
  });

  it.each(['limit', 'from'])('refuses %s given twice', async (name) => {
    const { status, json } = await list(`${name}=1&${name}=1`);
    expect([status, json.detail[0].type]).toEqual([400, 'repeated']);
  });

  it('tells all faults at once, those of the header and the path too', async () => {
    const { status, json } = await list('limit=0&from=a', 'x', { 'X-Service-Network': 'goerli' });
    expect(status).toBe(400);
    expect(json.detail.map((fault: any) => fault.loc[1])).toEqual([
      'X-Service-Network',
      'consensus_slot',
      'limit',
      'from',
    ]);
  });

  it('reads a page in one statement wherever it lies, and asks for the head only when it is empty', async () => {
    expect(await statementsOf(() => list())).toEqual(['slotRewardPages']);
    expect(await statementsOf(() => list('from=500&limit=5'))).toEqual(['slotRewardPages']);
    for (const at of [missed, head + 1])
      expect(await statementsOf(() => list('', at))).toEqual(['slotRewardPages', 'slotStates']);
  });
});

const fields = syncCommitteeRewardFields
  .join(' ')
  .replace('syncCommitteeRewards', 'syncCommitteeRewards: reward');
const query = (args: string) => `query ($network: Network, $slot: Int!, $cursor: String) {
  syncCommitteeRewards(network: $network, slot: $slot, ${args}) {
    edges { node { ${fields} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

describe('REST and GraphQL', () => {
  it('agree on sizes, slots without a block and slots after the head', async () => {
    const ask = (at: number) =>
      gateway.graphql(`{ syncCommitteeRewards(slot: ${at}, first: 512) { totalCount nodes { ${fields} } } }`);
    const { data } = (await list()).json;
    expect((await ask(slot)).data.syncCommitteeRewards).toEqual({ totalCount: 512, nodes: data });
    expect((await ask(missed)).data.syncCommitteeRewards).toEqual({ totalCount: 0, nodes: [] });
    expect((await ask(head + 1)).errors?.[0].extensions.code).toBe('NOT_FOUND');
  });
});

describe('GraphQL syncCommitteeRewards', () => {
  it.each(['slot: -1', 'first: 0', 'first: 513', 'last: 513', 'first: 1, last: 1', 'after: "x"'])(
    'refuses %s',
    async (args) => {
      const given = args.startsWith('slot') ? args : `slot: ${slot}, ${args}`;
      const { errors } = await gateway.graphql(`{ syncCommitteeRewards(${given}) { totalCount } }`);
      expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
    },
  );

  it.each([[[-1]], [['x']], [[1e12]], [[1.5]], [[1, 2]], [[]]])(
    'refuses a cursor made by hand with %j in it',
    async (key) => {
      const after = encodeCursor(`syncCommitteeRewards:mainnet:${slot}`, key);
      const { errors } = await gateway.graphql(query('first: 1, after: $cursor'), { slot, cursor: after });
      expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
    },
  );

  it('refuses a cursor of another slot', async () => {
    const { data } = await gateway.graphql(query('first: 1, after: $cursor'), { slot });
    const cursor = data.syncCommitteeRewards.pageInfo.endCursor;
    const other = await gateway.graphql(query('first: 1, after: $cursor'), { slot: slot - 1, cursor });
    expect(other.errors?.[0].extensions.code).toBe('BAD_INPUT');
  });

  it('reads pages of several slots in one statement, and all their validators in one more', async () => {
    const page = (at: number, name: string) => `${name}: syncCommitteeRewards(slot: ${at}, first: 30) {
      totalCount nodes { validator { validatorPubkey } } }`;
    const ask = `{ ${page(slot, 'a')} ${page(slot - 1, 'b')} ${page(slot - 40, 'c')} }`;
    expect(await statementsOf(() => gateway.graphql(ask))).toEqual(['slotRewardPages', 'validatorsByIndex']);
  });
});

describe('a block in GraphQL', () => {
  const select = 'edges { cursor node { validatorIndex reward } } totalCount';
  const block = (slot: number) =>
    gateway.graphql(`{
      block(slot: ${slot}) { consensusSlot epoch network syncCommitteeRewards { ${select} } }
      syncCommitteeRewards(slot: ${slot}) { ${select} }
    }`);

  it('has the sync committee rewards of its slot, the same as at the root, in one statement each', async () => {
    const { rows } = await gateway.database.pool.query({
      text: `select max(slot)::int as slot from sync_committee_rewards where network = 'mainnet'`,
      values: [],
    });
    const slot = rows[0]?.slot as number;
    gateway.statements.length = 0;
    const { data, errors } = await block(slot);
    expect(errors).toBeUndefined();
    expect(data.block).toMatchObject({
      consensusSlot: slot,
      epoch: Math.floor(slot / 32),
      network: 'MAINNET',
    });
    expect(data.block.syncCommitteeRewards).toEqual(data.syncCommitteeRewards);
    expect(data.syncCommitteeRewards.totalCount).toBe(512);
    expect(gateway.statements.toSorted()).toEqual(['blocksBySlot', 'slotRewardPages']);
  });

  it.each(['consensusOutcome', 'executionOutcome'])(
    'has %s also where it is the only field',
    async (field) => {
      const of = (query: string) => gateway.graphql(query).then(({ data, errors }) => data ?? errors);
      const { block } = await of(`{ block(slot: ${slot}) { ${field} } }`);
      expect(block[field]).toMatch(/proposed/i);
      const { syncCommitteeRewards } = await of(
        `{ syncCommitteeRewards(slot: ${slot}, first: 1) { nodes { block { ${field} } } } }`,
      );
      expect(syncCommitteeRewards.nodes).toEqual([{ block }]);
    },
  );

  it('is null where nothing is stored of it', async () => {
    const { data } = await gateway.graphql(
      '{ early: block(slot: 1) { epoch } late: block(slot: 2147483647) { epoch } }',
    );
    expect(data).toEqual({ early: null, late: null });
    const { errors } = await gateway.graphql('{ block(slot: -1) { epoch } }');
    expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
  });
});
