import { describe, expect, it, onTestFinished } from 'vitest';
import type { SourceError } from '../../../src/indexer/answers/source.ts';
import type { EpochInput } from '../../../src/indexer/chain/types.ts';
import { openPayloads } from '../../../src/indexer/execution/index.ts';
import { readBlock } from '../../../src/indexer/node/block.ts';
import { NodeError, type NodesOptions, openNodes } from '../../../src/indexer/node/index.ts';
import { readEnvelope } from '../../../src/indexer/node/scan/envelope.ts';
import { type BeaconNode, hasRecordings, recordedChain, startBeaconNode } from '../../support/beacon-node.ts';
import { startExecutionNode } from '../../support/execution-node.ts';
import { slow, thorough } from '../../support/thorough.ts';

const none = () => [];

async function nodesOf(count = 1, options: Partial<NodesOptions> = {}) {
  const servers: BeaconNode[] = [];
  for (let i = 0; i < count; i += 1) servers.push(await startBeaconNode(recordedChain('gloas')));
  const stop = new AbortController();
  onTestFinished(async () => {
    stop.abort();
    for (const server of servers) await server.close();
  });
  const urls = servers.map(({ url }) => url);
  const nodes = await openNodes({ urls, signal: stop.signal, firstBackoffMs: 2, ...options });
  return { nodes, servers, node: servers[0] as BeaconNode };
}

/** An epoch of Gloas in which all slots have blocks, and slots whose payload was withheld or came too late. */
const EPOCH = 2_521;
const payloads = ({ blocks, following }: EpochInput) =>
  [...blocks, ...following].map((block) => block?.execution?.blockHash ?? null);
const blocksIn = ({ blocks }: EpochInput) => blocks.filter((block) => block !== null);
const fullSlot = (input: EpochInput): number => {
  const blocks = blocksIn(input);
  const found = blocks.findIndex(
    ({ bid }, at) => bid?.blockHash === blocks[at + 1]?.bid?.parentBlockHash && at > 3,
  );
  return blocks[found]?.slot as number;
};

describe.skipIf(!hasRecordings)('payloads of an epoch since Gloas', () => {
  it('are asked for by root, one for each block, and remembered for the next epoch', async () => {
    const { nodes, node } = await nodesOf();
    const { input } = await nodes.fetchEpoch(EPOCH, none);
    const asked = () => node.asked.filter((path) => path.includes('execution_payload_envelopes'));
    expect(asked().every((path) => /\/0x[0-9a-f]{64}$/.test(path))).toBe(true);
    expect(asked()).toHaveLength(blocksIn(input).length + input.following.length);
    const before = asked().length;
    const { input: next } = await nodes.fetchEpoch(EPOCH + 1, none);
    expect(asked().length - before).toBe(blocksIn(next).length + next.following.length - 1);
  });

  slow('are told by blocks of the next epoch where the last ones were withheld', async () => {
    const { nodes } = await nodesOf();
    const lengths = new Map<number, number>();
    // Three of the first twenty are such epochs.
    for (let epoch = 2_519; epoch < (thorough ? 2_580 : 2_540); epoch += 1) {
      const { input } = await nodes.fetchEpoch(epoch, none);
      const { following } = input;
      lengths.set(following.length, epoch);
      expect(following.at(-1)?.execution).not.toBeNull();
      expect(following.slice(0, -1).every(({ execution }) => execution === null)).toBe(true);
      expect(following[0]?.parentRoot).toBe(blocksIn(input).at(-1)?.root);
      if (input.nextFirstBlock) expect(following[0]).toEqual(input.nextFirstBlock);
    }
    expect(Math.max(...lengths.keys())).toBeGreaterThan(1);
  });

  it('are the same from a node that writes JSON in another way, or without v2 of duties', async () => {
    const { nodes, servers } = await nodesOf(2);
    Object.assign(servers[0] as BeaconNode, { otherLayout: true, dutiesV2: false });
    const { input } = await nodes.fetchEpoch(EPOCH, none);
    (servers[0] as BeaconNode).syncing = true;
    const other = await nodesOf();
    expect(input).toEqual((await other.nodes.fetchEpoch(EPOCH, none)).input);
  });

  slow('that a node lacks are those of another node', async () => {
    const { nodes, node, servers } = await nodesOf(2);
    node.break(/execution_payload_envelopes/, 404);
    const { input } = await nodes.fetchEpoch(EPOCH, none);
    (servers[0] as BeaconNode).mend();
    const { nodes: others } = await nodesOf();
    const whole = (await others.fetchEpoch(EPOCH, none)).input;
    const full = new Set(blocksIn(whole).map(({ bid }) => bid?.parentBlockHash));
    const ofFull = (input: EpochInput) => payloads(input).filter((hash) => hash !== null && full.has(hash));
    expect(ofFull(input)).toEqual(ofFull(whole));
    expect(ofFull(whole).length).toBeGreaterThan(20);
  });

  it('that come late are waited for, never taken for withheld', async () => {
    const { nodes, node } = await nodesOf();
    const { input } = await nodes.fetchEpoch(EPOCH, none);
    const root = node.chain.root(fullSlot(input)) as string;
    const { nodes: fresh, node: late } = await nodesOf();
    late.break(new RegExp(`envelopes/${root}`), 404);
    const failed = await fresh.fetchEpoch(EPOCH, none).catch((error) => error);
    expect(failed).toBeInstanceOf(NodeError);
    expect(failed).toMatchObject({ reason: 'missing-payload' });
    expect(failed.message).toMatch(/answers 404, but the chain has the payload of slot \d+.*--execution/);
    late.mend();
    expect((await fresh.fetchEpoch(EPOCH, none)).input).toEqual(input);
  });

  it('of another block are refused', async () => {
    const { nodes, node } = await nodesOf(1, { attempts: 1 });
    const { input } = await nodes.fetchEpoch(EPOCH, none);
    const { nodes: fresh, node: wrong } = await nodesOf(1, { attempts: 1 });
    const root = node.chain.root(fullSlot(input)) as string;
    wrong.break(/envelopes/, (body) => body.replace(/"block_hash":"0x../, '"block_hash":"0x77'));
    await expect(fresh.fetchEpoch(EPOCH, none)).rejects.toThrow(/the payload is 0x77.* in place of/);
    wrong.mend();
    wrong.break(/envelopes/, (body) =>
      body.replace(/"beacon_block_root":"0x[0-9a-f]*/, `"beacon_block_root":"${root}`),
    );
    await expect(fresh.fetchEpoch(EPOCH, none)).rejects.toThrow(/of the block 0x/);
  });

  it('that beacon nodes have dropped are those of an execution node', async () => {
    const { nodes, node } = await nodesOf();
    const { input } = await nodes.fetchEpoch(EPOCH, none);
    const execution = await startExecutionNode({});
    onTestFinished(() => execution.close());
    const quantity = (value: string) => `0x${BigInt(value).toString(16)}`;
    for (const { slot } of blocksIn(input)) {
      const text = node.chain.envelope?.(slot);
      if (!text) continue;
      const { payload } = JSON.parse(text).message;
      execution.payloads.set(payload.block_hash, {
        ...{ hash: payload.block_hash, number: quantity(payload.block_number), miner: payload.fee_recipient },
        ...{ gasUsed: quantity(payload.gas_used), baseFeePerGas: quantity(payload.base_fee_per_gas) },
        transactions: payload.transactions.map((bytes: string) => {
          const first = Number(bytes.slice(0, 4));
          return first >= 0xc0 ? {} : { type: `0x${first.toString(16)}` };
        }),
        withdrawals: payload.withdrawals.map(({ validator_index, amount }: any) => ({
          ...{ validatorIndex: quantity(validator_index), amount: quantity(amount) },
        })),
      });
    }
    const errors: SourceError[] = [];
    const payload = openPayloads(execution.url, {
      signal: AbortSignal.timeout(60_000),
      onError: (error) => errors.push(error),
    });
    const { nodes: fresh, node: pruned } = await nodesOf(1, { payload });
    const root = node.chain.root(fullSlot(input)) as string;
    pruned.break(new RegExp(`envelopes/${root}`), 404);
    expect((await fresh.fetchEpoch(EPOCH, none)).input).toEqual(input);
    const asked = execution.asked.filter(({ method }) => method === 'eth_getBlockByHash');
    expect(asked).toHaveLength(1);
    execution.payloads.clear();
    const { nodes: last, node: again } = await nodesOf(1, { payload });
    again.break(new RegExp(`envelopes/${root}`), 404);
    await expect(last.fetchEpoch(EPOCH, none)).rejects.toThrow(/answers 404, but the chain has the payload/);
    expect(errors).toMatchObject([{ reason: 'missing' }]);
  });

  it('builders are told where the node knows them, and null from one that does not', async () => {
    const { nodes, node } = await nodesOf();
    expect((await nodes.fetchEpoch(EPOCH, none)).input.next.builders).toMatchObject([
      { index: 0 },
      { index: 1 },
    ]);
    node.tellsBuilders = false;
    expect((await nodes.fetchEpoch(EPOCH + 1, none)).input.next.builders).toBeNull();
    expect((await nodes.fetchEpoch(2_517, none)).input.next.builders).toBeNull();
  });
});

describe.skipIf(!hasRecordings)('what is read of a block and its payload since Gloas', () => {
  const chain = () => recordedChain('gloas');
  const slots = Array.from({ length: 600 }, (_, i) => 2_519 * 32 + i);
  const blockAt = (slot: number, change: (body: any) => void = () => undefined) => {
    const raw = chain().block(slot);
    if (!raw) return undefined;
    const data = JSON.parse(raw.text);
    change(data.message.body);
    return readBlock({ version: 'gloas', data }, raw.root);
  };

  it('has withdrawals of builders apart from those of validators', () => {
    const found = slots.flatMap((slot) => {
      const text = chain().envelope?.(slot);
      return text ? [readEnvelope(Buffer.from(`{"data":${text}}`)).payload] : [];
    });
    const paid = found.flatMap(({ builderWithdrawals }) => builderWithdrawals);
    expect(paid.length).toBeGreaterThan(10);
    expect(Math.max(...paid.map(({ builder }) => builder))).toBeLessThan(10);
    expect(found.flatMap(({ withdrawals }) => withdrawals).every((one) => one.validatorIndex < 400)).toBe(
      true,
    );
  });

  it('has no builder where the index is 2^64 − 1, also as a number; one beyond every registry is refused', () => {
    const slot = slots.find((at) => chain().block(at)) as number;
    const withIndex = (index: unknown) => (body: any) => {
      body.signed_execution_payload_bid.message.builder_index = index;
    };
    expect(blockAt(slot, withIndex('18446744073709551615'))?.bid?.builderIndex).toBeNull();
    expect(blockAt(slot, withIndex('12'))?.bid?.builderIndex).toBe(12);
    for (const index of ['18446744073709551614', '18446744073709551616', '-1', '1.5', null])
      expect(() => blockAt(slot, withIndex(index)), String(index)).toThrow(/builder_index/);
  });

  it('reads the vote on the payload, which is 0 or 1', () => {
    const slot = slots.find((at) => at > 2_519 * 32 && chain().block(at)) as number;
    const withVote = (index: string) => (body: any) => {
      body.attestations[0].data.index = index;
    };
    expect(blockAt(slot, withVote('0'))?.attestations[0]?.votesFull).toBe(false);
    expect(blockAt(slot, withVote('1'))?.attestations[0]?.votesFull).toBe(true);
    expect(() => blockAt(slot, withVote('2'))).toThrow(/data.index is "2"/);
  });

  it('passes over what it does not read of an envelope, and refuses one that is cut anywhere', () => {
    const slot = slots.find((at) => chain().envelope?.(at)) as number;
    const text = `{"version":"gloas","execution_optimistic":false,"data":${chain().envelope?.(slot)}}`;
    const expected = readEnvelope(Buffer.from(text));
    const more = JSON.parse(text);
    more.data.message.payload.block_access_list = `0x${'ab'.repeat(100_000)}`;
    more.data.message.other = { 'a "quoted" \\ key': ['x', { y: [1e3, true, null, '\\'] }] };
    expect(readEnvelope(Buffer.from(JSON.stringify(more, null, 1)))).toEqual(expected);
    for (let length = 0; length < text.length; length += 97)
      expect(() => readEnvelope(Buffer.from(text.slice(0, length))), String(length)).toThrow(
        /ends in the middle/,
      );
    expect(() => readEnvelope(Buffer.from(`${text}x`))).toThrow(/JSON is expected/);
    expect(() => readEnvelope(Buffer.from(text.replace('false', 'true')))).toThrow(
      /has not verified the payload/,
    );
  });
});
