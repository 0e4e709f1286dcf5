import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parsed } from '../../../src/indexer/answers/json.ts';
import { parseGenesis, parseSpec } from '../../../src/indexer/chain/spec.ts';
import * as answers from '../../../src/indexer/node/answers.ts';
import { readBlock } from '../../../src/indexer/node/block.ts';
import { eventOf } from '../../../src/indexer/node/events.ts';
import { type NodeError, type Nodes, openNodes } from '../../../src/indexer/node/index.ts';
import { BalanceReader } from '../../../src/indexer/node/scan/balances.ts';
import { CommitteeReader } from '../../../src/indexer/node/scan/committees.ts';
import { ElementScanner } from '../../../src/indexer/node/scan/elements.ts';
import { RegistryReader, readRecord } from '../../../src/indexer/node/scan/registry.ts';
import {
  type BeaconNode,
  caplin,
  hasRecordings,
  recordedChain,
  rewritten,
  startBeaconNode,
} from '../../support/beacon-node.ts';
import type { Chain } from '../../support/recorded-chain.ts';
import { syntheticChain } from '../../support/synthetic-chain.ts';
import { runs, slow } from '../../support/thorough.ts';

async function aNode(
  options: Parameters<typeof startBeaconNode>[1] = {},
  chain: Chain = syntheticChain(),
): Promise<BeaconNode> {
  const node = await startBeaconNode(chain, options);
  onTestFinished(() => node.close());
  return node;
}
const open = (node: BeaconNode, onError: (error: NodeError) => void = () => {}): Promise<Nodes> =>
  openNodes({ urls: [node.url], signal: new AbortController().signal, firstBackoffMs: 2, onError });

const scanned = (reader: { fast: any; slow: any; result(): unknown }, text: string) => {
  const scanner = new ElementScanner(reader);
  scanner.push(Buffer.from(text));
  scanner.end();
  return reader.result();
};
const read =
  <T>(of: (answer: Record<string, unknown>) => T) =>
  (text: string): T =>
    of(parsed(text) as Record<string, unknown>);
const data =
  <T>(of: (value: unknown) => T) =>
  (text: string): T =>
    read(({ data: value }) => of(value))(text);

/** Every path that the index asks for, about an epoch, and how its answer is read. */
const readersOf = (epoch: number): [path: string, read: (text: string) => unknown][] => {
  const slot = epoch * 32;
  const shape = { epoch, slotsPerEpoch: 32, maxPerSlot: 64 };
  const state = `/eth/v1/beacon/states/${slot}`;
  return [
    ['/eth/v1/node/syncing', read(answers.readSyncing)],
    ['/eth/v1/beacon/genesis', data(parseGenesis)],
    ['/eth/v1/config/spec', data(parseSpec)],
    ['/eth/v1/beacon/headers/head', read(answers.readHeader)],
    [`/eth/v1/beacon/blocks/${slot + 2}/root`, read(answers.readRoot)],
    ...Array.from({ length: 12 }, (_, i): [string, (text: string) => unknown] => [
      `/eth/v2/beacon/blocks/${slot + 2 + i}`,
      read((answer) => (answer.data ? readBlock(answer, '') : answer.message)),
    ]),
    [`${state}/finality_checkpoints`, read(answers.readFinality)],
    [`/eth/v1/validator/duties/proposer/${epoch}`, read((answer) => answers.readDuties(answer, slot, 32))],
    [`${state}/sync_committees?epoch=${epoch}`, read((answer) => answers.readSyncCommittee(answer, 512))],
    [`${state}/pending_consolidations`, read(answers.readConsolidations)],
    [
      `${state}/pending_deposits`,
      read((answer) => answer.data !== undefined && answers.readDeposits(answer)),
    ],
    [`${state}/validators?id=3,4`, data((value) => (value as unknown[]).map(readRecord))],
    [
      `${state}/validators`,
      (text) => [...(scanned(new RegistryReader(JSON.parse(text).data.length), text) as any)],
    ],
    [`${state}/validator_balances`, (text) => scanned(new BalanceReader(4), text)],
    [`${state}/committees?epoch=${epoch}`, (text) => scanned(new CommitteeReader(shape, 4), text)],
  ];
};

const chains: [string, () => Chain, number][] = [['made', syntheticChain, 2252]];
if (hasRecordings)
  chains.push(
    ['recorded, of days', () => recordedChain('days'), 2350],
    ['recorded, wide', () => recordedChain('wide'), 2260],
  );

describe.each(chains)('an answer of a chain (%s)', (_, chain, epoch) => {
  slow('is read alike with any of its safe integers as numbers and any empty list as null', async () => {
    const node = await aNode({}, chain());
    for (const [path, reader] of readersOf(epoch)) {
      const text = await (await fetch(node.url + path, { headers: { connection: 'close' } })).text();
      const expected = reader(text);
      fc.assert(
        fc.property(fc.double({ min: 0, max: 1 }), fc.integer({ min: 1, max: 2 ** 30 }), (share, seed) => {
          let x = seed;
          const random = () => (x = (x * 48_271) % 2_147_483_647) / 2_147_483_647;
          const changed = rewritten(JSON.parse(text), () => random() < share);
          expect(reader(JSON.stringify(changed)), path).toEqual(expected);
        }),
        { ...runs(text.length > 1e6 ? 2 : 20), endOnFailure: true },
      );
    }
  });
});

describe('a number in an answer', () => {
  const withAmount = (amount: string) =>
    `{"data":[{"pubkey":"0x${'ab'.repeat(48)}","withdrawal_credentials":"0x${'01'.repeat(32)}",` +
    `"amount":${amount},"signature":"0x${'cd'.repeat(96)}","slot":"5"}]}`;
  const amounts = read((answer) => answers.readDeposits(answer).map(({ amount }) => amount));

  it.each(['0', '7', '32000000000', '9007199254740991'])('is taken up to 2^53: %s', (amount) => {
    expect(amounts(withAmount(amount))).toEqual([Number(amount)]);
  });

  it.each([
    ...['9007199254740992', '9007199254740993', '18446744073709551615', '18446744073709552000'],
    ...['1.5', '32.0', '1e3', '1E+3', '9007199254740991.2', '0.00000000000000000000000001e26', '-1'],
  ])('is refused by the name of its field where digits may be lost: %s', (amount) => {
    expect(() => amounts(withAmount(amount))).toThrow(`amount is ${amount} in place of`);
    const balances = `{"data":[{"index":"0","balance":${amount}}]}`;
    expect(() => scanned(new BalanceReader(), balances)).toThrow(`balance is ${amount} in place of`);
    expect(() => parseSpec({ ...(parsed(`{"BASE_REWARD_FACTOR":${amount}}`) as object) })).toThrow(
      `BASE_REWARD_FACTOR ${amount};`,
    );
  });

  it('may be anything in a field that is not read', () => {
    const given = withAmount('7').replace('"slot"', '"extra":[1.5,-1e400,99999999999999999999],"slot"');
    expect(amounts(given)).toEqual([7]);
    expect(amounts(given.replace('"extra"', '"of a, \\"name\\": 1.5"'))).toEqual([7]);
  });

  it('is taken in an event, which is dropped where there is none', () => {
    const head = { kind: 'head', slot: 72_000 };
    expect(eventOf('head', '{"slot":"72000"}', 32)).toEqual(head);
    expect(eventOf('head', '{"slot":72000}', 32)).toEqual(head);
    expect(eventOf('finalized_checkpoint', '{"epoch":2250}', 32)).toEqual({ ...head, kind: 'finalized' });
    for (const slot of ['null', '""', '" 5"', '"0x10"', '1.0', '[5]', 'true'])
      expect(eventOf('head', `{"slot":${slot}}`, 32), slot).toBeUndefined();
  });
});

describe('null in place of a list', () => {
  it('is an empty one, and is refused wherever an empty list is', () => {
    expect(read(answers.readConsolidations)('{"data":null}')).toEqual([]);
    expect(() => read((answer) => answers.readDuties(answer, 0, 32))('{"data":null}')).toThrow(/0 duties/);
    expect(() => scanned(new BalanceReader(), '{"data":null}')).toThrow(/no validator is listed/);
    expect(() => scanned(new BalanceReader(), '{"data": null, "finalized":true} x')).toThrow(/not JSON/);
    expect(() => scanned(new RegistryReader(3), '{"data":null}')).toThrow(/0 of 3 validators/);
    const shape = { epoch: 7, slotsPerEpoch: 4, maxPerSlot: 3 };
    expect(() => scanned(new CommitteeReader(shape), '{"data":null}')).toThrow(/0 committees/);
  });

  it('is not taken for an object', () => {
    expect(() => read(answers.readFinality)('{"data":null}')).toThrow(/data is null in place of an object/);
    expect(() => read(answers.readConsolidations)('{}')).toThrow(/data is undefined in place of a list/);
  });
});

describe('a node that writes numbers and null as Caplin does', () => {
  const deposit = {
    ...{ pubkey: `0x${'ab'.repeat(48)}`, withdrawal_credentials: `0x${'01'.repeat(32)}` },
    ...{ amount: '32000000000', signature: `0x${'cd'.repeat(96)}` },
  };
  const withdrawal = {
    source_address: `0x${'ab'.repeat(20)}`,
    validator_pubkey: deposit.pubkey,
    amount: '0',
  };
  const requests = { deposits: [{ ...deposit, index: '3' }], withdrawals: [withdrawal] };

  /** With a waiting deposit and requests in each block. */
  function busyChain(): Chain {
    const chain = syntheticChain();
    return {
      ...chain,
      state(slot) {
        const state = chain.state(slot);
        return state && { ...state, pendingDeposits: [{ ...deposit, slot: '72001' }] };
      },
      block(slot) {
        const block = chain.block(slot);
        const asked = JSON.stringify(requests).slice(1, -1);
        return block && { ...block, text: block.text.replace('"deposits":[],"withdrawals":[]', asked) };
      },
    };
  }

  slow.each([
    ['in requests and in the queue of deposits', caplin],
    ['in every answer', (_: string, body: string) => JSON.stringify(rewritten(JSON.parse(body)))],
  ])('%s is read like any other', async (_, writes) => {
    const odd = await aNode({ writes }, busyChain());
    const [one, other] = [await open(await aNode({}, busyChain())), await open(odd)];
    const [expected, found] = [await one.start(2252), await other.start(2252)];
    expect(expected.pendingDeposits).toHaveLength(1);
    expect({ ...found, node: '', records: [...found.records] }).toEqual({
      ...{ ...expected, node: '', records: [...expected.records] },
    });
    const epochs = await Promise.all([one, other].map((nodes) => nodes.fetchEpoch(2252, () => [4, 9])));
    expect(epochs[0]?.input.blocks[6]?.depositRequests).toHaveLength(1);
    expect(epochs[1]?.input).toEqual(epochs[0]?.input);
    expect(await other.head()).toEqual(await one.head());
    expect(await other.proposers(2253)).toEqual(await one.proposers(2253));
  });
});

describe('a request of the execution layer', () => {
  it('may withdraw any amount, as everybody can send one', () => {
    const block = JSON.parse(syntheticChain().block(72_070)?.text as string);
    const amounts = ['0', '1', '9007199254740993', '18446744073709551615'];
    block.message.body.execution_requests.withdrawals = amounts.map((amount) => ({
      source_address: `0x${'ab'.repeat(20)}`,
      validator_pubkey: `0x${'ab'.repeat(48)}`,
      amount,
    }));
    const { withdrawalRequests } = readBlock({ version: 'fulu', data: block }, '');
    expect(withdrawalRequests.map(({ exits }) => exits)).toEqual([true, false, false, false]);
    block.message.body.execution_requests.withdrawals[0].amount = '18446744073709551616';
    expect(() => readBlock({ version: 'fulu', data: block }, '')).toThrow(/amount is "18446744073709551616"/);
  });
});

describe('records of validators', () => {
  const indices = Array.from({ length: 90 }, (_, i) => i);
  const asking = (node: BeaconNode) => node.asked.filter((path) => /\/validators\b/.test(path));
  const idsOf = (paths: readonly string[]) =>
    paths.flatMap((path) => /\?id=([\d,]+)$/.exec(path)?.[1]?.split(',').length ?? []);

  it('are asked for with one POST, each once', async () => {
    const node = await aNode();
    const nodes = await open(node);
    expect(await nodes.validatorsAt('head', [...indices, 3])).toHaveLength(90);
    expect(asking(node)).toEqual(['/eth/v1/beacon/states/head/validators']);
    expect(node.posted).toEqual([{ ids: indices.map(String) }]);
  });

  it.each([400, 403, 404, 405, 415, 501, 500])(
    'are asked for in 64s by GET where POST is answered by %i, which is remembered',
    async (posts) => {
      const node = await aNode({ posts });
      const nodes = await open(node);
      const expected = await (await open(await aNode())).validatorsAt('head', indices);
      expect(await nodes.validatorsAt('head', indices)).toEqual(expected);
      expect(idsOf(asking(node))).toEqual([64, 26]);
      node.asked.length = 0;
      const { input } = await nodes.fetchEpoch(2252, () => indices);
      expect(input.records.map(({ index }) => index)).toEqual(indices);
      expect(asking(node)).toHaveLength(2);
    },
  );

  it('of a state that is gone are neither told by POST nor by GET', async () => {
    const node = await aNode();
    const nodes = await open(node);
    await expect(nodes.validatorsAt(5, indices)).rejects.toMatchObject({ reason: 'pruned' });
    node.asked.length = 0;
    expect(await nodes.validatorsAt('head', indices)).toHaveLength(90);
    expect(idsOf(asking(node))).toEqual([]);
  });

  it('are asked for by POST again once the node was restarted', async () => {
    const node = await aNode({ posts: 405 });
    const nodes = await open(node);
    await nodes.validatorsAt('head', indices);
    node.posts = 'taken';
    node.break(/headers/, 'destroyed');
    await expect(nodes.head()).rejects.toMatchObject({ reason: 'unreachable' });
    node.mend();
    node.asked.length = 0;
    await nodes.validatorsAt('head', indices);
    expect(asking(node)).toHaveLength(1);
  });
});
