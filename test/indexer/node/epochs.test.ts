import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Nodes, openNodes } from '../../../src/indexer/node/index.ts';
import { type BeaconNode, hasRecordings, recordedChain, startBeaconNode } from '../../support/beacon-node.ts';
import type { RawEpoch } from '../../support/recorded-chain.ts';
import { syntheticChain } from '../../support/synthetic-chain.ts';
import { slow } from '../../support/thorough.ts';

const stop = new AbortController();
let node: BeaconNode;
let nodes: Nodes;
const none = () => [];
const open = async (given: Promise<BeaconNode>) => {
  node = await given;
  nodes = await openNodes({ urls: [node.url], signal: stop.signal, firstBackoffMs: 5 });
};
afterEach(async () => {
  await node.close();
});

describe('an epoch', () => {
  beforeEach(() => open(startBeaconNode(syntheticChain())));

  it('has its blocks with their roots, and null for missed slots', async () => {
    const { input, node: from } = await nodes.fetchEpoch(2251, none);
    expect(from).toBe(new URL(node.url).host);
    const slots = Array.from({ length: 32 }, (_, i) => 72_032 + i);
    expect(input.blocks.map((block) => block?.root)).toEqual(
      slots.map((slot) => (node.chain.block(slot) ? node.chain.root(slot) : undefined)),
    );
    expect(input.blocks[0]).toBeNull();
    expect(input.nextFirstBlock?.root).toBe(node.chain.root(72_064));
    expect(input.nextFirstBlock?.slot).toBe(72_064);
  });

  it('has the balances, checkpoint and pending consolidations of its end', async () => {
    const { input } = await nodes.fetchEpoch(2251, none);
    expect([...input.next.balances]).toEqual(node.chain.state(72_064)?.balances);
    expect(input.next).toMatchObject({ epoch: 2252, finalizedEpoch: 2250 });
    expect(input.next.pendingConsolidations).toEqual([{ source: 3, target: 4 }]);
  });

  it('has committees, seats and proposers', async () => {
    const { input } = await nodes.fetchEpoch(2252, none);
    const { committees, sync, proposers } = node.chain.epoch(2252) as RawEpoch;
    expect(input.committees.perSlot).toBe(1);
    expect([...input.committees.members]).toEqual(committees.flatMap(([, , members]) => members));
    expect([...input.syncCommittee]).toEqual(sync);
    expect(input.nextSyncCommittee).toBe(input.syncCommittee);
    expect([...input.proposers]).toEqual(proposers);
  });

  it('reads of a block what the rules need', async () => {
    const { input } = await nodes.fetchEpoch(2252, none);
    expect(input.blocks[1]).toMatchObject({
      slot: 72_065,
      fork: 'fulu',
      parentRoot: node.chain.root(72_064),
      proposerIndex: (72_065 * 7) % 96,
      attestations: [{ slot: 72_064, committees: [0], aggregationBits: new Uint8Array([7]) }],
      execution: {
        blockNumber: 72_072,
        baseFeePerGas: '1000000007',
        transactions: { type0: 1, type1: 1, type2: 1, total: 3 },
        withdrawals: [{ validatorIndex: 72_065 % 96, amount: 12 }],
      },
    });
    expect(input.blocks[1]?.syncCommitteeBits).toEqual(new Uint8Array(64).fill(0xfe));
  });

  it('has the records of the validators that the rules name', async () => {
    const { input } = await nodes.fetchEpoch(2252, ({ next }) => [9, next.balances.length - 1]);
    expect(input.records.map(({ index, slashed, exitEpoch }) => [index, slashed, exitEpoch])).toEqual([
      [9, true, Number.POSITIVE_INFINITY],
      [95, false, Number.POSITIVE_INFINITY],
    ]);
    await expect(nodes.fetchEpoch(2252, () => [96])).rejects.toThrow(/validator 96 is missing/);
  });

  it('takes 37 requests, where it follows another one and no slot was missed', async () => {
    await nodes.fetchEpoch(2252, none);
    node.asked.length = 0;
    await nodes.fetchEpoch(2253, none);
    expect(node.asked.filter((path) => !path.includes('/node/syncing'))).toHaveLength(37);
  });

  it('is the same from a node that writes JSON in another way', async () => {
    const plain = await nodes.fetchEpoch(2251, () => [4]);
    node.otherLayout = true;
    node.shuffled = true;
    expect(
      await nodes.fetchEpoch(2251, () => [4], { signal: stop.signal, avoid: new URL(node.url).host }),
    ).toEqual(plain);
  });

  it('is not asked for before it is final', async () => {
    await expect(nodes.fetchEpoch(2254, none)).rejects.toThrow(/has finalized epoch 2254, and epoch 2255/);
    node.setHead(72_000 + 5 * 32);
    await expect(nodes.finality()).rejects.toThrow(/has finalized epoch 2253, but said 2254 before/);
  });
});

describe('the start of an index', () => {
  beforeEach(() => open(startBeaconNode(syntheticChain())));

  it('is the state and the registry of the first epoch, and the epoch before', async () => {
    const start = await nodes.start(2252);
    expect(start.state.epoch).toBe(2252);
    expect(start.records.size).toBe(96);
    expect([...start.records].map(({ pubkey }) => pubkey)).toEqual(
      Array.from({ length: 96 }, (_, i) => node.chain.validator(i, 0)?.pubkey),
    );
    expect(start.pendingDeposits).toEqual([]);
    expect(start.syncCommittee).toHaveLength(512);
    expect(start.before?.blocks).toHaveLength(32);
    expect(start.before?.committees.epoch).toBe(2251);
    expect(start.before?.firstBlock?.slot).toBe(72_064);
  });

  it('has the deposits of blocks after the finalized one, where the node does not tell the queue', async () => {
    const deposit = {
      ...{ pubkey: `0x${'ab'.repeat(48)}`, withdrawal_credentials: `0x${'01'.repeat(32)}`, index: '3' },
      ...{ amount: '32000000000', signature: `0x${'cd'.repeat(96)}` },
    };
    node.pendingDeposits = false;
    const deposits = (body: string) =>
      body.replace('"deposits":[],"withdrawals"', `"deposits":[${JSON.stringify(deposit)}],"withdrawals"`);
    node.break(/blocks\/(72010|72064|72065|72100|72128|72129)$/, deposits);
    const { pendingDeposits } = await nodes.start(2254);
    expect(pendingDeposits.map(({ slot }) => slot)).toEqual([72_065, 72_100, 72_128]);
    expect(pendingDeposits[0]).toMatchObject({ pubkey: deposit.pubkey, amount: 32_000_000_000 });
  });

  it('has no epoch before, where the history of the node begins with it', async () => {
    expect((await nodes.start(2250)).before).toBeNull();
    const { input } = await nodes.fetchEpoch(2250, none);
    expect(input.blocks[0]).toBeNull();
    expect(input.blocks[1]?.parentRoot).toBe(node.chain.root(72_000));
  });

  it('cannot lie before the history of the node', async () => {
    await expect(nodes.start(2249)).rejects.toMatchObject({ reason: 'pruned' });
  });

  it('goes on after an epoch with the state, registry and committees of its end', async () => {
    const { state, records, committees } = await nodes.resume(2251);
    expect([state.epoch, committees.epoch, records.size]).toEqual([2252, 2251, 96]);
  });
});

describe.skipIf(!hasRecordings)('recorded chains', () => {
  slow.each(['days', 'wide'] as const)(
    'are read from their first to their last final epoch: %s',
    async (name) => {
      await open(startBeaconNode(recordedChain(name)));
      const { epoch: final } = await nodes.finality();
      const first = nodes.spec.slotsPerEpoch * 0 + 2250;
      for (let epoch = first; epoch < final; epoch += name === 'days' ? 20 : 7) {
        const { input } = await nodes.fetchEpoch(epoch, () => [1, 2]);
        const slot = (epoch + 1) * 32;
        expect([...input.next.balances]).toEqual(node.chain.state(slot)?.balances);
        for (const [i, block] of input.blocks.entries())
          expect(block?.root).toBe(node.chain.block(epoch * 32 + i)?.root);
      }
      const start = await nodes.start(2260);
      expect(start.records.record(5).pubkey).toBe(node.chain.validator(5, 72_320)?.pubkey);
    },
  );
});
