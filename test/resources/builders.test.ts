import { beforeAll, describe, expect, it } from 'vitest';
import { builder } from '../ingest/rows.ts';
import { useGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';

const gateway = useGateway({ template: 'empty' });
const LEFT = `0x${'cd'.repeat(20)}`;
const at = (index: number) => builder(index).pubkey;
/** Each order of these differs from all others; the bids of 1 and 2 are equal. */
const rows = [
  builder(1, { balance: 30, bidCount: 10, fullCount: 7, withheldCount: 3, sumPaidValue: 2 }),
  builder(2, { balance: 20, bidCount: 10, fullCount: 10, withheldCount: 0, sumPaidValue: 3 }),
  builder(3, { balance: 10, bidCount: 12, fullCount: 8, withheldCount: 4, sumPaidValue: 1 }),
  builder(4, { ...{ executionAddress: LEFT, withdrawableEpoch: 400_000, balance: '9007199254740993' } }),
];
const bid = (slot: number, pubkey: string | null) => ({
  ...{ consensusSlot: slot, validatorIndex: 7, consensusProposerDuty: 'proposed' },
  ...{ consensusBlockRoot: `0x${'a'.repeat(64)}`, executionProposerDuty: 'missed', payloadStatus: 'empty' },
  ...{ bidValue: 5, bidExecutionPayment: 0, bidFeeRecipient: LEFT },
  ...{ bidBuilderIndex: pubkey && 9, bidBuilderPubkey: pubkey },
});
beforeAll(async () => {
  await importText(gateway, 'builders', JSON.stringify(rows));
  const blocks = [bid(100, at(1)), bid(101, at(2)), bid(102, null), bid(103, at(1)), bid(104, at(77))];
  await importText(gateway, 'blocks', JSON.stringify(blocks));
});

const ask = async (query: string) => {
  const { data, errors } = await gateway.graphql(query);
  expect(errors).toBeUndefined();
  return data;
};
const indices = async (args: string) =>
  (await ask(`{ builders${args} { nodes { index } } }`)).builders.nodes.map((row: any) => row.index);

describe('builders', () => {
  it('begin with those that have most bids; equal ones are ordered by public key', async () => {
    expect(await indices('')).toEqual([3, 4, 2, 1]);
    expect(await indices('(orderBy: { field: BID_COUNT, direction: ASC })')).toEqual([1, 2, 4, 3]);
  });

  it.each([
    ['FULL_COUNT', [2, 4, 3, 1]],
    ['WITHHELD_COUNT', [3, 1, 4, 2]],
    ['SUM_PAID_VALUE', [4, 2, 1, 3]],
    ['BALANCE', [4, 1, 2, 3]],
    ['INDEX', [4, 3, 2, 1]],
  ])('ordered by %s are %j, and backwards in the other direction', async (field, expected) => {
    expect(await indices(`(orderBy: { field: ${field} })`)).toEqual(expected);
    expect(await indices(`(orderBy: { field: ${field}, direction: ASC })`)).toEqual(expected.toReversed());
  });

  it('are walked page by page in both directions, whatever digits a balance has', async () => {
    const order = 'orderBy: { field: BALANCE }';
    const page = async (args: string) =>
      (
        await ask(
          `{ builders(${order}, ${args}) { nodes { index balance } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
        )
      ).builders;
    const first = await page('first: 1');
    expect(first.nodes).toEqual([{ index: 4, balance: '9007199254740993' }]);
    const second = await page(`first: 2, after: "${first.pageInfo.endCursor}"`);
    expect(second.nodes.map((row: any) => row.index)).toEqual([1, 2]);
    expect(second.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    const back = await page(`last: 2, before: "${second.pageInfo.endCursor}"`);
    expect(back.nodes.map((row: any) => row.index)).toEqual([4, 1]);
  });

  it('are filtered by address and by whether they have left, also when counted', async () => {
    expect(await indices('(where: { exited: true })')).toEqual([4]);
    expect(await indices('(where: { exited: false })')).toEqual([3, 2, 1]);
    expect(await indices(`(where: { executionAddress: "${LEFT.slice(2).toUpperCase()}" })`)).toEqual([4]);
    expect(await indices(`(where: { executionAddress: "${LEFT}", exited: false })`)).toEqual([]);
    expect(await ask('{ builders(where: { exited: false }) { totalCount } }')).toEqual({
      builders: { totalCount: 3 },
    });
  });

  it('of another network are none', async () => {
    expect(await indices('(network: HOODI)')).toEqual([]);
    const { builder: found } = await ask(`{ builder(pubkey: "${at(1)}", network: HOODI) { index } }`);
    expect(found).toBeNull();
  });

  it.each([
    [
      '{ builders(where: { executionAddress: "0xab" }) { totalCount } }',
      'where.executionAddress is "0xab"; 40 hex digits are needed, with or without 0x.',
    ],
    ['{ builders(first: 201) { totalCount } }', 'first is 201'],
    [
      '{ builder(pubkey: "0xab") { index } }',
      'pubkey is "0xab"; 96 hex digits are needed, with or without 0x.',
    ],
    ['{ builders(after: "x") { totalCount } }', 'after'],
  ])('are refused to %s', async (query, message) => {
    const { errors } = await gateway.graphql(query);
    expect(errors?.[0].message).toContain(message);
    expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
  });

  it('take one statement for a page, one for its blocks and one for their number', async () => {
    gateway.statements.length = 0;
    const data = await ask(
      '{ builders(orderBy: { field: INDEX, direction: ASC }) { nodes { index blocks(first: 1) { totalCount nodes { consensusSlot } } } } }',
    );
    expect(
      data.builders.nodes.map(({ blocks }: any) => [blocks.totalCount, blocks.nodes[0]?.consensusSlot]),
    ).toEqual([
      [2, 103],
      [1, 101],
      [0, undefined],
      [0, undefined],
    ]);
    expect(gateway.statements.toSorted()).toEqual(['builderBlockPages', 'builderBlockTotals', 'builderPage']);
  });
});

describe('a builder', () => {
  it('is found by its public key and by its id, with all that is stored', async () => {
    const { builder: found } = await ask(
      `{ builder(pubkey: "${at(4)}") { id network index pubkey executionAddress balance depositEpoch withdrawableEpoch
        bidCount fullCount withheldCount paidCount sumBidValue sumFullValue sumWithheldValue sumPaidValue } }`,
    );
    const { id, network, ...fields } = found;
    expect(network).toBe('MAINNET');
    const stored = rows[3] as Record<string, unknown>;
    for (const [name, value] of Object.entries(fields))
      expect([name, String(value)]).toEqual([name, String(stored[name])]);
    expect(await ask(`{ node(id: "${id}") { ... on Builder { index } } }`)).toEqual({ node: { index: 4 } });
    expect(await ask(`{ builder(pubkey: "${at(77)}") { index } }`)).toEqual({ builder: null });
  });

  it('is told with a bid as it is now, and the bid keeps the index that it had', async () => {
    gateway.statements.length = 0;
    const { blocks } = await ask(
      '{ blocks(orderBy: { field: SLOT, direction: ASC }) { nodes { bid { builder { index pubkey builder { index } } } } } }',
    );
    expect(blocks.nodes.map(({ bid }: any) => bid.builder)).toEqual([
      { index: 9, pubkey: at(1), builder: { index: 1 } },
      { index: 9, pubkey: at(2), builder: { index: 2 } },
      null,
      { index: 9, pubkey: at(1), builder: { index: 1 } },
      { index: 9, pubkey: at(77), builder: null },
    ]);
    expect(gateway.statements).toEqual(['blockPage', 'buildersByPubkey']);
  });

  it('has its blocks in both orders, page by page', async () => {
    const blocks = async (args: string) => {
      const data = await ask(
        `{ builder(pubkey: "${at(1)}") { blocks(${args}) { nodes { consensusSlot } pageInfo { endCursor hasNextPage } } } }`,
      );
      return data.builder.blocks;
    };
    const newest = await blocks('first: 1');
    expect(newest).toMatchObject({ nodes: [{ consensusSlot: 103 }], pageInfo: { hasNextPage: true } });
    const rest = await blocks(`first: 1, after: "${newest.pageInfo.endCursor}"`);
    expect(rest).toMatchObject({ nodes: [{ consensusSlot: 100 }], pageInfo: { hasNextPage: false } });
    const back = await blocks(`last: 1, before: "${rest.pageInfo.endCursor}"`);
    expect(back.nodes).toEqual([{ consensusSlot: 103 }]);
    const oldest = await blocks('first: 1, orderBy: { field: SLOT, direction: ASC }');
    expect(oldest.nodes).toEqual([{ consensusSlot: 100 }]);
  });
});
