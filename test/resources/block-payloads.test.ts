import { beforeAll, describe, expect, it } from 'vitest';
import { load, pubkeyOf, validator, validatorDay } from '../refresh/facts.ts';
import { accountOf } from '../support/account.ts';
import { useGateway } from '../support/gateway.ts';
import { walkKeys } from '../support/walk.ts';

const gateway = useGateway({ template: 'empty' });
const hex = (digit: string, bytes: number) => `0x${digit.repeat(bytes * 2)}`;
const DAY = 1_500;
const statuses = ['full', 'empty', 'unknown'] as const;

/** Slots 100 to 129: the first ten before Gloas, then full, empty and unknown in turn; validators 0 and 1 in turn. */
const slots = Array.from({ length: 30 }, (_, at) => {
  const payload = at < 10 ? null : (statuses[at % 3] as (typeof statuses)[number]);
  return { slot: 100 + at, payload, proposer: at % 2 };
});
const blockOf = ({ slot, payload, proposer }: (typeof slots)[number]) => ({
  ...{ consensusSlot: slot, validatorIndex: proposer, consensusProposerDuty: 'proposed' },
  consensusBlockRoot: hex('a', 32),
  ...(payload && {
    ...{ payloadStatus: payload, bidValue: slot, bidExecutionPayment: 0, bidFeeRecipient: hex('d', 20) },
    executionProposerDuty: { full: 'proposed', empty: 'missed', unknown: null }[payload],
  }),
});
const day = (index: number, at: number, counts: object) => validatorDay(index, at, counts);

beforeAll(async () => {
  await load(gateway, 'validators', [validator(0, { pool: 'P' }), validator(1, { pool: 'Q' })]);
  await load(gateway, 'blocks', slots.map(blockOf));
  await load(gateway, 'validator-days', [
    day(0, DAY, { proposedCount: 2 }),
    day(0, DAY + 1, { proposedCount: 3, emptyPayloadCount: 2 }),
    day(1, DAY + 1, { proposedCount: 1, emptyPayloadCount: 1 }),
    day(0, DAY + 2, { emptyPayloadCount: 0 }),
  ]);
});

const ask = async (query: string) => {
  const { data, errors } = await gateway.graphql(query);
  expect(errors).toBeUndefined();
  return data;
};

describe('blocks by payload', () => {
  const owners = [
    ['', () => true],
    [', operator: { operatorId: "P", idType: POOL }', ({ proposer }: { proposer: number }) => proposer === 0],
    [', proposer: { index: 1 }', ({ proposer }: { proposer: number }) => proposer === 1],
    [', outcome: PROPOSED, finalized: true', () => true],
  ] as const;

  it.each(statuses)(
    'that are %s are those alone, in both directions, also of an operator or proposer',
    async (of) => {
      for (const [filter, isOf] of owners) {
        const where = `where: { payload: ${of.toUpperCase()}${filter} }`;
        const expected = slots.filter((one) => one.payload === of && isOf(one)).map(({ slot }) => slot);
        expect(expected.length).toBeGreaterThan(1);
        const newest = expected.toReversed();
        for (const direction of ['forward', 'backward'] as const)
          expect(await walkKeys(gateway, ['blocks', 'consensusSlot'], where, 2, direction)).toEqual(newest);
        const { blocks } = await ask(`{ blocks(${where}) { totalCount nodes { payload { status } } } }`);
        expect(blocks.totalCount).toBe(expected.length);
        expect(blocks.nodes.every(({ payload }: any) => payload.status === of.toUpperCase())).toBe(true);
      }
    },
  );

  it('are null before the fork', async () => {
    const { block } = await ask('{ block(slot: 105) { payload { status } bid { value } executionOutcome } }');
    expect(block).toEqual({ payload: null, bid: null, executionOutcome: null });
  });

  it("have the proposer's own payload as a bid without a builder", async () => {
    const { block } = await ask(
      '{ block(slot: 112) { bid { builder { index pubkey builder { index } } value executionPayment feeRecipient payment } } }',
    );
    const bid = {
      builder: null,
      value: '112',
      executionPayment: '0',
      feeRecipient: hex('d', 20),
      payment: null,
    };
    expect(block).toEqual({ bid });
  });
});

describe('emptyPayloadCount', () => {
  const figures = 'nodes { day emptyPayloadCount }';

  it('of a validator is that of each day, null before the fork, and is summed over what is known', async () => {
    const { validator: found } = await ask(
      `{ validator(by: { index: 0 }) { proposals { ${figures} } all: proposals(granularity: ALL) { nodes { emptyPayloadCount proposedCount } } } }`,
    );
    expect(found.proposals.nodes).toEqual([
      { day: DAY + 2, emptyPayloadCount: '0' },
      { day: DAY + 1, emptyPayloadCount: '2' },
      { day: DAY, emptyPayloadCount: null },
    ]);
    expect(found.all.nodes).toEqual([{ emptyPayloadCount: '2', proposedCount: '5' }]);
  });

  it('is an order of proposals', async () => {
    const { validator: found } = await ask(
      `{ validator(by: { index: 0 }) { proposals(fromDay: ${DAY + 1}, orderBy: { field: EMPTY_PAYLOAD_COUNT }) { ${figures} } } }`,
    );
    expect(found.proposals.nodes.map((row: any) => row.day)).toEqual([DAY + 1, DAY + 2]);
  });

  it('of a private set adds up its validators, and REST does not have it', async () => {
    const account = await accountOf(gateway);
    const { json: tag } = await account.post('/v1/eth/tags', { name: 'x' });
    await account.post(`/v1/eth/tags/${tag.id}/validators`, { pubkeys: [0, 1].map(pubkeyOf) });
    const { data } = await account.graphql(`{ privateSet(setId: "${tag.id}") { proposals { ${figures} } } }`);
    expect(data.privateSet.proposals.nodes.map((row: any) => row.emptyPayloadCount)).toEqual([
      '0',
      '3',
      null,
    ]);
    const { json } = await account.get(`/v1/eth/sets/${tag.id}/proposals`);
    expect(json.results).toHaveLength(3);
    expect(Object.keys(json.results[0])).not.toContain('emptyPayloadCount');
    const { status } = await account.get(`/v1/eth/sets/${tag.id}/proposals?sortBy=emptyPayloadCount`);
    expect(status).toBe(400);
  });
});
