import { describe, expect, it, onTestFinished } from 'vitest';
import { hasRecordings, recordedChain, startBeaconNode } from '../../support/beacon-node.ts';
import { syntheticChain } from '../../support/synthetic-chain.ts';
import { bodyOf } from '../../support/typed.ts';

describe.skipIf(!hasRecordings)("a recorded chain as a node's answers", () => {
  it('has blocks whose parents are the roots of the blocks before', async () => {
    const node = await startBeaconNode(recordedChain('days'));
    onTestFinished(() => node.close());
    const get = (path: string) => bodyOf<any>(fetch(node.url + path));
    let root = node.chain.root(72_000);
    for (let slot = 72_001; slot < 72_040; slot += 1) {
      const { data, code } = await get(`/eth/v2/beacon/blocks/${slot}`);
      if (code === 404) continue;
      expect(data.message.parent_root).toBe(root);
      root = (await get(`/eth/v1/beacon/blocks/${slot}/root`)).data.root;
    }
    expect((await get('/eth/v1/beacon/states/72032/validator_balances')).data).toHaveLength(160);
    expect((await get('/eth/v1/beacon/states/72032/validators?id=3,5')).data).toHaveLength(2);
  });
});

describe('a node of the tests', () => {
  it('tells another branch while it is reorganised, and then its own again', async () => {
    const node = await startBeaconNode(syntheticChain(), { head: 72_050 });
    onTestFinished(() => node.close());
    const get = (path: string) => bodyOf<any>(fetch(node.url + path));
    const before = await get('/eth/v1/beacon/headers/head');
    node.reorganise(3);
    const after = await get('/eth/v1/beacon/headers/head');
    expect(after.data.root).not.toBe(before.data.root);
    const { data } = await get('/eth/v2/beacon/blocks/72048');
    expect(data.message.parent_root).toBe(node.chain.root(72_047));
    expect((await get(`/eth/v2/beacon/blocks/${after.data.root}`)).data.message.slot).toBe('72050');
    node.settle();
    expect(await get('/eth/v1/beacon/headers/head')).toEqual(before);
  });
});
