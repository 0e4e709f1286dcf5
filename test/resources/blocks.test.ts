import { describe, expect, it } from 'vitest';
import { slotStart } from '../../src/chain/calendar.ts';
import { encodeCursor } from '../../src/kernel/cursor.ts';
import { blockFields } from '../../src/resources/blocks/record.ts';
import { networks } from '../../src/sample/chain.ts';
import { eventually } from '../support/eventually.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { headEpoch } from '../support/sample.ts';
import { slow } from '../support/thorough.ts';
import { parsed } from '../support/typed.ts';
import { walkNext } from '../support/walk.ts';

const gateway = useGateway();

/** The last slot of the sample data, and what its rewarded slots have without a block. */
const head = headEpoch.mainnet * 32 - 1;
const missed = head - 63 + 37;
const first = head - 2_047;
const list = (query = '', headers = {}) => gateway.get(`/v0/eth/blocks?${query}`, headers);
const one = (slot: number | string, headers = {}) => gateway.get(`/v0/eth/blocks/${slot}`, headers);
const everything = (headers = {}) => walkNext(gateway, '/v0/eth/blocks?size=200', headers);
const statementsOf = async (run: () => Promise<unknown>) => {
  gateway.statements.length = 0;
  await run();
  return gateway.statements.toSorted();
};

describe('GET /v0/eth/blocks', () => {
  it('answers the documented envelope, fifteen rows from the head down, with the documented keys in order', async () => {
    const { status, json, headers } = await list();
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(Object.keys(json)).toEqual(['page', 'total', 'data', 'next']);
    expect(json.page).toEqual({ from: head, to: head - 15, size: 15 });
    expect(json.next).toBe(`/v0/eth/blocks?from=${head - 15}&size=15`);
    expect(json.data.map((row: any) => row.consensusSlot)).toEqual(
      Array.from({ length: 15 }, (_, index) => head - index),
    );
    for (const row of json.data) expect(Object.keys(row)).toEqual(blockFields);
  });

  it('derives epoch and moment from the slot', async () => {
    for (const network of networks) {
      for (const row of (await list('size=50', { 'x-service-network': network })).json.data) {
        expect(row.epoch).toBe(Math.floor(row.consensusSlot / 32));
        const moment = new Date(slotStart(network, row.consensusSlot) * 1000).toISOString();
        expect(row.blockTimestamp).toBe(moment.replace('.000Z', 'Z'));
      }
    }
  });

  slow(
    'has every slot, newest first, once each at any page size, and the stored total on every page',
    async () => {
      const rows = await everything();
      expect(rows.map((row) => row.consensusSlot)).toEqual(
        Array.from({ length: 2_048 }, (_, index) => head - index),
      );
      for (const size of [7, 111])
        expect(await walkNext(gateway, `/v0/eth/blocks?size=${size}`)).toEqual(rows);
      for (const query of ['size=1', `from=${first}`, 'from=0', 'from=2147483647']) {
        expect((await list(query)).json.total).toBe(2_048);
      }
    },
  );

  it('begins with the slot of from, or the next stored one below it', async () => {
    const at = (await list(`from=${head - 100}&size=3`)).json;
    expect(at.page).toEqual({ from: head - 100, to: head - 103, size: 3 });
    expect(at.data[0].consensusSlot).toBe(head - 100);
    const last = (await list(`from=${first + 1}`)).json;
    expect(last.page).toEqual({ from: first + 1, to: first - 1, size: 15 });
    expect([last.data.length, last.next]).toEqual([2, null]);
  });

  it('begins with the newest block for slots to come, and is empty below the first one stored', async () => {
    const { data } = (await list()).json;
    for (const from of [head + 1, 2147483647]) {
      const { json } = await list(`from=${from}`);
      expect(json).toMatchObject({ page: { from, to: head - 15 }, data });
    }
    for (const from of [first - 1, 0]) {
      expect((await list(`from=${from}`)).json).toEqual({
        page: { from, to: from, size: 15 },
        total: 2_048,
        data: [],
        next: null,
      });
    }
  });

  it('takes an empty or null from as absent', async () => {
    const { text } = await list();
    for (const query of ['from=', 'from=null', 'size=15', `from=${head}`])
      expect((await list(query)).text).toBe(text);
  });

  it('takes each bound of size', async () => {
    expect((await list('size=1')).json.data).toHaveLength(1);
    expect((await list('size=200')).json.data).toHaveLength(200);
  });

  it.each([
    ['from', '-1'],
    ['from', '1.5'],
    ['from', '1e3'],
    ['from', 'head'],
    ['from', '2025-01-01'],
    ['from', '2147483648'],
    ['size', '0'],
    ['size', '201'],
    ['size', '-1'],
    ['size', '1.5'],
    ['size', ''],
    ['size', 'null'],
  ])('refuses %s=%s with 400 naming it', async (name, value) => {
    const { status, json } = await list(`${name}=${value}`);
    expect(status).toBe(400);
    expect(json.detail.map((fault: any) => fault.loc)).toEqual([['query', name]]);
  });

  it.each(['from', 'size'])('refuses %s given twice', async (name) => {
    const { status, json } = await list(`${name}=1&${name}=1`);
    expect([status, json.detail[0].type]).toEqual([400, 'repeated']);
  });

  it('tells all faults at once, those of the header too', async () => {
    const { json } = await list('from=a&size=0', { 'X-Service-Network': 'goerli' });
    expect(json.detail.map((fault: any) => fault.loc[1])).toEqual(['X-Service-Network', 'from', 'size']);
  });

  it('shows a missed slot: its proposer and what it lost, and null for what only a block has', async () => {
    const rows = (await everything()).filter((row) => row.consensusProposerDuty === 'missed');
    expect(rows.map((row) => row.consensusSlot)).toContain(missed);
    for (const row of rows) {
      expect(row).toMatchObject({
        consensusBlockRoot: null,
        executionBlockNumber: null,
        executionBlockHash: null,
        feeRecipient: null,
        totalTransactions: null,
        totalGasUsed: null,
        totalBurntFees: null,
        totalPriorityFees: null,
        totalRewards: 0,
        relays: [],
        blockBuilderPubkeys: [],
      });
      expect(row.validatorIndex).toBeGreaterThanOrEqual(0);
      expect(row.totalRewardsMissed).toBeGreaterThan(0);
    }
  });

  it('answers wei with every digit, past 2^53', async () => {
    const { text } = await list('size=50');
    const burnt = parsed<{ data: { totalBurntFees: object | null }[] }>(text).data.map(
      (row) => row.totalBurntFees?.toString() ?? '0',
    );
    expect(burnt.some((digits: string) => BigInt(Number(digits)) !== BigInt(digits))).toBe(true);
    const stored = await gateway.database.pool.query({
      text: `select coalesce(total_burnt_fees, 0)::text as fees from blocks where network = 'mainnet'
        order by slot desc limit 50`,
      values: [],
    });
    expect(burnt).toEqual(stored.rows.map((row) => row.fees));
  });

  it('is read in two statements, wherever the page lies', async () => {
    for (const query of ['', `from=${first + 20}`, 'from=0'])
      expect(await statementsOf(() => list(query))).toEqual(['blockPage', 'blockTotal']);
  });

  it('is read by the key: a page at the end costs no more rows than one at the head', async () => {
    for (const below of [head + 1, first + 20]) {
      const { rows } = await gateway.database.pool.query({
        text: `explain (analyze, costs off, timing off, summary off)
          select * from blocks b where b.network = 'mainnet' and b.slot < $1::bigint order by b.slot desc limit 16`,
        values: [below],
      });
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/Index Scan Backward using blocks_pkey/);
      expect(plan).not.toMatch(/Rows Removed/);
    }
  });
});

describe('GET /v0/eth/blocks/{consensus_slot}', () => {
  it('answers one record, the same as in the list', async () => {
    const rows = await everything();
    for (const row of [
      rows[0],
      rows[1_000],
      rows.at(-1),
      rows.find((each) => each.consensusSlot === missed),
    ]) {
      const { status, json } = await one(row.consensusSlot);
      expect([status, json]).toEqual([200, row]);
      expect(Object.keys(json)).toEqual(blockFields);
    }
    expect(await statementsOf(() => one(head))).toEqual(['blocksBySlot']);
  });

  it.each(networks)('answers the network %s', async (network) => {
    const headers = { 'x-service-network': network };
    const row = (await list('size=1', headers)).json.data[0];
    expect((await one(row.consensusSlot, headers)).json).toEqual(row);
  });

  it('is 404 for a slot that is not stored', async () => {
    for (const slot of [0, first - 1, head + 1, 2147483647]) {
      const { status, json } = await one(slot);
      expect([status, json]).toEqual([404, { detail: `Block of slot ${slot} was not found on mainnet.` }]);
    }
    expect((await one(head, { 'x-service-network': 'holesky' })).status).toBe(404);
  });

  it.each(['-1', '1.5', 'head', '0x10', '2147483648', '%20', 'null'])('refuses the slot %s', async (slot) => {
    const { status, json } = await one(slot);
    expect(status).toBe(400);
    expect(json.detail.map((fault: any) => fault.loc)).toEqual([['path', 'consensus_slot']]);
  });
});

const block = (consensusSlot: number, more = {}) => ({
  consensusSlot,
  validatorIndex: 7,
  consensusProposerDuty: 'proposed',
  consensusBlockRoot: `0x${'a'.repeat(64)}`,
  ...more,
});

describe('a block that comes while the gateway serves', () => {
  slow('is served within a second of being stored, on every path and both APIs', async () => {
    const fresh = await gatewayForTest();
    await importText(fresh, 'blocks', JSON.stringify(block(head + 1)));
    const stored = Date.now();
    const [rest, single, { data }, rewards] = await Promise.all([
      fresh.get('/v0/eth/blocks?size=1'),
      fresh.get(`/v0/eth/blocks/${head + 1}`),
      fresh.graphql('{ blocks(first: 1) { totalCount nodes { consensusSlot } } }'),
      fresh.get(`/v0/eth/blocks/${head + 1}/syncCommitteeRewards`),
    ]);
    expect(Date.now() - stored).toBeLessThan(1_000);
    expect([rest.json.data[0].consensusSlot, rest.json.total]).toEqual([head + 1, 2_049]);
    expect(single.json).toEqual(rest.json.data[0]);
    expect(data.blocks).toEqual({ totalCount: 2_049, nodes: [{ consensusSlot: head + 1 }] });
    // they are not stored yet; an empty list would mean a slot without a block
    expect(rewards.status).toBe(404);
  });

  slow('is served within a second of being stored where the answers before it are kept', async () => {
    const fresh = await gatewayForTest({ settings: { CACHE: true } });
    await eventually(() => expect(fresh.revisions.trusted()).toBe(true));
    const query = '{ blocks(first: 1) { totalCount nodes { consensusSlot } } }';
    const newest = async () => {
      const [rest, { data }] = await Promise.all([fresh.get('/v0/eth/blocks?size=1'), fresh.graphql(query)]);
      return [rest.json.data[0].consensusSlot, data.blocks.nodes[0].consensusSlot];
    };
    for (const _time of [1, 2, 3]) expect(await newest()).toEqual([head, head]);
    fresh.statements.length = 0;
    await newest();
    expect(fresh.statements).toEqual([]); // both are cache hits
    await importText(fresh, 'blocks', JSON.stringify(block(head + 1)));
    const come = async () => expect(await newest()).toEqual([head + 1, head + 1]);
    await eventually(come);
  });

  slow('moves no row of a walk that is under way, by next and by cursor', async () => {
    const fresh = await gatewayForTest();
    const start = await everything();
    const rows: any[] = [];
    const nodes: any[] = [];
    let next: string | null = '/v0/eth/blocks?size=150';
    let cursor: string | null = null;
    for (let slot = head + 1; next; slot += 1) {
      const { json } = await fresh.get(next);
      rows.push(...json.data);
      next = json.next;
      const { data } = await fresh.graphql(
        'query ($cursor: String) { blocks(first: 150, after: $cursor) { nodes { consensusSlot } pageInfo { endCursor } } }',
        { cursor },
      );
      nodes.push(...data.blocks.nodes);
      cursor = data.blocks.pageInfo.endCursor;
      await importText(fresh, 'blocks', JSON.stringify(block(slot)));
    }
    expect(rows).toEqual(start);
    expect(nodes).toEqual(start.map(({ consensusSlot }) => ({ consensusSlot })));
  });
});

describe('REST and GraphQL', () => {
  it('begin at the same slot, which is a place in the one list', async () => {
    const rest = (await list(`from=${head - 40}&size=5`)).json;
    const ask = async (args: string) =>
      (
        await gateway.graphql(`{ blocks(${args}) { totalCount nodes { consensusSlot }
          pageInfo { startCursor endCursor hasPreviousPage } } }`)
      ).data.blocks;
    const page = await ask(`startAtSlot: ${head - 40}, first: 5`);
    expect(page.nodes.map((node: any) => node.consensusSlot)).toEqual(
      rest.data.map((row: any) => row.consensusSlot),
    );
    expect([page.totalCount, page.pageInfo.hasPreviousPage]).toEqual([rest.total, true]);
    const after = await ask(`first: 2, after: "${page.pageInfo.endCursor}"`);
    expect(after.nodes.map((node: any) => node.consensusSlot)).toEqual([head - 45, head - 46]);
    // a cursor overrides startAtSlot
    const both = await ask(`startAtSlot: ${head}, first: 2, after: "${page.pageInfo.endCursor}"`);
    expect(both.nodes).toEqual(after.nodes);
    const before = await ask(`startAtSlot: ${head - 40}, last: 2, before: "${page.pageInfo.startCursor}"`);
    expect(before.nodes.map((node: any) => node.consensusSlot)).toEqual([head - 38, head - 39]);
  });

  it('say what comes before the slot that they begin at', async () => {
    const ask = async (startAtSlot: number) => {
      const { data } = await gateway.graphql(
        `{ blocks(startAtSlot: ${startAtSlot}, first: 1) { nodes { consensusSlot } pageInfo { hasPreviousPage } } }`,
      );
      return [data.blocks.nodes[0].consensusSlot, data.blocks.pageInfo.hasPreviousPage];
    };
    expect(await ask(head - 1)).toEqual([head - 1, true]);
    expect(await ask(head)).toEqual([head, false]);
    expect(await ask(2_147_483_647)).toEqual([head, false]);
    const lastOf = async (args: string) =>
      (await gateway.graphql(`{ blocks(${args}) { pageInfo { hasPreviousPage } } }`)).data.blocks.pageInfo;
    // between the start and the last rows of the list lie others
    expect(await lastOf(`startAtSlot: ${head}, last: 3`)).toEqual({ hasPreviousPage: true });
    gateway.statements.length = 0;
    await gateway.graphql(`{ blocks(startAtSlot: ${head - 1}, first: 1) { nodes { consensusSlot } } }`);
    expect(gateway.statements).toHaveLength(1); // looked up where it is asked for
  });
});

describe('GraphQL blocks', () => {
  it.each(['startAtSlot: -1', 'first: 0', 'first: 201', 'last: 201', 'first: 1, last: 1', 'after: "x"'])(
    'refuse %s',
    async (args) => {
      const { errors } = await gateway.graphql(`{ blocks(${args}) { totalCount } }`);
      expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
    },
  );

  it.each([[[-1]], [['x']], [[1e12]], [[1.5]], [[1, 2]], [[]]])(
    'refuse a cursor made by hand with %j in it, and one of another network',
    async (key) => {
      for (const cursor of [encodeCursor('blocks:mainnet', key), encodeCursor('blocks:hoodi', [1])]) {
        const { errors } = await gateway.graphql(`{ blocks(after: "${cursor}") { totalCount } }`);
        expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
      }
    },
  );

  it('are found one by one by slot and by global id; null where the slot is not stored', async () => {
    const { data } = await gateway.graphql(`{
      block(slot: ${head}) { id network consensusOutcome }
      none: block(slot: ${head + 1}) { id }
      other: block(slot: ${head}, network: HOLESKY) { id }
    }`);
    expect(data).toMatchObject({
      block: { network: 'MAINNET', consensusOutcome: 'PROPOSED' },
      none: null,
    });
    expect(data.other).toBeNull();
    const again = await gateway.graphql(
      `{ node(id: "${data.block.id}") { ... on Block { consensusSlot relays totalBurntFees } } }`,
    );
    const row = (await one(head)).json;
    expect(again.data.node).toMatchObject({ consensusSlot: head, relays: row.relays });
    for (const inner of ['mainnet:', 'mainnet:01', 'mainnet:-1', 'mainnet:2147483648', 'goerli:1']) {
      const id = Buffer.from(`Block:${inner}`).toString('base64url');
      expect((await gateway.graphql(`{ node(id: "${id}") { id } }`)).data).toEqual({ node: null });
    }
    const { errors } = await gateway.graphql('{ block(slot: -1) { id } }');
    expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
  });

  it('is null for a slot that has sync committee rewards and no block stored', async () => {
    const empty = await gatewayForTest({ template: 'empty' });
    const reward = { consensusSlot: 5, validatorIndex: 1, syncCommitteeRewards: '1' };
    await importText(empty, 'sync-committee-rewards', JSON.stringify(reward));
    const { data } = await empty.graphql(
      '{ block(slot: 5) { id } syncCommitteeRewards(slot: 5) { nodes { block { id } } } }',
    );
    expect(data).toEqual({ block: null, syncCommitteeRewards: { nodes: [{ block: null }] } });
  });

  it('lead to proposers, rewards and back, in one statement for each step and size', async () => {
    const ask = (count: number) =>
      gateway.graphql(`{ blocks(first: ${count}) { nodes {
        consensusSlot relays
        proposer { validatorIndex proposedBlocks(first: 3) { totalCount nodes { consensusSlot } } }
        syncCommitteeRewards(first: 2) { nodes { block { consensusSlot totalGasUsed } } }
      } } }`);
    const expected = [
      'blockPage',
      'blocksBySlot',
      'proposerBlockPages',
      'proposerBlockTotals',
      'slotRewardPages',
      'validatorsByIndex',
    ];
    for (const count of [1, 20]) expect(await statementsOf(() => ask(count))).toEqual(expected);
    const { data } = await ask(20);
    for (const node of data.blocks.nodes) {
      const slots = node.proposer.proposedBlocks.nodes.map((each: any) => each.consensusSlot);
      expect(slots).toEqual(slots.toSorted((a: number, b: number) => b - a));
      expect(node.proposer.proposedBlocks.totalCount).toBeGreaterThan(0);
      for (const reward of node.syncCommitteeRewards.nodes)
        expect(reward.block.consensusSlot).toBe(node.consensusSlot);
    }
  });

  it('count no rows when totalCount is not asked for', async () => {
    const page = '{ blocks(first: 200) { nodes { consensusSlot } } }';
    expect(await statementsOf(() => gateway.graphql(page))).toEqual(['blockPage']);
  });
});

describe('Validator.proposedBlocks', () => {
  slow(
    'has each slot that was the validator’s to propose once, newest first, in both directions',
    async () => {
      const rows = await everything();
      const counts = new Map<number, number[]>();
      for (const { validatorIndex, consensusSlot } of rows)
        counts.set(validatorIndex, [...(counts.get(validatorIndex) ?? []), consensusSlot]);
      const [index, slots] = [...counts].toSorted((a, b) => b[1].length - a[1].length)[0] as [
        number,
        number[],
      ];
      expect(slots.length).toBeGreaterThan(2);
      const walk = async (size: string, cursorName: 'after' | 'before') => {
        const found: number[] = [];
        for (let cursor: string | null = null; ; ) {
          const { data } = await gateway.graphql(
            `query ($cursor: String) { validator(by: { index: ${index} }) { proposedBlocks(${size}: 2, ${cursorName}: $cursor) {
            totalCount nodes { consensusSlot validatorIndex }
            pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`,
            { cursor },
          );
          const page = data.validator.proposedBlocks;
          expect(page.totalCount).toBe(slots.length);
          const part = page.nodes.map((node: any) => node.consensusSlot);
          found[size === 'first' ? 'push' : 'unshift'](...part);
          const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
          if (!(size === 'first' ? hasNextPage : hasPreviousPage)) return found;
          cursor = size === 'first' ? endCursor : startCursor;
        }
      };
      expect(await walk('first', 'after')).toEqual(slots);
      expect(await walk('last', 'before')).toEqual(slots);
    },
  );

  it.each(['first: 0', 'first: 201', 'first: 1, last: 1', 'after: "x"'])('refuses %s', async (args) => {
    const { data } = await gateway.graphql('{ blocks(first: 1) { nodes { validatorIndex } } }');
    const index = data.blocks.nodes[0].validatorIndex;
    const { errors } = await gateway.graphql(
      `{ validator(by: { index: ${index} }) { proposedBlocks(${args}) { totalCount } } }`,
    );
    expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
  });
});
