import { describe, expect, it, onTestFinished } from 'vitest';
import { type ChainEvent, type NodesOptions, openNodes } from '../../../src/indexer/node/index.ts';
import { type BeaconNode, startBeaconNode } from '../../support/beacon-node.ts';
import { eventually } from '../../support/eventually.ts';
import { syntheticChain } from '../../support/synthetic-chain.ts';

async function following(
  options: Partial<NodesOptions> = {},
  prepare: (node: BeaconNode) => void = () => undefined,
) {
  const node = await startBeaconNode(syntheticChain(), { head: 72_040 });
  prepare(node);
  const stop = new AbortController();
  const nodes = await openNodes({
    urls: [node.url],
    signal: stop.signal,
    pollMs: 20,
    firstBackoffMs: 2,
    ...options,
  });
  const told: ChainEvent[] = [];
  const ended = (async () => {
    for await (const event of nodes.events(stop.signal)) told.push(event);
  })();
  onTestFinished(async () => {
    stop.abort();
    await ended;
    await node.close();
  });
  const streams = () => node.asked.filter((path) => path.startsWith('/eth/v1/events')).length;
  await eventually(() => expect(streams()).toBeGreaterThan(0));
  return { node, nodes, told, streams };
}
const at = (slot: number) => expect.objectContaining({ kind: 'head', slot });

describe('events', () => {
  it('tell of each new head, of finalized checkpoints and of reorganisations', async () => {
    const { node, told } = await following();
    await new Promise((resolve) => setTimeout(resolve, 50));
    node.advance(24);
    node.reorganise(3);
    await eventually(() => expect(told).toContainEqual({ kind: 'reorg', slot: 72_064 }));
    expect(told).toContainEqual(at(72_041));
    expect(told).toContainEqual({ kind: 'finalized', slot: 2250 * 32 });
  });

  it('since Gloas come as head_v2; where a node does not know these, as head', async () => {
    const gloas = {
      ...{ FULU_FORK_EPOCH: '2000', GLOAS_FORK_EPOCH: '2252', CHURN_LIMIT_QUOTIENT_GLOAS: '32768' },
      ...{ MAX_PER_EPOCH_ACTIVATION_CHURN_LIMIT_GLOAS: '256000000000' },
      ...{ CONSOLIDATION_CHURN_LIMIT_QUOTIENT: '65536', MIN_BUILDER_WITHDRAWABILITY_DELAY: '64' },
    };
    for (const topics of [
      ['head_v2', 'finalized_checkpoint', 'chain_reorg'],
      ['head', 'finalized_checkpoint', 'chain_reorg'],
    ]) {
      const { node, told } = await following({}, (each) => Object.assign(each, { spec: gloas, topics }));
      await new Promise((resolve) => setTimeout(resolve, 50));
      node.tell('head', { slot: '72063' });
      node.tell('head_v2', { version: 'gloas', data: { slot: '72064', payload_status: 'full' } });
      const slot = topics.includes('head_v2') ? 72_064 : 72_063;
      await eventually(() => expect(told).toContainEqual({ kind: 'head', slot }));
    }
  });

  it('go on after the stream has ended, with what came in between', async () => {
    const { node, told, streams } = await following();
    node.dropEvents();
    node.setHead(72_050);
    await eventually(() => expect(told).toContainEqual(at(72_050)));
    await eventually(() => expect(streams()).toBeGreaterThan(1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    node.advance();
    await eventually(() => expect(told).toContainEqual(at(72_051)));
  });

  it('go on where a stream is silent for too long', async () => {
    const { node, told, streams } = await following({ idleMs: 60 });
    await eventually(() => expect(streams()).toBeGreaterThan(2));
    node.setHead(72_050);
    await eventually(() => expect(told).toContainEqual(at(72_050)));
  });

  it('go on where the request for a stream was not answered', async () => {
    const silent = (node: BeaconNode) => node.break(/events/, 'silent', 2);
    const { node, told, streams } = await following({ timeoutMs: 60 }, silent);
    await eventually(() => expect(streams()).toBeGreaterThan(2));
    await new Promise((resolve) => setTimeout(resolve, 50));
    node.advance();
    await eventually(() => expect(told).toContainEqual(at(72_041)));
  });

  it('come from looking at the head where the node has no stream', async () => {
    const { node, told } = await following({}, (one) => {
      one.events = false;
    });
    await eventually(() => expect(told).toContainEqual(at(72_040)));
    node.setHead(72_050);
    await eventually(() => expect(told).toContainEqual(at(72_050)));
    expect(told).toHaveLength(2);
  });
});

describe('near the head', () => {
  it('blocks are there by slot and by root, with their root; null where there is none', async () => {
    const { node, nodes } = await following();
    const root = node.chain.root(72_040) as string;
    expect(await nodes.head()).toEqual({ slot: 72_040, root });
    expect(await nodes.blockAt(72_040)).toMatchObject({ slot: 72_040, root });
    expect(await nodes.blockAt(root)).toMatchObject({ slot: 72_040, root });
    expect(await nodes.blockAt(72_041)).toBeNull();
    expect(await nodes.blockAt(72_031)).toBeNull();
    expect(await nodes.proposers(2251)).toHaveLength(32);
  });

  it('a block of another branch is there while the node follows it', async () => {
    const { node, nodes } = await following();
    node.reorganise(2);
    const other = await nodes.blockAt(72_040);
    expect(other?.root).not.toBe(node.chain.root(72_040));
    node.settle();
    expect((await nodes.blockAt(72_040))?.root).toBe(node.chain.root(72_040));
    expect(await nodes.blockAt(other?.root as string)).toBeNull();
  });
});
